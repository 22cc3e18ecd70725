import { expect, test } from "vitest";
import { amount } from "../../src/dom";
import type { Frame } from "../../src/frame";
import { Motion } from "../../src/motion";

function frame(number: number, x: number): Frame {
  return {
    generation: 1,
    number,
    newest: number,
    time: number / 60,
    figures: new Float32Array(15),
    held: null,
    positions: Float32Array.from([x, 0, 0]),
    rotations: Float32Array.from([0, 0, 0, 1]),
    tensions: new Float32Array(),
    skins: new Float32Array(),
    targets: new Float32Array(),
    details: null,
  };
}

/** Where the body is drawn. */
function drawn(motion: Motion, now: number): number {
  const at = motion.at(now);
  if (!at) return NaN;
  const [from, to] = [at.from.positions[0] ?? 0, at.to.positions[0] ?? 0];
  return from + at.share * (to - from);
}

test("between frames bodies move evenly, and never beyond the newest", () => {
  const motion = new Motion();
  for (let i = 0; i <= 60; i += 1) motion.push(frame(i, i), 20 * i, true);
  const steps = [0, 5, 10, 15, 20].map((ms) => drawn(motion, 1200 + ms));
  expect(steps[0]).toBeCloseTo(59, 1);
  expect(steps[2]).toBeCloseTo(59.5, 1);
  expect(drawn(motion, 5000)).toBe(60);
});

test("jumps and single steps are shown at once", () => {
  const motion = new Motion();
  motion.push(frame(0, 0), 0, true);
  motion.push(frame(1, 1), 20, true);
  motion.push(frame(500, 7), 40, true);
  expect(drawn(motion, 40)).toBe(7);
  motion.push(frame(499, 6), 60, false);
  expect(drawn(motion, 60)).toBe(6);
});

test("amounts", () => {
  const texts = [0, 1234, 0.00123, 9.81, 10, -4.2e6, 999.96, NaN, 6.88e-13].map((x) => amount(x, "N"));
  expect(texts).toEqual(["0 N", "1.23 kN", "1.23 mN", "9.81 N", "10 N", "-4.20 MN", "1.00 kN", "–", "0 N"]);
});
