/** From shapes to triangles. */

import * as three from "three";
import { ConvexGeometry } from "three/addons/geometries/ConvexGeometry.js";
import type { FileBody, Look, Placed, Shape, Vec, Visual } from "./types";

/** A simple shape in the frame of its body, with the size taken out. */
export interface Part {
  /** Parts of equal keys share a geometry. */
  key: string;
  /** Triangles, fewer the higher the level. */
  geometry: (level?: number) => three.BufferGeometry;
  /** How many levels there are. */
  levels: number;
  /** The length that its triangles must suit, in m: a radius, the least half extent of a box. */
  size: number;
  /** Place and size in the frame of the body. */
  local: three.Matrix4;
  /** Drawn as a large plane. */
  plane: boolean;
  look: Look;
}

/** Sides of round shapes, from level to level. */
const SIDES = [36, 18, 10, 6];

/** The z axis of the engine's cylinders is the y axis of three's. */
const UPRIGHT = new three.Matrix4().makeRotationX(Math.PI / 2);

/** What is seen of a body: what its scene says, else what collides. */
export function partsOf(body: FileBody): Part[] {
  const own: Placed[] = body.shape ? [{ shape: body.shape }] : [];
  const seen: Visual[] = body.visual?.length ? body.visual : [...own, ...(body.colliders ?? [])];
  return seen.flatMap((p) => {
    const look = { colour: p.colour ?? (p.finish ? undefined : body.colour), finish: p.finish ?? body.finish };
    return parts(p, new three.Matrix4()).map((part) => ({ ...part, look }));
  });
}

type Shaped = Omit<Part, "look">;

function parts(placed: Placed, frame: three.Matrix4): Shaped[] {
  const here = frame.clone().multiply(place(placed));
  if ("compound" in placed.shape) return placed.shape.compound.parts.flatMap((p) => parts(p, here));
  if ("capsule" in placed.shape) return capsule(placed.shape.capsule, here);
  return [simple(placed.shape, here)];
}

/** A piece of a size, in a class of pieces of about that size. */
function scaled(key: string, here: three.Matrix4, scale: Vec, levels: number, geometry: Part["geometry"]): Shaped {
  const size = key === "box" ? Math.min(...scale) : scale[0];
  const sort = Math.round(Math.log2(Math.max(size, 1e-9)) / 2);
  return { key: `${key} ${sort}`, geometry, levels, size, local: here.clone().scale(new three.Vector3(...scale)), plane: false };
}

/** Two caps and what is between them: scaling a whole one would stretch its caps. */
function capsule({ radius: r, half_length: h }: { radius: number; half_length: number }, here: three.Matrix4): Shaped[] {
  const side = scaled("side", here, [r, r, h], SIDES.length, (level = 0) => {
    return new three.CylinderGeometry(1, 1, 2, SIDES[level], 1, true).applyMatrix4(UPRIGHT);
  });
  const caps = [0, Math.PI].map((turn) => {
    const at = here.clone().multiply(new three.Matrix4().makeRotationX(turn)).multiply(new three.Matrix4().makeTranslation(0, 0, h));
    return scaled("cap", at, [r, r, r], SIDES.length, (level = 0) => {
      const sides = SIDES[level] ?? 6;
      return new three.SphereGeometry(1, sides, Math.ceil(sides / 5), 0, 2 * Math.PI, 0, Math.PI / 2).applyMatrix4(UPRIGHT);
    });
  });
  return [side, ...caps];
}

function place({ position, orientation }: Placed): three.Matrix4 {
  const [w, x, y, z] = orientation ?? [1, 0, 0, 0];
  const rotation = new three.Quaternion(x, y, z, w).normalize();
  return new three.Matrix4().compose(new three.Vector3(...(position ?? [0, 0, 0])), rotation, new three.Vector3(1, 1, 1));
}

function simple(shape: Exclude<Shape, { compound: unknown }>, here: three.Matrix4): Shaped {
  const round = (key: string, size: Vec, make: (sides: number) => three.BufferGeometry) => {
    return scaled(key, here, size, SIDES.length, (level = 0) => make(SIDES[level] ?? 6));
  };
  if ("ball" in shape) {
    const r = shape.ball.radius;
    return round("ball", [r, r, r], (sides) => new three.SphereGeometry(1, sides, Math.ceil(0.6 * sides)));
  }
  if ("box" in shape) {
    return scaled("box", here, shape.box.half_extents, 2, (level = 0) => (level === 0 ? bevelled() : new three.BoxGeometry(2, 2, 2)));
  }
  if ("cylinder" in shape) {
    const { radius: r, half_height: h } = shape.cylinder;
    return round("cylinder", [r, r, h], (sides) => new three.CylinderGeometry(1, 1, 2, sides).applyMatrix4(UPRIGHT));
  }
  if ("cone" in shape) {
    const { radius: r, half_height: h } = shape.cone;
    return round("cone", [r, r, h], (sides) => new three.ConeGeometry(1, 2, sides).applyMatrix4(UPRIGHT));
  }
  if ("half_space" in shape) {
    const normal = new three.Vector3(...shape.half_space.normal).normalize();
    const turn = new three.Quaternion().setFromUnitVectors(new three.Vector3(0, 0, 1), normal);
    const local = here.multiply(new three.Matrix4().makeRotationFromQuaternion(turn));
    return { key: "half_space", geometry: () => new three.PlaneGeometry(1, 1), levels: 1, size: 1, local, plane: true };
  }
  return { key: JSON.stringify(shape), geometry: () => own(shape), levels: 1, size: 1, local: here, plane: false };
}

