/** What is known of the selected body. */

import type { Bodies } from "./bodies";
import { amount, h } from "./dom";
import { type Frame, JOINT_WORDS, vec } from "./frame";

/** Rows of names and values for a body. */
export function facts(body: number, frame: Frame, bodies: Bodies): [string, string][] {
  const info = bodies.header.bodies[body];
  const at = vec(frame.positions, 3 * body);
  const rows: [string, string][] = [
    ["mass", info && info.mass > 0 ? `${+info.mass.toPrecision(4)} kg` : "not moved by forces"],
    ["position", `${at.map((x) => x.toFixed(3)).join(", ")} m`],
  ];
  const { details } = frame;
  if (!details) return rows;
  const [v, w] = [vec(details.velocities, 6 * body), vec(details.velocities, 6 * body + 3)];
  rows.push(["velocity", `${amount(Math.hypot(...v), "m/s")} (${v.map((x) => x.toFixed(2)).join(", ")})`]);
  rows.push(["rotation", amount(Math.hypot(...w), "rad/s")]);
  return [...rows, ...contactRows(body, frame, bodies), ...jointRows(body, frame, bodies)];
}

/** One row per body that it touches. */
function contactRows(body: number, { details }: Frame, bodies: Bodies): [string, string][] {
  const partners = new Map<string, { points: number; force: [number, number, number]; sliding: number }>();
  const contacts = details?.contacts;
  for (let i = 0; contacts && i < contacts.count; i += 1) {
    const [a, b] = [contacts.a(i), contacts.b(i)];
    if ((a !== body && b !== body) || contacts.state(i) === "open") continue;
    const other = bodies.header.bodies[a === body ? b : a]?.name ?? "ground";
    const sum = partners.get(other) ?? { points: 0, force: [0, 0, 0], sliding: 0 };
    const force = contacts.force(i);
    sum.points += 1;
    sum.sliding += contacts.state(i) === "sliding" ? 1 : 0;
    sum.force = [sum.force[0] + force[0], sum.force[1] + force[1], sum.force[2] + force[2]];
    partners.set(other, sum);
  }
  return [...partners].map(([other, { points, force, sliding }]) => {
    const slides = sliding > 0 ? `, ${sliding} sliding` : "";
    return [`on ${other}`, `${amount(Math.hypot(...force), "N")} at ${points} point${points > 1 ? "s" : ""}${slides}`];
  });
}

function jointRows(body: number, { details }: Frame, bodies: Bodies): [string, string][] {
  const rows: [string, string][] = [];
  bodies.header.joints.forEach((joint, i) => {
    if (!details || (joint.a !== body && joint.b !== body)) return;
    const answer = details.joints.subarray(JOINT_WORDS * i, JOINT_WORDS * (i + 1));
    const force = Math.hypot(...vec(answer, 0));
    const torque = Math.hypot(...vec(answer, 3));
    const motor = Math.abs(answer[6] ?? 0);
    const unit = joint.kind === "slider" || joint.kind === "cylindrical" ? "N" : "N·m";
    const drive = motor > 0 ? `, motor ${amount(motor, unit)}` : "";
    const text = `${joint.kind}: ${amount(force, "N")}, ${amount(torque, "N·m")}${drive}`;
    rows.push([joint.name, Number.isNaN(force) ? "broken or released" : text]);
  });
  return rows;
}

export function table(rows: [string, string][]): HTMLElement {
  return h("dl", { class: "facts" }, ...rows.flatMap(([name, value]) => [h("dt", {}, name), h("dd", {}, value)]));
}
