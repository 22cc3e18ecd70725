import { Box3, Vector3 } from "three";
import { expect, test } from "vitest";
import { partsOf } from "../../src/shapes";
import type { Shape, Vec } from "../../src/types";

/** The box around all triangles of a shape. */
function bounds(shape: Shape): { min: number[]; max: number[] } {
  const box = new Box3();
  for (const part of partsOf({ name: "b", shape })) {
    const geometry = part.geometry().applyMatrix4(part.local);
    geometry.computeBoundingBox();
    box.union(geometry.boundingBox ?? new Box3());
  }
  const round = (v: Vector3) => v.toArray().map((x) => Math.round(x * 100) / 100 + 0);
  return { min: round(box.min), max: round(box.max) };
}

const corners: Vec[] = [[0, 0, 0], [1, 0, 0], [0, 2, 0], [0, 0, 3]];

test.each<[string, Shape, number[], number[]]>([
  ["ball", { ball: { radius: 2 } }, [-2, -2, -2], [2, 2, 2]],
  ["box", { box: { half_extents: [1, 2, 3] } }, [-1, -2, -3], [1, 2, 3]],
  ["capsule", { capsule: { half_length: 2, radius: 1 } }, [-1, -1, -3], [1, 1, 3]],
  ["cylinder", { cylinder: { half_height: 3, radius: 1 } }, [-1, -1, -3], [1, 1, 3]],
  ["cone", { cone: { half_height: 3, radius: 1 } }, [-1, -1, -3], [1, 1, 3]],
  ["hull", { convex_hull: { points: [...corners, [0.1, 0.1, 0.1]] } }, [0, 0, 0], [1, 2, 3]],
  ["mesh", { tri_mesh: { vertices: corners, triangles: [[0, 1, 2], [0, 1, 3]] } }, [0, 0, 0], [1, 2, 3]],
  ["solid", { sdf: { vertices: corners, triangles: [[0, 1, 2], [0, 1, 3]] } }, [0, 0, 0], [1, 2, 3]],
  ["terrain", { height_field: { heights: [0, 1, 2, 0, 0, 5], nx: 3, ny: 2, size_x: 4, size_y: 2 } }, [-2, -1, 0], [2, 1, 5]],
  [
    "compound",
    { compound: { parts: [{ shape: { ball: { radius: 1 } }, position: [5, 0, 0] }, { shape: { box: { half_extents: [1, 1, 2] } }, orientation: [Math.SQRT1_2, 0, Math.SQRT1_2, 0] }] } },
    [-2, -1, -1],
    [6, 1, 1],
  ],
])("%s has its size", (_, shape, min, max) => {
  expect(bounds(shape)).toEqual({ min, max });
});

test("a cone points up, a half-space along its normal", () => {
  const [cone] = partsOf({ name: "b", shape: { cone: { half_height: 1, radius: 1 } } });
  const points = cone?.geometry().getAttribute("position");
  const top = Array.from({ length: points?.count ?? 0 }, (_, i) => new Vector3().fromBufferAttribute(points as never, i)).filter((p) => p.z > 0.9);
  expect(top.every((p) => Math.hypot(p.x, p.y) < 1e-6)).toBe(true);
  const [plane] = partsOf({ name: "b", shape: { half_space: { normal: [2, 0, 0] } } });
  expect(plane?.plane).toBe(true);
  expect(new Vector3(0, 0, 1).transformDirection(plane?.local as never).x).toBeCloseTo(1);
});
