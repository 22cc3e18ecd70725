import { expect, test } from "vitest";
import { deflection, nameOf } from "../../src/driving";
import { rangeOf } from "../../src/levers";
import { linksOf } from "../../src/links";
import { equalBox } from "../../src/outlines";
import type { Header, Lever, SceneFile } from "../../src/types";

const control = { name: "drive", keys: ["w", "s"] as [string, string], range: [-1, 2] as [number, number] };

test("keys deflect controls, both together not at all, with shift gently", () => {
  const held = (...keys: string[]) => (key: string) => (keys.includes(key) ? 1 : 0);
  expect(deflection(control, held("w"), false)).toBe(1);
  expect(deflection(control, held("s"), false)).toBe(-1);
  expect(deflection(control, held("w", "s"), false)).toBe(0);
  expect(deflection(control, held("w"), true)).toBeCloseTo(0.35);
  expect([nameOf("ArrowUp"), nameOf("W"), nameOf("3")]).toEqual(["up", "w", "3"]);
});

test("the range of a motor is that of its control, its limits or its script", () => {
  const scene: SceneFile = { dt: 0.01, bodies: [], controls: [control], drives: [{ motor: { joint: "slew", keys: [[0, 0], [1, -0.4]] } }] };
  const lever = (name: string, kind: Lever["kind"], controls: number[] = []): Lever => ({ name, kind, angle: true, controls });
  expect(rangeOf(lever("motor", "velocity", [0]), scene, [])).toEqual([-1, 2]);
  expect(rangeOf(lever("arm", "position"), scene, [{ joint: "arm", angle: true, range: [-0.2, 0.3] }])).toEqual([-0.2, 0.3]);
  const [low, high] = rangeOf(lever("slew", "velocity"), scene, []);
  expect([low, high]).toEqual([-high, high]);
  expect(high).toBeCloseTo(0.6);
});

test("links are rows of equal bodies on soft joints", () => {
  const bodies = Array.from({ length: 9 }, (_, i) => ({ name: `b${i}`, mass: i < 7 ? 1 : 5 }));
  const joint = (a: number, b: number, kind = "ball") => ({ name: "", kind, a, b, anchor_a: [0, 0, 0], anchor_b: [0, 0, 0], axis: [0, 0, 1] });
  const joints = [...Array.from({ length: 6 }, (_, i) => joint(i, i + 1)), joint(6, 7), joint(7, 8, "weld")];
  const header = { bodies, joints, scene: { dt: 0.01, bodies: bodies.map(({ name }) => ({ name })) } } as unknown as Header;
  const links = linksOf(header);
  expect([...links.keys()].sort()).toEqual([0, 1, 2, 3, 4, 5, 6]);
  expect([links.get(0), links.get(3)]).toEqual([[0], [2, 3]]);
  expect(linksOf({ ...header, joints: header.joints.slice(0, 3) }).size).toBe(0);
});

test("a box has the inertia of a box", () => {
  // Half extents 1, 2, 3 of 6 kg, turned by 90° about z, and by 30°.
  const [a, b, c] = [2 * (4 + 9), 2 * (1 + 9), 2 * (1 + 4)];
  const turned = equalBox(6, [b, a, c, 0, 0, 0]).half;
  expect([turned.x, turned.y, turned.z].map((x) => +x.toFixed(9))).toEqual([2, 1, 3]);
  const [cos, sin] = [Math.cos(Math.PI / 6), Math.sin(Math.PI / 6)];
  const { half, turn } = equalBox(6, [a * cos * cos + b * sin * sin, a * sin * sin + b * cos * cos, c, 0, 0, (a - b) * sin * cos]);
  expect(half.toArray().map((x) => +x.toFixed(6)).sort()).toEqual([1, 2, 3]);
  expect(half.clone().applyQuaternion(turn).length()).toBeCloseTo(Math.sqrt(14));
});
