/** What is known of bodies, joints and cables over time; `series.rs` has the same columns. */

import { h, select } from "./dom";
import type { Header, SeriesKind } from "./types";

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
};

/** What is plotted: the run as a whole, or one of these. */
export type Subject = { kind: SeriesKind; index: number; name: string };

/** More choices at once help nobody: the body that is selected is always one. */
const MOST = 300;

/** Chooses what is plotted. */
export class Chooser {
  readonly root: HTMLElement;
  private box: HTMLSelectElement;
  private header: Header | null = null;

  constructor(change: () => void, csv: () => void) {
    this.box = select("subject", "what is plotted", [["", "the run"]], change);
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

  subject(selected: number): Subject | null {
    const [kind, number] = this.box.value === "selected" ? ["body", String(selected)] : this.box.value.split(" ");
    const index = Number(number);
    const name = (kind === "body" ? this.header?.bodies[index]?.name : this.box.selectedOptions[0]?.textContent) ?? "";
    return kind === "" || kind === undefined || index < 0 ? null : { kind: kind as SeriesKind, index, name };
  }
}
