/** Figures of the frames so far, as many as plots can use. */

import type { Sample } from "./types";

/** More are not kept: of the frames so far every second one goes. */
const KEPT = 4096;

export class Samples {
  private all = new Map<number, Sample>();
  private newest = 0;

  get size(): number {
    return this.all.size;
  }

  clear() {
    this.all.clear();
    this.newest = 0;
  }

  /** Adds the figures of a frame; frames after the newest are of a past that was changed. */
  add(number: number, newest: number, sample: Sample) {
    this.put(number, sample);
    if (newest < this.newest) {
      for (const key of this.all.keys()) if (key > newest) this.all.delete(key);
    }
    this.newest = newest;
    this.thin();
  }

  /** Adds those of frames that went by before the page was there. */
  addAll(all: Map<number, Sample>) {
    for (const [number, sample] of all) this.put(number, sample);
    this.thin();
  }

  /** At the start there are none yet. */
  private put(number: number, { time, figures }: Sample) {
    if (number > 0) this.all.set(number, { time, figures });
  }

  private thin() {
    if (this.all.size <= KEPT) return;
    const numbers = [...this.all.keys()].sort((a, b) => a - b);
    numbers.forEach((number, i) => {
      if (i % 2 === 1) this.all.delete(number);
    });
  }

  /** At most so many, evenly, in the order of their frames. */
  list(most: number): Sample[] {
    const numbers = [...this.all.keys()].sort((a, b) => a - b);
    const every = Math.max(1, Math.ceil(numbers.length / most));
    return numbers.filter((_, i) => i % every === 0).flatMap((n) => this.all.get(n) ?? []);
  }
}
