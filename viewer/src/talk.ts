/** What `taut view` and the playground say to a page and are told, whatever carries it. */

import { decodeFrame, FIGURE_NAMES } from "./frame";
import { SERIES } from "./series";
import type { Command, Listener, Sample, Source, Status, Subject } from "./types";

export abstract class Talk implements Source {
  /** Frames that came and were not yet said to be drawn. */
  protected waiting = 0;
  protected details = false;
  /** What was changed of the scene that is shown. */
  protected changed: Status["changed"];

  constructor(protected listener: Listener) {}

  /** Carries a message to the other side, if it is there. */
  protected abstract carry(text: string): void;
  /** Values of frames that are kept. */
  protected abstract bytes(path: string): Promise<ArrayBuffer>;
  abstract open(text: string): Promise<string | null>;
  abstract sceneFile(): Promise<string>;
  abstract schema(): Promise<string>;
  abstract save(forces: boolean): void;
  abstract saveScene(): void;
  abstract close(): void;

  protected receive(data: ArrayBuffer | string) {
    if (typeof data !== "string") {
      this.waiting += 1;
      return this.listener.frame(decodeFrame(data));
    }
    const message = JSON.parse(data);
    if (message.hello) this.listener.hello(message.hello);
    if (message.you) this.listener.you(message.you);
    if (message.scene) this.listener.scene(message.scene);
    if (message.trouble) this.listener.trouble(message.trouble);
    if (message.status) {
      this.changed = (message.status as Status).changed;
      this.listener.status(message.status);
    }
  }

  send(command: Command) {
    if (typeof command === "object" && "details" in command) this.details = command.details;
    this.carry(JSON.stringify(command));
  }

  drawn() {
    for (; this.waiting > 0; this.waiting -= 1) this.carry('"ready"');
  }

  /** Rows of frame, time and values. */
  private async rows(path: string, columns: number): Promise<number[][]> {
    const bytes = new DataView(await this.bytes(path));
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
