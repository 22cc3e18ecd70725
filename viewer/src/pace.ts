/** How fast simulated time goes by on this page, against the clock on the wall. */

/** Over how long it is measured \[ms\]. */
const SPAN = 2000;

/** How fast it plays, in words. */
export function paceWords(pace: number): string {
  const share = +pace.toPrecision(2);
  return share === 1 ? "playing in real time" : share > 1 ? `playing at ${share} times real time` : `playing at ${share} of real time`;
}

export class Pace {
  private samples: { time: number; now: number }[] = [];

  /** A frame of that time was shown. */
  push(time: number, now: number) {
    const last = this.samples.at(-1);
    // Who goes back starts anew; who stands still says so.
    if (last && time < last.time) this.samples = [];
    this.samples.push({ time, now });
    // Frames that take longer than the span are measured from one to the next.
    while (this.samples.length > 2 && (this.samples[1]?.now ?? Infinity) < now - SPAN) this.samples.shift();
  }

  /** Simulated seconds per second; 0 while that is not known. */
  get share(): number {
    const [first, last] = [this.samples[0], this.samples.at(-1)];
    if (!first || !last || last.now - first.now < 300) return 0;
    return (1000 * (last.time - first.time)) / (last.now - first.now);
  }
}
