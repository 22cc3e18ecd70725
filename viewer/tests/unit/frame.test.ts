import { expect, test } from "vitest";
import { decodeFrame, FIGURE_NAMES, figure, subsystemsOf } from "../../src/frame";

/** A message as the server would write it. */
function message(bodies: number, details: boolean): ArrayBuffer {
  const words: [kind: "u" | "f", value: number][] = [];
  const u = (...values: number[]) => words.push(...values.map((v): ["u", number] => ["u", v]));
  const f = (...values: number[]) => words.push(...values.map((v): ["f", number] => ["f", v]));
  u(1, 7, 12, 30);
  f(0.5, 0);
  f(...FIGURE_NAMES.map((_, i) => i + 0.5));
  u(1);
  f(0.1, 0, 0, 1, 2, 3, 0, 0, -9);
  u(bodies);
  for (let i = 0; i < bodies; i += 1) f(i, 2 * i, -i);
  // w = 0, x = 1, y = z = 0: two 16-bit numbers per word, low one first.
  for (let i = 0; i < bodies; i += 1) u(32767 << 16, 0);
  u(2);
  f(150, NaN);
  u(1);
  f(0.25);
  u(1);
  f(1, 2, 3, 500);
  u(details ? 1 : 0);
  if (details) {
    for (let i = 0; i < bodies; i += 1) f(1, 2, 3, 4, 5, 6);
    for (let i = 0; i < bodies; i += 1) u(i === 0 ? 0xffffffff : 4);
    for (let i = 0; i < bodies; i += 1) u(i === 0 ? 0xffffffff : 1);
    u(1, 0, 0xffffffff, 2);
    f(1, 1, 0, 0, 0, 50, -0.001);
    u(1);
    f(NaN, 0, 0, 0, 0, 0, 0);
  }
  const view = new DataView(new ArrayBuffer(4 * words.length));
  words.forEach(([kind, value], i) => (kind === "u" ? view.setUint32(4 * i, value, true) : view.setFloat32(4 * i, value, true)));
  return view.buffer;
}

test("a frame without details", () => {
  const frame = decodeFrame(message(3, false));
  expect([frame.generation, frame.number, frame.newest, frame.time]).toEqual([7, 12, 30, 0.5]);
  expect([...frame.positions]).toEqual([0, 0, -0, 1, 2, -1, 2, 4, -2]);
  expect([...frame.rotations.slice(4, 8)]).toEqual([1, 0, 0, 0]);
  expect(frame.held).toMatchObject({ body: 1, target: [1, 2, 3], force: [0, 0, -9] });
  expect(figure(frame.figures, "solve_ms")).toBe(1.5);
  expect([...frame.tensions]).toEqual([150, NaN]);
  expect([...frame.targets]).toEqual([0.25]);
  expect([...frame.skins]).toEqual([1, 2, 3, 500]);
  expect(frame.details).toBeNull();
  expect(subsystemsOf(frame)).toBeNull();
});

test("contacts, islands and joints", () => {
  const frame = decodeFrame(message(2, true));
  const { details } = frame;
  expect([...(subsystemsOf(frame) ?? [])]).toEqual([-1, 1]);
  expect([...(details?.islands ?? [])]).toEqual([-1, 4]);
  const contacts = details?.contacts;
  expect([contacts?.count, contacts?.a(0), contacts?.b(0), contacts?.state(0)]).toEqual([1, 0, -1, "sliding"]);
  expect(contacts?.force(0)).toEqual([0, 0, 50]);
  expect(details?.joints[0]).toBeNaN();
});

test("damaged messages throw", () => {
  const whole = message(2, true);
  for (const length of [0, 4, 64, whole.byteLength - 4]) expect(() => decodeFrame(whole.slice(0, length))).toThrow(RangeError);
});
