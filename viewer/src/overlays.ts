/** What can be laid over the bodies: contacts, joints, forces, the pull. */

import * as three from "three";
import { Arrows, Dots } from "./arrows";
import type { Bodies } from "./bodies";
import { Cables } from "./cables";
import { CONTACT_COLOURS, FORCE, GRAB, JOINT } from "./colours";
import { amount } from "./dom";
import { type Frame, JOINT_WORDS, vec } from "./frame";
import { Outlines } from "./outlines";
import { Skins } from "./skins";
import type { JointInfo } from "./types";

/** These need forces, which recordings have not. */
export const OVERLAYS = ["contacts", "states", "joints"] as const;
/** These follow from poses. */
export const OUTLINES = ["frames", "centres", "inertia", "bounds"] as const;
export type Overlay = (typeof OVERLAYS)[number] | (typeof OUTLINES)[number];

/** How the length of an arrow follows from its force: as a share of the longest one. */
const SCALES = {
  linear: { of: (share: number) => share, says: "lengths are as the forces" },
  root: { of: (share: number) => Math.sqrt(share), says: "a quarter of the force is half as long" },
  log: { of: (share: number) => Math.max(0, 1 + Math.log10(share) / 4), says: "a tenth of the force is a quarter shorter" },
};
export type Scale = keyof typeof SCALES;

export class Overlays {
  readonly root = new three.Group();
  readonly on = new Set<Overlay>();
  /** The largest force that is drawn, in N: the longest arrow. */
  largest = 0;
  /** Roots at first: else one large force hides all others. */
  scale: Scale = "root";
  readonly dots = new Dots();
  readonly forces = new Arrows();
  readonly axes = new Arrows();
  readonly reactions = new Arrows();
  readonly pull = new Arrows();
  /** Ropes, rods and arms without shape: part of the picture, always shown. */
  readonly rods = new Arrows(true);
  readonly cables = new Cables();
  readonly skins = new Skins();
  readonly outlines = new Outlines();
  private all = [this.dots, this.forces, this.axes, this.reactions, this.pull, this.rods];

  constructor() {
    this.root.add(...this.all.map((o) => o.root), this.cables.root, this.skins.root, this.outlines.root);
  }

  /** Whether something is shown that needs forces. */
  get any(): boolean {
    return OVERLAYS.some((name) => this.on.has(name));
  }

  /** Draws them for a frame; `size` is that of the scene. */
  update(frame: Frame, bodies: Bodies, size: number) {
    for (const part of this.all) part.clear();
    this.cables.scale.widen(bodies.header, frame);
    this.drawRods(frame, bodies, size);
    this.cables.update(frame, bodies, size);
    this.skins.update(frame, bodies.header);
    this.largest = this.findLargest(frame, bodies);
    if (frame.details) {
      this.contacts(frame, bodies, size);
      if (this.on.has("joints")) this.joints(frame.details.joints, bodies, size);
    }
    this.drawPull(frame, bodies, size);
    this.outlines.update(this.on, bodies, size);
    for (const part of this.all) part.finish();
  }

  private findLargest({ details }: Frame, bodies: Bodies): number {
    let largest = 0;
    if (!details) return largest;
    if (this.on.has("contacts")) {
      const { contacts } = details;
      for (let i = 0; i < contacts.count; i += 1) if (bodies.sees(contacts.a(i), contacts.b(i))) largest = Math.max(largest, Math.hypot(...contacts.force(i)));
    }
    if (this.on.has("joints")) {
      for (let i = 0; i < details.joints.length; i += JOINT_WORDS) {
        const joint = bodies.header.joints[i / JOINT_WORDS];
        const force = Math.hypot(...vec(details.joints, i));
        if (force > largest && bodies.sees(joint?.a ?? -1, joint?.b ?? -1)) largest = force;
      }
    }
    return largest;
  }

  /** What the length of arrows means, in words. */
  get meaning(): string {
    return this.largest > 0 ? `The longest arrow is ${amount(this.largest, "N")}; ${SCALES[this.scale].says}.` : "";
  }

  private length(force: number, size: number): number {
    return this.largest > 0 && force > 0 ? 0.22 * size * SCALES[this.scale].of(force / this.largest) : 0;
  }

