/** Frames from the server, over a WebSocket that is opened again when lost. */

import { decodeFrame, FIGURE_NAMES } from "./frame";
import { SERIES } from "./series";
import type { Command, Listener, Sample, Source, Subject } from "./types";

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

  /** Rows of frame, time and values. */
  private async rows(path: string, columns: number): Promise<number[][]> {
    const response = await fetch(new URL(path, location.href));
    const bytes = new DataView(await response.arrayBuffer());
    const size = 8 + 4 * columns;
    const rows: number[][] = [];
    for (let at = 0; at + size <= bytes.byteLength; at += size) {
      const values = Array.from({ length: columns + 1 }, (_, k) => bytes.getFloat32(at + 4 + 4 * k, true));
      rows.push([bytes.getUint32(at, true), ...values]);
    }
    return rows;
  }

  async series({ kind, index }: Subject) {
    return (await this.rows(`series/${kind}/${index}`, SERIES[kind].length)).map((row) => row.slice(1));
  }

  table(subject: Subject | null) {
    if (!subject) return this.rows("figures?all", FIGURE_NAMES.length);
    return this.rows(`series/${subject.kind}/${subject.index}?all`, SERIES[subject.kind].length);
  }

  async figures() {
    const rows = await this.rows("figures", FIGURE_NAMES.length);
    return new Map(rows.map(([number = 0, time = 0, ...values]): [number, Sample] => [number, { time, figures: Float32Array.from(values) }]));
  }
}
