/** Cables as tubes: straight from station to station, wrapped around pulleys, coloured by tension.
 *
 * The way follows from the poses of the bodies, as in `cables/path.rs`, so that recordings hold
 * tensions alone. */

import * as three from "three";
import type { Bodies } from "./bodies";
import type { Frame } from "./frame";
import { Tension } from "./tension";
import type { FileCable, Station } from "./types";

/** Sides of a tube, and the angle between points of an arc. */
const SIDES = 8;
const ARC = 0.15;

interface Node {
  at: three.Vector3;
  circle: { axis: three.Vector3; e1: three.Vector3; e2: three.Vector3; radius: number; turns: number } | null;
  comes: number;
  leaves: number;
}

/** A point of a line with the tension there. */
interface Bead {
  at: three.Vector3;
  tension: number;
}

export class Cables {
  readonly root = new three.Group();
  /** Points of all lines, for the tests. */
  points = 0;
  readonly scale = new Tension();
  private material = new three.MeshStandardMaterial({ vertexColors: true, roughness: 0.6 });

  update(frame: Frame, bodies: Bodies, size: number) {
    const cables = bodies.header.scene.cables ?? [];
    for (const child of [...this.root.children]) {
      child.removeFromParent();
      (child as three.Mesh).geometry.dispose();
    }
    this.points = 0;
    let first = 0;
    for (const cable of cables) {
      const spans = cable.closed ? cable.via.length : cable.via.length - 1;
      const tensions = frame.tensions.slice(first, first + spans);
      first += spans;
      if (Number.isNaN(tensions[0])) continue;
      const beads = line(cable, bodies, tensions);
      this.points += beads.length;
      if (beads.length < 2) continue;
      // Belts are stouter than ropes.
      const mesh = new three.Mesh(tube(beads, (cable.closed ? 0.008 : 0.0022) * size, (t) => this.scale.colour(t)), this.material);
      mesh.castShadow = true;
      mesh.frustumCulled = false;
      this.root.add(mesh);
    }
  }
}

/** The stations in the world; those that the cable does not touch are left out. */
export function line(cable: FileCable, bodies: Bodies, tensions: ArrayLike<number>): Bead[] {
  let nodes = cable.via.map((station, k) => ({ ...place(station, bodies), k }));
  const closed = cable.closed ?? false;
  for (let round = 0; round <= cable.via.length; round += 1) {
    connect(nodes, closed);
    const lifted = nodes.findIndex((n, i) => n.circle && !isEnd(nodes, i, closed) && wrap(n) < 0);
    if (lifted < 0 || nodes.length <= 2) break;
    nodes = nodes.filter((_, i) => i !== lifted);
  }
  const beads: Bead[] = [];
  nodes.forEach((node, i) => {
    const [before, after] = [tensions[node.k - 1] ?? tensions[tensions.length - 1] ?? 0, tensions[node.k] ?? 0];
    if (!node.circle) {
      beads.push({ at: node.at, tension: i === 0 ? after : before });
      return;
    }
    const full = 2 * Math.PI * node.circle.turns;
    const end = isEnd(nodes, i, closed);
    const angle = end ? full : wrap(node) + full;
    const from = end && i === 0 ? node.leaves - angle : node.comes;
    const steps = Math.max(1, Math.ceil(angle / ARC));
    const first = end && i === 0 ? after : before;
    const last = end && i > 0 ? before : after;
    for (let s = 0; s <= steps; s += 1) {
      beads.push({ at: onCircle(node, from + (angle * s) / steps), tension: first + ((last - first) * s) / steps });
    }
  });
  const start = beads[0];
  if (closed && start) beads.push({ ...start });
  return beads;
}

function place(station: Station, bodies: Bodies): Node {
  const body = bodies.header.bodies.findIndex((b) => b.name === station.body);
  const pose = body < 0 ? new three.Matrix4() : bodies.pose(body).clone();
  const at = new three.Vector3(...(station.point ?? [0, 0, 0])).applyMatrix4(pose);
  if (!station.pulley) return { at, circle: null, comes: 0, leaves: 0 };
  const { turns = 0, growth = 0 } = station.pulley;
  const radius = station.pulley.radius + growth * turns;
  const axis = new three.Vector3(...station.pulley.axis).transformDirection(pose);
  const e1 = new three.Vector3(Math.abs(axis.x) < 0.6 ? 1 : 0, Math.abs(axis.x) < 0.6 ? 0 : 1, 0).cross(axis).normalize();
  return { at, circle: { axis, e1, e2: axis.clone().cross(e1), radius, turns }, comes: 0, leaves: 0 };
}

