/** Frames from the server, over a WebSocket that is opened again when lost. */

import { h } from "./dom";
import { Talk } from "./talk";
import type { Listener } from "./types";

const RETRY_MS = 1000;

export class Live extends Talk {
  private socket: WebSocket | null = null;
  private closed = false;

  constructor(listener: Listener) {
    super(listener);
    this.connect();
  }

  private connect() {
    const url = new URL("socket", location.href);
    url.protocol = url.protocol === "https:" ? "wss:" : "ws:";
    const socket = new WebSocket(url);
    socket.binaryType = "arraybuffer";
    socket.onopen = () => {
      this.waiting = 0;
      this.listener.connection(true);
      this.send({ details: this.details });
    };
    socket.onmessage = (event) => this.receive(event.data);
    socket.onclose = () => {
      if (this.closed) return;
      this.listener.connection(false);
      setTimeout(() => this.connect(), RETRY_MS);
    };
    this.socket = socket;
  }

  protected carry(text: string) {
    if (this.socket?.readyState === WebSocket.OPEN) this.socket.send(text);
  }

  protected async bytes(path: string) {
    return (await fetch(new URL(path, location.href))).arrayBuffer();
  }

  async open(text: string) {
    const answer = await fetch("open", { method: "POST", body: text }).catch(() => null);
    if (answer?.ok) return null;
    return answer ? answer.text() : "The server does not answer: is taut view still running?";
  }

  async sceneFile() {
    return (await fetch("scene.json")).text();
  }

  async schema() {
    return (await fetch("schema.json")).text();
  }

  save(forces: boolean) {
    h("a", { href: forces ? "save.html?forces" : "save.html", download: "" }).click();
  }

  saveScene() {
    h("a", { href: "scene.json", download: "" }).click();
  }

  close() {
    this.closed = true;
    this.socket?.close();
  }
}
