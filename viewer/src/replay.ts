/** Plays a recording that is part of the page: a server of one's own. */

import { type Frame, vec } from "./frame";
import type { Recording } from "./recording";
import type { Command, Listener, SeriesKind, Source } from "./types";

export class Replay implements Source {
  private number = 0;
  private playing = true;
  private speed = 1;
  /** Simulated time shown, and when it was \[ms\]. */
  private clock = { time: 0, at: performance.now() };

  constructor(
    private recording: Recording,
    private listener: Listener,
  ) {
    listener.connection(true);
    listener.scene({ generation: 1, live: false, header: recording.header });
    this.tell();
    this.show(0);
    const tick = () => {
      this.tick();
      requestAnimationFrame(tick);
    };
    requestAnimationFrame(tick);
  }

  private get last() {
    return this.recording.frames.length - 1;
  }

  private tick() {
    const now = performance.now();
    if (!this.playing) return;
    const time = this.clock.time + ((now - this.clock.at) / 1000) * this.speed;
    let next = this.number;
    while (next < this.last && (this.recording.frames[next + 1]?.time ?? Infinity) <= time) next += 1;
    if (next !== this.number) this.show(next, time);
    if (this.number === this.last) {
      this.playing = false;
      this.tell();
    }
  }

  private show(number: number, time?: number) {
    this.number = Math.max(0, Math.min(this.last, number));
    const frame = this.recording.frames[this.number];
    if (!frame) return;
    this.clock = { time: time ?? frame.time, at: performance.now() };
    const rest = { generation: 1, number: this.number, newest: this.last, held: null, targets: new Float32Array(), details: null };
    this.listener.frame({ ...frame, ...rest } satisfies Frame);
  }

  private tell() {
    const { playing, speed } = this;
    this.listener.status({ playing, speed, solver: null, settings: null, notice: "", notices: 0, notice_to: null });
  }

  send(command: Command) {
    if (command === "reset") this.show(0);
    else if (typeof command === "string") return;
    else if ("play" in command) {
      if (command.play && this.number === this.last) this.show(0);
      this.playing = command.play;
      this.clock.at = performance.now();
    } else if ("step" in command) {
      this.playing = false;
      this.show(this.number + command.step);
    } else if ("seek" in command) {
      this.playing = false;
      this.show(command.seek);
    } else if ("speed" in command) {
      this.clock = { time: this.recording.frames[this.number]?.time ?? 0, at: performance.now() };
      this.speed = command.speed;
    } else return;
    this.tell();
  }

  drawn() {}

  close() {
    this.playing = false;
  }

  /** Motion and tensions; a recording has no other forces. */
  async series(kind: SeriesKind, index: number) {
    const { frames } = this.recording;
    return frames.map((frame, i) => {
      if (kind === "cable") return [frame.time, frame.tensions[index] ?? NaN];
      if (kind === "joint") return [frame.time, NaN, NaN, NaN];
      const at = vec(frame.positions, 3 * index);
      const last = frames[i - 1];
      const before = last ? vec(last.positions, 3 * index) : at;
      const speed = last ? Math.hypot(...at.map((x, k) => x - (before[k] ?? x))) / (frame.time - last.time) : NaN;
      return [frame.time, ...at, speed, NaN, NaN];
    });
  }

  async figures() {
    return new Map(this.recording.frames.map((frame, i) => [i, frame]));
  }
}
