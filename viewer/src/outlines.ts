/** What follows from a body's pose and mass: its frame, centre of mass, inertia and bounds. */

import * as three from "three";
import { Arrows, Dots } from "./arrows";
import type { Bodies } from "./bodies";
import type { BodyInfo } from "./types";

const AXES = [0xe5484d, 0x30a46c, 0x3e63dd].map((c) => new three.Color(c));
const CENTRE = new three.Color(0x111418);
const INERTIA = new three.Color(0xd6409f);
const BOUNDS = new three.Color(0x0e9888);

/** More at once is a thicket. */
const MOST = 2000;

export class Outlines {
  readonly root = new three.Group();
  readonly lines = new Arrows();
  readonly dots = new Dots();
  /** Boxes of equal inertia, in the frames of their bodies. */
  private boxes = new WeakMap<BodyInfo, { half: three.Vector3; turn: three.Quaternion }>();

  constructor() {
    this.root.add(this.lines.root, this.dots.root);
  }

  update(on: Set<string>, bodies: Bodies, size: number) {
    this.lines.clear();
    this.dots.clear();
    const some = ["frames", "centres", "inertia", "bounds"].some((name) => on.has(name));
    bodies.header.bodies.slice(0, some ? MOST : 0).forEach((info, i) => {
      if (bodies.hidden.has(i)) return;
      const pose = bodies.pose(i).clone();
      const centre = new three.Vector3(...(info.centre ?? [0, 0, 0])).applyMatrix4(pose);
      const turn = bodies.rotation[i] ?? new three.Quaternion();
      if (on.has("frames")) {
        const origin = new three.Vector3().setFromMatrixPosition(pose);
        const length = Math.max(0.6 * bodies.reachOf(i), 0.01 * size);
        AXES.forEach((colour, k) => this.lines.add(origin, new three.Vector3().setComponent(k, length).applyQuaternion(turn), 0.002 * size, colour));
      }
      if (on.has("centres") && info.mass > 0) this.dots.add(centre, 0.007 * size, CENTRE);
      if (on.has("inertia") && info.mass > 0 && info.inertia) {
        const box = this.boxes.get(info) ?? equalBox(info.mass, info.inertia);
        this.boxes.set(info, box);
        this.box(centre, turn.clone().multiply(box.turn), box.half, 0.0012 * size, INERTIA);
      }
      if (on.has("bounds")) {
        const bounds = bodies.boundsOf(i);
        if (!bounds.isEmpty()) this.box(bounds.getCenter(new three.Vector3()), new three.Quaternion(), bounds.getSize(new three.Vector3()).multiplyScalar(0.5), 0.0012 * size, BOUNDS);
      }
    });
    this.lines.finish();
    this.dots.finish();
  }

  private box(at: three.Vector3, turn: three.Quaternion, half: three.Vector3, width: number, colour: three.Color) {
    for (let axis = 0; axis < 3; axis += 1) {
      for (let corner = 0; corner < 4; corner += 1) {
        const from = half.clone().negate();
        if (corner & 1) from.setComponent((axis + 1) % 3, half.getComponent((axis + 1) % 3));
        if (corner & 2) from.setComponent((axis + 2) % 3, half.getComponent((axis + 2) % 3));
        const along = new three.Vector3().setComponent(axis, 2 * half.getComponent(axis)).applyQuaternion(turn);
        this.lines.add(from.applyQuaternion(turn).add(at), along, width, colour, false);
      }
    }
  }
}

/** The solid box of that mass and inertia. */
export function equalBox(mass: number, [xx, yy, zz, yz, xz, xy]: [number, number, number, number, number, number]) {
  const { values, turn } = principal([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]);
  const sum = values[0] + values[1] + values[2];
  // Ixx = m/3 (hy² + hz²), and so on.
  const half = new three.Vector3(...values.map((x) => Math.sqrt(Math.max(0, (1.5 * (sum - 2 * x)) / mass))));
  return { half, turn };
}

/** Principal moments and axes, by Jacobi's rotations. */
function principal(a: number[][]): { values: [number, number, number]; turn: three.Quaternion } {
  const at = (i: number, k: number) => a[i]?.[k] ?? 0;
  const v = [[1, 0, 0], [0, 1, 0], [0, 0, 1]];
  for (let round = 0; round < 12; round += 1) {
    for (const [p, q] of [[0, 1], [0, 2], [1, 2]] as const) {
      if (Math.abs(at(p, q)) < 1e-14 * (Math.abs(at(p, p)) + Math.abs(at(q, q)))) continue;
      const angle = 0.5 * Math.atan2(2 * at(p, q), at(p, p) - at(q, q));
      const [c, s] = [Math.cos(angle), Math.sin(angle)];
      const rotate = (m: number[][], i: number, k: number) => {
        for (const row of m) [row[i], row[k]] = [c * (row[i] ?? 0) + s * (row[k] ?? 0), c * (row[k] ?? 0) - s * (row[i] ?? 0)];
      };
      rotate(a, p, q);
      const [rp, rq] = [a[p] ?? [], a[q] ?? []];
      for (let k = 0; k < 3; k += 1) [rp[k], rq[k]] = [c * (rp[k] ?? 0) + s * (rq[k] ?? 0), c * (rq[k] ?? 0) - s * (rp[k] ?? 0)];
      rotate(v, p, q);
    }
  }
  const axis = (k: number) => new three.Vector3(...v.map((row) => row[k] ?? 0));
  const [x, y] = [axis(0), axis(1)];
  const basis = new three.Matrix4().makeBasis(x, y, x.clone().cross(y));
  return { values: [at(0, 0), at(1, 1), at(2, 2)], turn: new three.Quaternion().setFromRotationMatrix(basis) };
}