function isEnd(nodes: Node[], i: number, closed: boolean): boolean {
  return !closed && (i === 0 || i === nodes.length - 1);
}

/** From −π/2 to 3π/2: below nothing where the cable does not touch. */
function wrap(node: Node): number {
  const turn = 2 * Math.PI;
  const raw = node.leaves - node.comes + Math.PI / 2;
  return raw - turn * Math.floor(raw / turn) - Math.PI / 2;
}

function onCircle({ at, circle }: Node, angle: number): three.Vector3 {
  if (!circle) return at.clone();
  const [c, s] = [circle.radius * Math.cos(angle), circle.radius * Math.sin(angle)];
  return at.clone().addScaledVector(circle.e1, c).addScaledVector(circle.e2, s);
}

/** The angle at which the way to a point leaves a circle, or that from it comes in. */
function tangent({ at, circle }: Node, point: three.Vector3, leaves: boolean): number {
  if (!circle) return 0;
  const d = point.clone().sub(at);
  const lead = Math.acos(Math.min(1, circle.radius / Math.max(d.length(), 1e-12)));
  return Math.atan2(d.dot(circle.e2), d.dot(circle.e1)) + (leaves ? -lead : lead);
}

/** Finds where spans touch the circles, by turns. */
function connect(nodes: Node[], closed: boolean) {
  const pairs = nodes.map((a, i) => [a, nodes[(i + 1) % nodes.length]] as const).slice(0, closed ? undefined : -1);
  for (const [a, b] of pairs) {
    if (!b) continue;
    let [p, q] = [a.at, b.at];
    for (let i = 0; i < 30; i += 1) {
      a.leaves = tangent(a, q, true);
      p = onCircle(a, a.leaves);
      b.comes = tangent(b, p, false);
      q = onCircle(b, b.comes);
    }
  }
}

/** A tube along a line. */
function tube(beads: Bead[], radius: number, colour: (tension: number) => three.Color): three.BufferGeometry {
  const points: number[] = [];
  const normals: number[] = [];
  const colours: number[] = [];
  const faces: number[] = [];
  let across = new three.Vector3(0, 0, 0);
  beads.forEach((bead, i) => {
    const [a, b] = [beads[Math.max(0, i - 1)] ?? bead, beads[Math.min(beads.length - 1, i + 1)] ?? bead];
    const along = b.at.clone().sub(a.at).normalize();
    // Carried along, so that the tube does not twist.
    across = across.addScaledVector(along, -across.dot(along));
    if (across.lengthSq() < 1e-6) across = new three.Vector3(Math.abs(along.x) < 0.6 ? 1 : 0, 0.3, Math.abs(along.z) < 0.6 ? 1 : 0).cross(along);
    across.normalize();
    const third = along.clone().cross(across);
    const shade = colour(bead.tension);
    for (let s = 0; s < SIDES; s += 1) {
      const angle = (2 * Math.PI * s) / SIDES;
      const normal = across.clone().multiplyScalar(Math.cos(angle)).addScaledVector(third, Math.sin(angle));
      const p = bead.at.clone().addScaledVector(normal, radius);
      points.push(p.x, p.y, p.z);
      normals.push(normal.x, normal.y, normal.z);
      colours.push(shade.r, shade.g, shade.b);
      if (i + 1 === beads.length) continue;
      const [o, n] = [SIDES * i + s, SIDES * i + ((s + 1) % SIDES)];
      faces.push(o, n, o + SIDES, n, n + SIDES, o + SIDES);
    }
  });
  const geometry = new three.BufferGeometry();
  geometry.setAttribute("position", new three.Float32BufferAttribute(points, 3));
  geometry.setAttribute("normal", new three.Float32BufferAttribute(normals, 3));
  geometry.setAttribute("color", new three.Float32BufferAttribute(colours, 3));
  geometry.setIndex(faces);
  return geometry;
}
