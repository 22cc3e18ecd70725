/** From shapes to triangles. */

import * as three from "three";
import { ConvexGeometry } from "three/addons/geometries/ConvexGeometry.js";
import type { FileBody, Placed, Shape, Vec } from "./types";

/** A simple shape in the frame of its body, with the size taken out. */
export interface Part {
  /** Parts of equal keys share a geometry. */
  key: string;
  geometry: () => three.BufferGeometry;
  /** Place and size in the frame of the body. */
  local: three.Matrix4;
  /** Drawn as a large plane. */
  plane: boolean;
}

/** The z axis of the engine's cylinders is the y axis of three's. */
const UPRIGHT = new three.Matrix4().makeRotationX(Math.PI / 2);

export function partsOf(body: FileBody): Part[] {
  const placed: Placed[] = body.shape ? [{ shape: body.shape }] : [];
  return [...placed, ...(body.colliders ?? [])].flatMap((p) => parts(p, new three.Matrix4()));
}

function parts(placed: Placed, frame: three.Matrix4): Part[] {
  const here = frame.clone().multiply(place(placed));
  if ("compound" in placed.shape) return placed.shape.compound.parts.flatMap((p) => parts(p, here));
  return [simple(placed.shape, here)];
}

function place({ position, orientation }: Placed): three.Matrix4 {
  const [w, x, y, z] = orientation ?? [1, 0, 0, 0];
  const rotation = new three.Quaternion(x, y, z, w).normalize();
  return new three.Matrix4().compose(new three.Vector3(...(position ?? [0, 0, 0])), rotation, new three.Vector3(1, 1, 1));
}

function simple(shape: Exclude<Shape, { compound: unknown }>, here: three.Matrix4): Part {
  const scaled = (key: string, x: number, y: number, z: number, geometry: Part["geometry"]): Part => {
    return { key, geometry, local: here.scale(new three.Vector3(x, y, z)), plane: false };
  };
  if ("ball" in shape) {
    const r = shape.ball.radius;
    return scaled("ball", r, r, r, () => new three.SphereGeometry(1, 32, 20));
  }
  if ("box" in shape) {
    const [x, y, z] = shape.box.half_extents;
    return scaled("box", x, y, z, () => new three.BoxGeometry(2, 2, 2));
  }
  if ("cylinder" in shape) {
    const { radius: r, half_height: h } = shape.cylinder;
    return scaled("cylinder", r, r, h, () => new three.CylinderGeometry(1, 1, 2, 32).applyMatrix4(UPRIGHT));
  }
  if ("cone" in shape) {
    const { radius: r, half_height: h } = shape.cone;
    return scaled("cone", r, r, h, () => new three.ConeGeometry(1, 2, 32).applyMatrix4(UPRIGHT));
  }
  if ("half_space" in shape) {
    const normal = new three.Vector3(...shape.half_space.normal).normalize();
    const turn = new three.Quaternion().setFromUnitVectors(new three.Vector3(0, 0, 1), normal);
    const local = here.multiply(new three.Matrix4().makeRotationFromQuaternion(turn));
    return { key: "half_space", geometry: () => new three.PlaneGeometry(1, 1), local, plane: true };
  }
  return { key: JSON.stringify(shape), geometry: () => own(shape), local: here, plane: false };
}

/** Shapes that are no scaled copies of one another. */
function own(shape: Shape): three.BufferGeometry {
  if ("capsule" in shape) {
    const { radius, half_length } = shape.capsule;
    return new three.CapsuleGeometry(radius, 2 * half_length, 10, 20).applyMatrix4(UPRIGHT);
  }
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
