/** What is known of bodies, joints and cables over time; `series.rs` has the same columns. */

import { h, select } from "./dom";
import { type Contacts, FIGURE_NAMES } from "./frame";
import type { Header, SeriesKind, Subject } from "./types";

export interface Column {
  name: string;
  unit: string;
}

export const SERIES: Record<SeriesKind, Column[]> = {
  body: [
    { name: "x", unit: "m" },
    { name: "y", unit: "m" },
    { name: "z", unit: "m" },
    { name: "speed", unit: "m/s" },
    { name: "rotation", unit: "rad/s" },
    { name: "contact force", unit: "N" },
  ],
  joint: [
    { name: "force", unit: "N" },
    { name: "torque", unit: "N·m" },
    { name: "motor", unit: "N or N·m" },
  ],
  cable: [{ name: "tension", unit: "N" }],
  contact: [
    { name: "force", unit: "N" },
    { name: "points that press", unit: "" },
    { name: "points that slide", unit: "" },
    { name: "least gap", unit: "m" },
  ],
};

/** The bodies of a contact as text, the lower number first; what is not in the list is the world. */
export function pairOf(a: number, b: number): string {
  const [low, high] = [a, b].map((body) => (body < 0 ? Infinity : body)).sort((x, y) => x - y);
  return [low, high].map((body) => (body === Infinity ? "world" : String(body))).join("-");
}

/** The pairs of bodies that are in contact. */
function pairsOf(contacts: Contacts | undefined): string[] {
  const pairs = new Set<string>();
  for (let i = 0; contacts && i < contacts.count; i += 1) pairs.add(pairOf(contacts.a(i), contacts.b(i)));
  return [...pairs];
}

/** A number of single precision with the fewest digits that tell it; what is not known is left empty. */
function single(x: number): string {
  if (Number.isNaN(x)) return "";
  const digits = [6, 7, 8, 9].find((n) => Math.fround(Number(x.toPrecision(n))) === x);
  return String(digits === undefined ? x : Number(x.toPrecision(digits)));
}

/** The time of a frame: frames are sent with times of single precision. Where the step was changed on the way, that must do. */
function timeOf(frame: number, time: number, dt: number): string {
  const exact = frame * dt;
  return Math.fround(exact) === Math.fround(time) ? String(exact) : single(time);
}

/** Rows of frame, time and values as text, for steps of dt seconds. */
export function csv(subject: Subject | null, rows: number[][], dt: number): string {
  const columns = subject ? SERIES[subject.kind].map(({ name, unit }) => (unit ? `${name} [${unit}]` : name)) : FIGURE_NAMES;
  const texts = rows.map(([frame = 0, time = 0, ...values]) => [String(frame), timeOf(frame, time, dt), ...values.map(single)]);
  return [["frame", "time [s]", ...columns], ...texts].map((row) => row.join(",")).join("\n");
}

/** How many frames are missing between the first and the last row. */
export function missing(rows: number[][]): number {
  return rows.length > 0 ? (rows.at(-1)?.[0] ?? 0) - (rows[0]?.[0] ?? 0) + 1 - rows.length : 0;
}

/** More choices at once help nobody: the body that is selected is always one. */
const MOST = 300;

/** Chooses what is plotted. */
export class Chooser {
  readonly root: HTMLElement;
  private box: HTMLSelectElement;
  private header: Header | null = null;

  constructor(change: () => void, csv: () => void, contacts: () => Contacts | undefined) {
    this.box = select("subject", "what is plotted", [["", "the run"]], change);
    // What is in touch changes: it is listed when the list is gone to.
    this.box.onfocus = () => this.offer(pairsOf(contacts()));
    const button = h("button", { id: "csv", type: "button", class: "text" }, "CSV");
    button.onclick = csv;
    this.root = h("div", { class: "row" }, this.box, button);
  }

  scene(header: Header) {
    this.header = header;
    const { bodies, joints, scene } = header;
    const group = (label: string, kind: SeriesKind, names: string[]) => {
      const options = names.slice(0, MOST).map((name, i) => h("option", { value: `${kind} ${i}` }, name));
      return options.length > 0 ? [h("optgroup", { label }, ...options)] : [];
    };
    const spans = (scene.cables ?? []).flatMap(({ name, via, closed }, i) => {
      const count = closed ? via.length : via.length - 1;
      return Array.from({ length: count }, (_, k) => `${name ?? `cable${i}`}, span ${k}`);
    });
    this.box.replaceChildren(
      h("option", { value: "" }, "the run"),
      h("option", { value: "selected" }, "the selected body"),
      ...group("cables", "cable", spans),
      ...group("joints", "joint", joints.map((j) => j.name)),
      ...group("bodies", "body", bodies.map((b) => b.name)),
    );
  }

  /** Lists contacts; the one that is plotted stays, in touch or not. */
  private offer(pairs: string[]) {
    const { value } = this.box;
    const [kind, chosen] = value.split(" ");
    if (kind === "contact" && chosen && !pairs.includes(chosen)) pairs.unshift(chosen);
    const name = (body: string) => this.header?.bodies[Number(body)]?.name ?? "ground";
    const options = pairs.slice(0, MOST).map((pair) => h("option", { value: `contact ${pair}` }, pair.split("-").map(name).join(" on ")));
    this.box.querySelector("#contacts-plotted")?.remove();
    if (options.length > 0) this.box.append(h("optgroup", { id: "contacts-plotted", label: "contacts" }, ...options));
    this.box.value = value;
  }

  subject(selected: number): Subject | null {
    const [kind, index] = this.box.value === "selected" ? ["body", String(selected)] : this.box.value.split(" ");
    const name = (kind === "body" ? this.header?.bodies[Number(index)]?.name : this.box.selectedOptions[0]?.textContent) ?? "";
    return !kind || index === undefined || Number(index) < 0 ? null : { kind: kind as SeriesKind, index, name };
  }
}
