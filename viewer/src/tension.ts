/** Colours of ropes by what they carry, and what the colours mean in N. */

import * as three from "three";
import { amount, h } from "./dom";
import { type Frame, JOINT_WORDS, vec } from "./frame";
import type { Header } from "./types";

const SLACK = new three.Color(0x9aa3ab);
/** From nothing to the most: green, yellow, red. */
const STOPS = [0x2f8f5b, 0xe3b52c, 0xd8402f].map((c) => new three.Color(c)) as [three.Color, three.Color, three.Color];

export class Tension {
  /** The largest tension so far in the scene: the end of the scale. */
  most = 0;
  private scene: Header | null = null;

  /** Lets the scale reach as far as a frame needs. */
  widen(scene: Header, { tensions, details }: Frame, loads: Iterable<number> = []) {
    if (this.scene !== scene) [this.scene, this.most] = [scene, 0];
    for (const load of loads) if (load > this.most) this.most = load;
    for (const tension of tensions) if (tension > this.most) this.most = tension;
    if (!details) return;
    scene.joints.forEach((joint, i) => {
      if (joint.kind === "distance") this.most = Math.max(this.most, Math.hypot(...vec(details.joints, JOINT_WORDS * i)) || 0);
    });
  }

  colour(tension: number): three.Color {
    if (!(tension > 0) || this.most === 0) return SLACK;
    const share = Math.min(1, tension / this.most);
    const [low, middle, high] = STOPS;
    return share < 0.5 ? low.clone().lerp(middle, 2 * share) : middle.clone().lerp(high, 2 * share - 1);
  }
}

/** A bar of all colours with the tensions at its ends. */
export class TensionLegend {
  readonly root = h("figure", { id: "tension", hidden: "" });
  private most = h("output");
  private last = "";

  constructor() {
    const bar = h("i");
    bar.style.background = `linear-gradient(90deg, ${STOPS.map((c) => `#${c.getHexString()}`).join(", ")})`;
    this.root.append(h("figcaption", {}, "tension"), h("span", {}, "0"), bar, this.most);
  }

  show(scale: Tension) {
    const text = scale.most > 0 ? amount(scale.most, "N") : "";
    if (text === this.last) return;
    this.last = text;
    this.root.toggleAttribute("hidden", text === "");
    this.most.value = text;
  }
}
