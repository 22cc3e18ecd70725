/** Chains and ropes that are made of bodies: which bodies are their links, and what these carry. */

import { type Frame, JOINT_WORDS, vec } from "./frame";
import type { Header, Shape } from "./types";

/** Fewer in a row are no chain. */
const LEAST = 6;

const SOFT = new Set(["ball", "universal", "compliant"]);

/** The last digits of sizes make no difference. */
const round = (_: string, value: unknown) => (typeof value === "number" ? +value.toPrecision(3) : value);

/** What links of one chain have in common. Ropes may have segments of several lengths. */
function makeOf(mass: number, shape: Shape | undefined): string {
  const own = shape && "capsule" in shape ? { capsule: { radius: shape.capsule.radius } } : shape;
  return `${mass.toPrecision(3)} ${JSON.stringify(own, round)}`;
}

/** For each link the joints that hold it to its neighbours of equal make. */
export function linksOf({ bodies, joints, scene }: Header): Map<number, number[]> {
  const make = bodies.map((body, i) => makeOf(body.mass, scene.bodies[i]?.shape));
  const held = new Map<number, number[]>();
  const near = new Map<number, number[]>();
  joints.forEach(({ kind, a, b }, i) => {
    if (a === null || b === null || !SOFT.has(kind) || make[a] !== make[b] || (bodies[a]?.mass ?? 0) === 0) return;
    for (const [one, other] of [[a, b], [b, a]] as const) {
      held.set(one, [...(held.get(one) ?? []), i]);
      near.set(one, [...(near.get(one) ?? []), other]);
    }
  });
  const links = new Map<number, number[]>();
  const seen = new Set<number>();
  for (const start of near.keys()) {
    if (seen.has(start)) continue;
    const row = [start];
    seen.add(start);
    for (const body of row) {
      for (const next of near.get(body) ?? []) {
        if (!seen.has(next)) row.push(next);
        seen.add(next);
      }
    }
    if (row.length >= LEAST) for (const body of row) links.set(body, held.get(body) ?? []);
  }
  return links;
}

/** The largest force in a link's joints in N; 0 where it is not known. */
export function loadOf(held: number[], { details }: Frame): number {
  if (!details) return 0;
  return held.reduce((most, joint) => Math.max(most, Math.hypot(...vec(details.joints, JOINT_WORDS * joint)) || 0), 0);
}
