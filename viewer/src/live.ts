/** Frames from the server, over a WebSocket that is opened again when lost. */

import { decodeFrame, FIGURE_NAMES } from "./frame";
import { SERIES } from "./series";
import type { Command, Listener, Sample, SeriesKind, Source } from "./types";

const RETRY_MS = 1000;

export class Live implements Source {
  private socket: WebSocket | null = null;
  /** Frames that came and were not yet said to be drawn. */
  private waiting = 0;
  private details = false;
  private closed = false;

  constructor(private listener: Listener) {
    this.open();
  }

  private open() {
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
      setTimeout(() => this.open(), RETRY_MS);
    };
    this.socket = socket;
  }

  private receive(data: ArrayBuffer | string) {
    if (typeof data !== "string") {
      this.waiting += 1;
      return this.listener.frame(decodeFrame(data));
    }
    const message = JSON.parse(data);
    if (message.hello) this.listener.hello(message.hello);
    if (message.you) this.listener.you(message.you);
    if (message.scene) this.listener.scene(message.scene);
    if (message.status) this.listener.status(message.status);
  }

  send(command: Command) {
    if (typeof command === "object" && "details" in command) this.details = command.details;
    this.text(command);
  }

  private text(message: Command | "ready") {
    if (this.socket?.readyState === WebSocket.OPEN) this.socket.send(JSON.stringify(message));
  }

  drawn() {
    for (; this.waiting > 0; this.waiting -= 1) this.text("ready");
  }

  close() {
    this.closed = true;
    this.socket?.close();
  }

  async series(kind: SeriesKind, index: number) {
    const response = await fetch(new URL(`series/${kind}/${index}`, location.href));
    const bytes = new DataView(await response.arrayBuffer());
    const columns = SERIES[kind].length;
    const rows: number[][] = [];
    for (let at = 0; at + 8 + 4 * columns <= bytes.byteLength; at += 8 + 4 * columns) {
      rows.push(Array.from({ length: columns + 1 }, (_, k) => bytes.getFloat32(at + 4 + 4 * k, true)));
    }
    return rows;
  }

  async figures() {
    const response = await fetch(new URL("figures", location.href));
    const bytes = new DataView(await response.arrayBuffer());
    const size = 8 + 4 * FIGURE_NAMES.length;
    const figures = new Map<number, Sample>();
    for (let at = 0; at + size <= bytes.byteLength; at += size) {
      const values = FIGURE_NAMES.map((_, i) => bytes.getFloat32(at + 8 + 4 * i, true));
      figures.set(bytes.getUint32(at, true), { time: bytes.getFloat32(at + 4, true), figures: Float32Array.from(values) });
    }
    return figures;
  }
}
