/** From frames that come now and then to motion without jerks. */

import type { Frame } from "./frame";
import type { Poses } from "./bodies";

/** Frames farther apart than this were not played but jumped to. */
const JUMP = 12;

export class Motion {
  private from: Poses | null = null;
  private to: Frame | null = null;
  private came = 0;
  /** Mean time between frames \[ms\]. */
  private every = 16;

  /** A new frame: go there from where things are now. */
  push(frame: Frame, now: number, playing: boolean) {
    const last = this.to;
    const shown = this.at(now);
    const steady = playing && last && last.generation === frame.generation;
    const distance = frame.number - (last?.number ?? 0);
    if (steady && shown && distance > 0 && distance <= JUMP) {
      this.every += 0.2 * (Math.min(now - this.came, 1000) - this.every);
      this.from = mix(shown.from, shown.to, shown.share);
    } else {
      this.from = frame;
    }
    this.to = frame;
    this.came = now;
  }

  /** Between which poses, and how far on, things are now. */
  at(now: number): { from: Poses; to: Frame; share: number } | null {
    if (!this.from || !this.to) return null;
    const share = this.from === this.to ? 1 : Math.min(1, (now - this.came) / Math.max(this.every, 1));
    return { from: this.from, to: this.to, share };
  }
}

/** Poses between two; rotations that are near, so that a plain mean will do. */
function mix(from: Poses, to: Poses, share: number): Poses {
  if (share >= 1) return to;
  const positions = from.positions.map((x, i) => x + share * ((to.positions[i] ?? x) - x));
  const rotations = new Float32Array(from.rotations.length);
  for (let i = 0; i < rotations.length; i += 4) {
    let dot = 0;
    for (let k = i; k < i + 4; k += 1) dot += (from.rotations[k] ?? 0) * (to.rotations[k] ?? 0);
    const sign = dot < 0 ? -1 : 1;
    let length = 0;
    for (let k = i; k < i + 4; k += 1) {
      const value = (1 - share) * (from.rotations[k] ?? 0) + share * sign * (to.rotations[k] ?? 0);
      rotations[k] = value;
      length += value * value;
    }
    for (let k = i; k < i + 4; k += 1) rotations[k] = (rotations[k] ?? 0) / (Math.sqrt(length) || 1);
  }
  return { positions, rotations };
}
