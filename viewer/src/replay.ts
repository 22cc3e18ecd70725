/** Plays a recording that is part of the page: a server of one's own. */

import { type Contacts, type Frame, JOINT_WORDS, vec } from "./frame";
import type { RecordedFrame, Recording } from "./recording";
import { pairOf } from "./series";
import type { Command, Listener, Source, Subject, Vec } from "./types";

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
    const forces = recording.frames.some((frame) => frame.details);
    listener.scene({ generation: 1, live: false, forces, header: recording.header });
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
    const rest = { generation: 1, number: this.number, newest: this.last, held: null, targets: new Float32Array() };
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

  async open() {
    return "Scene files need taut view or the playground: this page only replays.";
  }

  async sceneFile() {
    return JSON.stringify(this.recording.header.scene, null, 2);
  }

  async schema() {
    return "{}";
  }

  // The page is saved already.
  save() {}

  saveScene() {}

  close() {
    this.playing = false;
  }

  async series(subject: Subject) {
    return this.recording.frames.map((frame, i) => [frame.time, ...this.values(subject, frame, this.recording.frames[i - 1])]);
  }

  async table(subject: Subject | null) {
    const { frames } = this.recording;
    return frames.map((frame, i) => [i, frame.time, ...(subject ? this.values(subject, frame, frames[i - 1]) : frame.figures)]);
  }

  /** Motion and tensions, and forces where the recording has them. */
  private values({ kind, index }: Subject, frame: RecordedFrame, last?: RecordedFrame): number[] {
    const [number, { details }] = [Number(index), frame];
    if (kind === "cable") return [frame.tensions[number] ?? NaN];
    if (kind === "contact") return details ? between(details.contacts, index) : [NaN, NaN, NaN, NaN];
    if (kind === "joint") {
      const answer = details?.joints.subarray(JOINT_WORDS * number, JOINT_WORDS * (number + 1));
      return answer ? [Math.hypot(...vec(answer, 0)), Math.hypot(...vec(answer, 3)), answer[6] ?? NaN] : [NaN, NaN, NaN];
    }
    const at = vec(frame.positions, 3 * number);
    if (details) {
      const [v, w] = [vec(details.velocities, 6 * number), vec(details.velocities, 6 * number + 3)];
      return [...at, Math.hypot(...v), Math.hypot(...w), pressed(details.contacts, number)];
    }
    const before = last ? vec(last.positions, 3 * number) : at;
    const speed = last ? Math.hypot(...at.map((x, k) => x - (before[k] ?? x))) / (frame.time - last.time) : NaN;
    return [...at, speed, NaN, NaN];
  }

  async figures() {
    return new Map(this.recording.frames.map((frame, i) => [i, frame]));
  }
}

/** Sum of the forces of the contacts of a body, by amount. */
function pressed(contacts: Contacts, body: number): number {
  let sum = 0;
  for (let i = 0; i < contacts.count; i += 1) if (contacts.a(i) === body || contacts.b(i) === body) sum += Math.hypot(...contacts.force(i));
  return sum;
}

/** Force between two bodies, points that press, that slide, and the least gap. */
function between(contacts: Contacts, pair: string): number[] {
  const sum: Vec = [0, 0, 0];
  let [press, slide, gap] = [0, 0, NaN];
  for (let i = 0; i < contacts.count; i += 1) {
    if (pairOf(contacts.a(i), contacts.b(i)) !== pair) continue;
    contacts.force(i).forEach((x, k) => (sum[k] = (sum[k] ?? 0) + x));
    if (contacts.state(i) !== "open") press += 1;
    if (contacts.state(i) === "sliding") slide += 1;
    gap = Number.isNaN(gap) ? contacts.gap(i) : Math.min(gap, contacts.gap(i));
  }
  return [Math.hypot(...sum), press, slide, gap];
}