  private contacts({ details }: Frame, bodies: Bodies, size: number) {
    if (!details) return;
    const [forces, states] = [this.on.has("contacts"), this.on.has("states")];
    if (!forces && !states) return;
    const red = new three.Color(FORCE);
    for (let i = 0; i < details.contacts.count; i += 1) {
      if (!bodies.sees(details.contacts.a(i), details.contacts.b(i))) continue;
      const point = new three.Vector3(...details.contacts.point(i));
      const state = details.contacts.state(i);
      // Open points are many and far: they show where states are asked for.
      if (states || state !== "open") {
        const colour = new three.Color(states ? CONTACT_COLOURS[state] : FORCE);
        this.dots.add(point, 0.009 * size, colour);
      }
      if (!forces || state === "open") continue;
      const force = new three.Vector3(...details.contacts.force(i));
      const length = this.length(force.length(), size);
      if (length > 0) this.forces.add(point, force.setLength(length), 0.005 * size, red);
    }
  }

  private joints(answers: Float32Array, bodies: Bodies, size: number) {
    const [blue, axis] = [new three.Color(JOINT), new three.Color(0x7d5fff)];
    bodies.header.joints.forEach((joint, i) => {
      const force = new three.Vector3(...vec(answers, JOINT_WORDS * i));
      // Joints that broke or were released, and gears, which are nowhere.
      if (Number.isNaN(force.x) || joint.kind === "gear" || !bodies.sees(joint.a ?? -1, joint.b ?? -1)) return;
      const at = anchor(joint, bodies);
      if (["hinge", "slider", "cylindrical", "universal"].includes(joint.kind)) {
        const along = axisOf(joint, bodies).multiplyScalar(0.08 * size);
        this.axes.add(at.clone().addScaledVector(along, -0.5), along, 0.003 * size, axis, false);
      }
      this.dots.add(at, 0.005 * size, blue);
      const length = this.length(force.length(), size);
      if (length > 0) this.reactions.add(at, force.setLength(length), 0.005 * size, blue);
    });
  }

  private drawRods({ details }: Frame, bodies: Bodies, size: number) {
    const grey = new three.Color(0x77808a);
    bodies.header.joints.forEach((joint, i) => {
      if ((details && Number.isNaN(details.joints[JOINT_WORDS * i] ?? 0)) || !bodies.sees(joint.a ?? -1, joint.b ?? -1)) return;
      // Ropes and rods between two points show what they carry, where that is known.
      const known = details && joint.kind === "distance";
      const tension = known ? Math.hypot(...vec(details.joints, JOINT_WORDS * i)) : 0;
      const colour = known ? this.cables.scale.colour(tension) : grey;
      for (const [from, to] of rods(joint, bodies)) this.rods.add(from, to.sub(from), 0.0025 * size, colour, false);
    });
  }

  /** The spring from the body to the mouse. */
  private drawPull({ held }: Frame, bodies: Bodies, size: number) {
    if (!held) return;
    const from = new three.Vector3(...held.point).applyMatrix4(bodies.pose(held.body));
    const along = new three.Vector3(...held.target).sub(from);
    this.pull.add(from, along, 0.004 * size, new three.Color(GRAB));
  }
}

/** Where a joint holds b, or a if b is the world. */
export function anchor(joint: JointInfo, bodies: Bodies): three.Vector3 {
  if (joint.b !== null) return new three.Vector3(...joint.anchor_b).applyMatrix4(bodies.pose(joint.b));
  const at = new three.Vector3(...joint.anchor_a);
  return joint.a === null ? at : at.applyMatrix4(bodies.pose(joint.a));
}

function axisOf(joint: JointInfo, bodies: Bodies): three.Vector3 {
  const axis = new three.Vector3(...joint.axis);
  const turn = joint.a === null ? undefined : bodies.rotation[joint.a];
  return (turn ? axis.applyQuaternion(turn) : axis).normalize();
}

/** Lines that stand for what holds: a rod or rope between its ends, and arms
 * from a body to an anchor outside of it. */
function rods(joint: JointInfo, bodies: Bodies): [three.Vector3, three.Vector3][] {
  if (joint.kind === "gear" || joint.kind === "slider" || joint.kind === "cylindrical") return [];
  const ends = [
    { body: joint.a, at: joint.anchor_a },
    { body: joint.b, at: joint.anchor_b },
  ].map(({ body, at }) => {
    const point = new three.Vector3(...at);
    return { body, arm: point.length(), point: body === null ? point : point.applyMatrix4(bodies.pose(body)) };
  });
  const lines: [three.Vector3, three.Vector3][] = [];
  for (const { body, arm, point } of ends) {
    if (body === null || !bodies.isDynamic(body) || arm <= 1.2 * bodies.reachOf(body)) continue;
    lines.push([bodies.position[body]?.clone() ?? point, point.clone()]);
  }
  const [a, b] = ends;
  if (joint.kind === "distance" && a && b) lines.push([a.point, b.point]);
  return lines;
}