/** A cube with edges that `looks.ts` cuts off by as much as the size of the box allows: each corner
 * has a vertex for each of its three faces, and what is between them has no area until then. */
export function bevelled(): three.BufferGeometry {
  const [points, normals, faces]: number[][] = [[], [], []];
  const at = (corner: number, axis: number) => 3 * corner + axis;
  for (let corner = 0; corner < 8; corner += 1) {
    const p = [0, 1, 2].map((k) => (corner & (1 << k) ? 1 : -1));
    for (let axis = 0; axis < 3; axis += 1) {
      points?.push(...p);
      normals?.push(...[0, 1, 2].map((k) => (k === axis ? (p[k] ?? 0) : 0)));
    }
    const odd = (p[0] ?? 0) * (p[1] ?? 0) * (p[2] ?? 0) < 0;
    faces?.push(at(corner, 0), at(corner, odd ? 2 : 1), at(corner, odd ? 1 : 2));
  }
  const quad = (a: number, b: number, c: number, d: number, turned: boolean) => {
    faces?.push(...(turned ? [a, c, b, a, d, c] : [a, b, c, a, c, d]));
  };
  for (let axis = 0; axis < 3; axis += 1) {
    const [u, v] = [1 << ((axis + 1) % 3), 1 << ((axis + 2) % 3)];
    for (const side of [0, 1 << axis]) {
      quad(at(side, axis), at(side | u, axis), at(side | u | v, axis), at(side | v, axis), side === 0);
    }
    // The four edges along this axis, between the faces of the other two.
    const [p, q, along] = [(axis + 1) % 3, (axis + 2) % 3, 1 << axis];
    for (const [c, turned] of [[0, false], [u, true], [u | v, false], [v, true]] as const) {
      quad(at(c, p), at(c, q), at(c | along, q), at(c | along, p), turned);
    }
  }
  const geometry = new three.BufferGeometry();
  geometry.setAttribute("position", new three.Float32BufferAttribute(points ?? [], 3));
  geometry.setAttribute("normal", new three.Float32BufferAttribute(normals ?? [], 3));
  geometry.setIndex(faces ?? []);
  return geometry;
}

/** Shapes that are no scaled copies of one another. */
function own(shape: Shape): three.BufferGeometry {
  if ("convex_hull" in shape) {
    return new ConvexGeometry(shape.convex_hull.points.map((p) => new three.Vector3(...p)));
  }
  if ("tri_mesh" in shape) return mesh(shape.tri_mesh.vertices, shape.tri_mesh.triangles.flat());
  if ("sdf" in shape) return mesh(shape.sdf.vertices, shape.sdf.triangles.flat());
  if ("height_field" in shape) return terrain(shape.height_field);
  return new three.BufferGeometry();
}

/** Flat shaded: collision meshes have hard edges. */
function mesh(vertices: Vec[], triangles: number[]): three.BufferGeometry {
  const geometry = new three.BufferGeometry();
  geometry.setAttribute("position", new three.BufferAttribute(Float32Array.from(vertices.flat()), 3));
  geometry.setIndex(triangles);
  const flat = geometry.toNonIndexed();
  flat.computeVertexNormals();
  return flat;
}

interface HeightField {
  heights: number[];
  nx: number;
  ny: number;
  size_x: number;
  size_y: number;
}

function terrain({ heights, nx, ny, size_x, size_y }: HeightField): three.BufferGeometry {
  const vertices: Vec[] = heights.map((z, k) => {
    const [i, j] = [k % nx, Math.floor(k / nx)];
    return [(i / (nx - 1) - 0.5) * size_x, (j / (ny - 1) - 0.5) * size_y, z];
  });
  const triangles: number[] = [];
  for (let j = 0; j + 1 < ny; j += 1) {
    for (let i = 0; i + 1 < nx; i += 1) {
      const k = j * nx + i;
      triangles.push(k, k + 1, k + nx + 1, k, k + nx + 1, k + nx);
    }
  }
  return mesh(vertices, triangles);
}
