/** Frames as the server sends them; `frame.rs` is the other side. */

import type { Vec } from "./types";

export const FIGURE_NAMES = [
  "step_ms",
  "solve_ms",
  "real_time_factor",
  "iterations",
  "factorizations",
  "rows",
  "contacts",
  "islands",
  "kinetic_energy",
  "potential_energy",
  "energy_error",
  "relative_residual",
  "penetration",
  "joint_gap",
  "unconverged",
] as const;

export type Figure = (typeof FIGURE_NAMES)[number];

export function figure(figures: Float32Array, name: Figure): number {
  return figures[FIGURE_NAMES.indexOf(name)] ?? NaN;
}

export interface Held {
  body: number;
  /** In the frame of the body. */
  point: Vec;
  target: Vec;
  force: Vec;
}

export interface Frame {
  generation: number;
  number: number;
  newest: number;
  time: number;
  figures: Float32Array;
  held: Held | null;
  /** x, y, z per body. */
  positions: Float32Array;
  /** x, y, z, w per body, as three.js has them. */
  rotations: Float32Array;
  /** Tension of each span of each cable, NaN for those that are gone. */
  tensions: Float32Array;
  /** Targets of motors and winches, NaN for those that are gone; none in recordings. */
  targets: Float32Array;
  /** x, y, z and stress of each node on the surfaces of soft bodies. */
  skins: Float32Array;
  details: Details | null;
  /** How the solver split the system, where that came with a recording. */
  subsystems?: Int32Array | null;
}

export const CONTACT_WORDS = 10;
export const JOINT_WORDS = 7;
export type ContactState = "open" | "sticking" | "sliding";
export const STATES: ContactState[] = ["open", "sticking", "sliding"];

export interface Details {
  /** Velocity and angular velocity, six numbers per body. */
  velocities: Float32Array;
  /** Island per body, or −1. */
  islands: Int32Array;
  /** First body of the subsystem that the solver put it in, or −1. */
  subsystems: Int32Array;
  contacts: Contacts;
  /** Force and torque on b, force of the motor: seven numbers per joint. */
  joints: Float32Array;
}

/** Contact points, read in place. Bodies beyond the list are −1. */
export class Contacts {
  constructor(
    readonly count: number,
    private words: Int32Array,
    private floats: Float32Array,
  ) {}
  a(i: number): number {
    return this.words[CONTACT_WORDS * i] ?? -1;
  }
  b(i: number): number {
    return this.words[CONTACT_WORDS * i + 1] ?? -1;
  }
  state(i: number): ContactState {
    return STATES[this.words[CONTACT_WORDS * i + 2] ?? 0] ?? "open";
  }
  point(i: number): Vec {
    return vec(this.floats, CONTACT_WORDS * i + 3);
  }
  gap(i: number): number {
    return this.floats[CONTACT_WORDS * i + 9] ?? NaN;
  }
  /** On b. */
  force(i: number): Vec {
    return vec(this.floats, CONTACT_WORDS * i + 6);
  }
}

export function vec(a: ArrayLike<number>, i: number): Vec {
  return [a[i] ?? 0, a[i + 1] ?? 0, a[i + 2] ?? 0];
}

const HEAD = 6 + FIGURE_NAMES.length + 10;

/** Throws a RangeError where the message is shorter than it says. */
export function decodeFrame(buffer: ArrayBuffer): Frame {
  const words = new Int32Array(buffer, 0, HEAD + 1);
  if (words[0] !== 1) throw new RangeError(`a message of kind ${words[0]}`);
  const head = new Float32Array(buffer, 0, HEAD + 1);
  const n = words[HEAD] ?? 0;
  let at = 4 * (HEAD + 1);
  const positions = new Float32Array(buffer, at, 3 * n);
  at += 12 * n;
  const packed = new Int16Array(buffer, at, 4 * n);
  at += 8 * n;
  const spans = new Int32Array(buffer, at, 1)[0] ?? 0;
  at += 4;
  const tensions = new Float32Array(buffer, at, spans);
  at += 4 * spans;
  const motors = new Int32Array(buffer, at, 1)[0] ?? 0;
  const targets = new Float32Array(buffer, at + 4, motors);
  at += 4 + 4 * motors;
  const nodes = new Int32Array(buffer, at, 1)[0] ?? 0;
  const skins = new Float32Array(buffer, at + 4, 4 * nodes);
  at += 4 + 16 * nodes;
  const grabbed = 6 + FIGURE_NAMES.length;
  const body = words[grabbed] ?? -1;
  const held = { body, point: vec(head, grabbed + 1), target: vec(head, grabbed + 4), force: vec(head, grabbed + 7) };
  const follows = new Int32Array(buffer, at, 1)[0];
  return {
    generation: words[1] ?? 0,
    number: words[2] ?? 0,
    newest: words[3] ?? 0,
    time: head[4] ?? 0,
    figures: head.slice(6, 6 + FIGURE_NAMES.length),
    held: body < 0 ? null : held,
    positions,
    rotations: unpack(packed, n),
    tensions,
    targets,
    skins,
    details: follows ? decodeDetails(buffer, at + 4, n) : null,
  };
}

/** From w, x, y, z of 16 bits to x, y, z, w of unit length. */
function unpack(packed: Int16Array, n: number): Float32Array {
  const rotations = new Float32Array(4 * n);
  for (let i = 0; i < 4 * n; i += 4) {
    const [w, x, y, z] = [packed[i] ?? 0, packed[i + 1] ?? 0, packed[i + 2] ?? 0, packed[i + 3] ?? 0];
    const length = Math.hypot(w, x, y, z) || 1;
    rotations[i] = x / length;
    rotations[i + 1] = y / length;
    rotations[i + 2] = z / length;
    rotations[i + 3] = w / length;
  }
  return rotations;
}

/** Details as the server and recordings have them. */
export function decodeDetails(buffer: ArrayBuffer, start: number, n: number): Details {
  let at = start;
  const velocities = new Float32Array(buffer, at, 6 * n);
  at += 24 * n;
  const islands = new Int32Array(buffer, at, n);
  at += 4 * n;
  const subsystems = new Int32Array(buffer, at, n);
  at += 4 * n;
  const contacts = new Int32Array(buffer, at, 1)[0] ?? 0;
  at += 4;
  const words = new Int32Array(buffer, at, CONTACT_WORDS * contacts);
  const floats = new Float32Array(buffer, at, CONTACT_WORDS * contacts);
  at += 4 * CONTACT_WORDS * contacts;
  const joints = new Int32Array(buffer, at, 1)[0] ?? 0;
  at += 4;
  return {
    velocities,
    islands,
    subsystems,
    contacts: new Contacts(contacts, words, floats),
    joints: new Float32Array(buffer, at, JOINT_WORDS * joints),
  };
}

/** How the solver split the system: the first body of each body's subsystem, or −1; null if it did not. */
export function subsystemsOf(frame: Frame | null): Int32Array | null {
  const found = frame?.subsystems ?? frame?.details?.subsystems ?? null;
  return found?.some((first) => first >= 0) ? found : null;
}
