/** The engine in a worker, as the page sees it: what becomes of a worker that does not answer. */

import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { Listener } from "../../src/types";
import { Worked } from "../../src/worked";
import type { ToWorker } from "../../src/worker";

/** A worker that answers, or is in the middle of a step. */
class Fake {
  static all: Fake[] = [];
  onmessage: (event: { data: unknown }) => void = () => undefined;
  told: ToWorker[] = [];
  busy = false;
  ended = false;

  constructor() {
    Fake.all.push(this);
  }

  postMessage(message: ToWorker) {
    this.told.push(message);
    if ("ask" in message && !this.busy) queueMicrotask(() => this.onmessage({ data: { answer: message.number, value: true } }));
  }

  terminate() {
    this.ended = true;
  }

  /** What was said to it, but for what is drawn. */
  get said(): unknown[] {
    return this.told.flatMap((m) => ("say" in m ? [JSON.parse(m.say)] : [])).filter((m) => !("details" in m));
  }
}

const troubles: string[] = [];
const listener = { trouble: (text: string) => troubles.push(text), status: () => undefined } as unknown as Listener;
const solver = { auto: {} };

beforeEach(() => {
  vi.useFakeTimers();
  vi.stubGlobal("Worker", Fake);
  vi.stubGlobal("document", { hidden: false, addEventListener: () => undefined });
  [Fake.all.length, troubles.length] = [0, 0];
});

afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

function start() {
  const first = new Fake();
  const worked = new Worked(listener, { name: "forklift" }, first as unknown as Worker);
  return { first, worked };
}

const status = { data: JSON.stringify({ status: { changed: { solver: null, settings: { dt: 0.01 } } } }) };

test("another solver is told to an engine that answers", async () => {
  const { first, worked } = start();
  first.onmessage(status);
  worked.send({ solver });
  await vi.advanceTimersByTimeAsync(5000);
  expect([Fake.all.length, first.ended, first.said]).toEqual([1, false, [{ solver }]]);
});

test("a step that does not end is left when another solver is chosen", async () => {
  const { first, worked } = start();
  first.onmessage(status);
  for (const scene of [{ name: "wall" }, {}]) {
    worked.send({ scene });
    await vi.advanceTimersByTimeAsync(1);
  }
  first.busy = true;
  worked.send({ solver });
  await vi.advanceTimersByTimeAsync(1000);
  expect(first.ended, "a second is waited").toBe(false);
  await vi.advanceTimersByTimeAsync(4000);
  const second = Fake.all[1];
  expect([Fake.all.length, first.ended]).toEqual([2, true]);
  expect(second?.told[0]).toEqual({ start: { name: "forklift" } });
  expect(second?.said).toEqual([{ solver }, { settings: { dt: 0.01 } }]);
  expect(troubles).toEqual([expect.stringMatching(/starts anew/)]);
});

test("an engine that is being loaded is waited for", async () => {
  const { first, worked } = start();
  first.busy = true;
  worked.send({ solver });
  await vi.advanceTimersByTimeAsync(20_000);
  expect([Fake.all.length, first.ended, first.said]).toEqual([1, false, [{ solver }]]);
});
