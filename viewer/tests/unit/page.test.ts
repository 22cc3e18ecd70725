/** What the page does without being drawn. */

import * as three from "three";
import { expect, test } from "vitest";
import { heartOf } from "../../src/bodies";
import { belongs } from "../../src/keys";
import { linksOf } from "../../src/links";
import { Pace } from "../../src/pace";
import { Samples } from "../../src/samples";
import { retreat } from "../../src/stage";
import type { Header, Vec } from "../../src/types";

const sample = (time: number) => ({ time, figures: new Float32Array(15) });

test("keys belong to what has the focus", () => {
  const on = (kind: string, visible = true, dialog = false) => ({ kind, visible, dialog });
  for (const key of [" ", "Escape", "t", "r"]) {
    expect(belongs(key, on("body", false, true)), `${key} behind a dialog`).toBe(true);
    expect(belongs(key, on("select")), `${key} in a list`).toBe(true);
    expect(belongs(key, on("input:text")), `${key} in a text`).toBe(true);
    expect(belongs(key, on("canvas")), `${key} in the picture`).toBe(false);
  }
  expect(belongs(" ", on("input:checkbox"))).toBe(true);
  expect(belongs("t", on("input:checkbox"))).toBe(false);
  expect(belongs("ArrowLeft", on("input:range"))).toBe(true);
  expect(belongs("ArrowLeft", on("tab"))).toBe(true);
  expect(belongs("ArrowLeft", on("slider")), "a plot").toBe(true);
  expect(belongs(" ", on("button"))).toBe(true);
  expect(belongs(" ", on("button", false)), "a button that was clicked").toBe(false);
});

test("plots know when frames were, and keep no more than they can show", () => {
  const samples = new Samples();
  // Steps of 10 ms, then of 20 ms.
  for (let i = 1; i <= 6; i += 1) samples.add(i, i, sample(i <= 3 ? 0.01 * i : 0.03 + 0.02 * (i - 3)));
  expect(samples.list(100).map((s) => +s.time.toFixed(3))).toEqual([0.01, 0.02, 0.03, 0.05, 0.07, 0.09]);
  // A past that was changed.
  samples.add(3, 3, sample(0.03));
  expect(samples.size).toBe(3);
  for (let i = 4; i <= 50_000; i += 1) samples.add(i, i, sample(0.01 * i));
  expect(samples.size).toBeLessThanOrEqual(4096);
  expect(samples.size).toBeGreaterThan(1000);
  const times = samples.list(600).map((s) => s.time);
  expect(times.length).toBeLessThanOrEqual(600);
  expect(times).toEqual([...times].sort((a, b) => a - b));
  expect(times[0]).toBeLessThan(1);
  expect(times.at(-1)).toBeGreaterThan(495);
});

test("the first view leaves out what is far away or much larger", () => {
  const cube = (x: number, y: number, z: number, r = 0.5) => {
    return new three.Box3(new three.Vector3(x - r, y - r, z - r), new three.Vector3(x + r, y + r, z + r));
  };
  const wall = Array.from({ length: 40 }, (_, i) => cube(0, i % 8, Math.floor(i / 8)));
  const boxes = [...wall, cube(-60, 3, 0), cube(0, 0, -200, 150)];
  const moves = boxes.map((_, i) => i < 41);
  const heart = heartOf(boxes, moves);
  expect(heart?.min.toArray()).toEqual([-0.5, -0.5, -0.5]);
  expect(heart?.max.toArray()).toEqual([0.5, 7.5, 4.5]);
  // Of few bodies none is left out.
  expect(heartOf([cube(0, 0, 0), cube(30, 0, 0)], [true, true])?.max.x).toBe(30.5);
  expect(heartOf([], [])).toBe(null);
});

test("the pace is that of simulated time on the wall", () => {
  const pace = new Pace();
  expect(pace.share).toBe(0);
  for (let i = 0; i <= 100; i += 1) pace.push(0.01 * i, 25 * i);
  expect(pace.share).toBeCloseTo(0.4, 3);
  // Back to the start: it counts anew.
  pace.push(0, 2600);
  expect(pace.share).toBe(0);
});

test("scenes of several seconds a frame have a pace too", () => {
  const pace = new Pace();
  for (let i = 0; i <= 3; i += 1) pace.push(0.01 * i, 4000 * i);
  expect(pace.share).toBeCloseTo(0.0025, 6);
});

test("segments of a rope may have several lengths", () => {
  const rope = (grows: number, radius: (i: number) => number) => {
    const bodies = Array.from({ length: 8 }, (_, i) => ({ name: `s${i}`, mass: 2, shape: { capsule: { half_length: 0.5 + grows * i, radius: radius(i) } } }));
    const joints = bodies.slice(1).map((_, i) => ({ name: "", kind: "ball", a: i, b: i + 1 }));
    return linksOf({ bodies, joints, scene: { bodies } } as unknown as Header).size;
  };
  expect(rope(0.1, () => 0.02)).toBe(8);
  expect(rope(0, (i) => 0.02 * (1 + i)), "of several makes").toBe(0);
});

test("suggested cameras go back where the picture is narrow, and only as far as needed", () => {
  const box = ([x, y]: [number, number]): Vec[] => [-1, 1].flatMap((s) => [-1, 1].map((t): Vec => [s * x, t * y, 0]));
  const tan = Math.tan((20 * Math.PI) / 180);
  // In the usual picture what the scene asked for is shown.
  expect(retreat(box([9, 1]), 10, 1.6 * tan, tan)).toBeCloseTo(1);
  // In one as wide as high a wide thing needs distance, a high one does not.
  expect(retreat(box([5, 1]), 10, tan, tan)).toBeCloseTo(5 / tan / 10);
  expect(retreat(box([1, 3.6]), 10, tan, tan)).toBe(1);
  // What was cut off anyway is no reason to go farther.
  expect(retreat(box([500, 1]), 10, tan, tan)).toBeCloseTo(1.6);
});
