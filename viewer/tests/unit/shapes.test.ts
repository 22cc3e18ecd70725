import { Box3, Vector3 } from "three";
import { expect, test } from "vitest";
import { bevelled, partsOf } from "../../src/shapes";
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

test("a box whose edges are cut is closed and faces outward", () => {
  const geometry = bevelled();
  const [points, normals, index] = [geometry.getAttribute("position"), geometry.getAttribute("normal"), geometry.getIndex()];
  const vertex = (i: number) => {
    const p = new Vector3().fromBufferAttribute(points as never, i);
    const n = new Vector3().fromBufferAttribute(normals as never, i);
    const cut = (x: number, along: number) => x - 0.1 * Math.sign(x) * (1 - Math.abs(along));
    return new Vector3(cut(p.x, n.x), cut(p.y, n.y), cut(p.z, n.z));
  };
  const edges = new Map<string, number>();
  expect(index?.count).toBe(3 * 44);
  for (let i = 0; i < (index?.count ?? 0); i += 3) {
    const [a, b, c] = [0, 1, 2].map((k) => index?.getX(i + k) ?? 0) as [number, number, number];
    const [p, q, r] = [vertex(a), vertex(b), vertex(c)];
    const normal = q.clone().sub(p).cross(r.clone().sub(p));
    expect(normal.dot(p.clone().add(q).add(r)), `triangle ${i / 3}`).toBeGreaterThan(0);
    for (const [u, v] of [[a, b], [b, c], [c, a]]) edges.set(`${u} ${v}`, (edges.get(`${u} ${v}`) ?? 0) + 1);
  }
  for (const [edge, count] of edges) {
    const [u, v] = edge.split(" ");
    expect([count, edges.get(`${v} ${u}`)], edge).toEqual([1, 1]);
  }
});

test("what a scene shows is drawn in place of what collides", () => {
  const shape: Shape = { box: { half_extents: [1, 1, 1] } };
  const parts = partsOf({ name: "b", shape, colour: "#102030", finish: "paint", visual: [{ shape: { ball: { radius: 3 } } }, { shape, finish: "glass" }] });
  expect(parts.map((part) => part.look)).toEqual([{ colour: "#102030", finish: "paint" }, { colour: undefined, finish: "glass" }]);
  expect(parts[0]?.key).toMatch(/^ball/);
});
