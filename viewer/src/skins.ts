/** Soft bodies: their surfaces, which move node by node, in their colours or by stress. */

import * as three from "three";
import { amount, h } from "./dom";
import type { Frame } from "./frame";
import type { Header } from "./types";

/** Where a soft body has no colour of its own. */
const COLOURS = ["#d98b6a", "#6aa9d9", "#8fc46b", "#c48fc9", "#d9c46a"];
/** From nothing to the largest stress so far: blue, green, yellow, red. */
const STOPS = [0x2f5fb5, 0x2f9f6b, 0xe3c52c, 0xd8402f].map((c) => new three.Color(c));

export class Skins {
  readonly root = new three.Group();
  /** The largest stress so far in Pa: the end of the scale. */
  most = 0;
  /** Whether colours show stress. */
  stressed = true;
  /** Told when colours are to show something else. */
  changed: () => void = () => undefined;
  readonly legend = h("figure", { id: "stress", hidden: "" });
  private end = h("output");
  private header: Header | null = null;

  constructor() {
    const bar = h("i");
    bar.style.background = `linear-gradient(90deg, ${STOPS.map((c) => `#${c.getHexString()}`).join(", ")})`;
    const box = h("input", { id: "stressed", type: "checkbox", "aria-label": "colour soft bodies by stress" });
    box.checked = this.stressed;
    // What colours mean is said only while they mean it.
    const scale = h("span", { class: "scale" }, "0", bar, this.end);
    box.onchange = () => {
      this.stressed = box.checked;
      scale.toggleAttribute("hidden", !box.checked);
      this.changed();
    };
    this.legend.append(h("label", {}, box, "stress"), scale);
  }

  /** Draws them for a frame. */
  update(frame: Frame, header: Header) {
    if (this.header !== header) this.begin(header);
    let first = 0;
    for (let i = 3; i < frame.skins.length; i += 4) this.most = Math.max(this.most, frame.skins[i] ?? 0);
    for (const child of this.root.children) {
      const mesh = child as three.Mesh<three.BufferGeometry, three.MeshStandardMaterial>;
      const at = mesh.geometry.getAttribute("position") as three.BufferAttribute;
      const colours = mesh.geometry.getAttribute("color") as three.BufferAttribute;
      const own = new three.Color(mesh.userData.colour as string);
      mesh.visible = frame.skins.length >= 4 * (first + at.count);
      if (!mesh.visible) continue;
      for (let k = 0; k < at.count; k += 1) {
        const i = 4 * (first + k);
        at.setXYZ(k, frame.skins[i] ?? 0, frame.skins[i + 1] ?? 0, frame.skins[i + 2] ?? 0);
        const { r, g, b } = this.stressed ? this.colour(frame.skins[i + 3] ?? 0) : own;
        colours.setXYZ(k, r, g, b);
      }
      at.needsUpdate = true;
      colours.needsUpdate = true;
      mesh.geometry.computeVertexNormals();
      first += at.count;
    }
    this.legend.toggleAttribute("hidden", this.root.children.length === 0);
    this.end.value = this.most > 0 ? amount(this.most, "Pa") : "";
  }

  /** The colour of a stress. */
  colour(stress: number): three.Color {
    const place = this.most > 0 ? Math.min(1, Math.max(0, stress / this.most)) * (STOPS.length - 1) : 0;
    const low = Math.min(STOPS.length - 2, Math.floor(place));
    return (STOPS[low] as three.Color).clone().lerp(STOPS[low + 1] as three.Color, place - low);
  }

  private begin(header: Header) {
    this.header = header;
    this.most = 0;
    for (const child of [...this.root.children]) {
      child.removeFromParent();
      (child as three.Mesh).geometry.dispose();
    }
    (header.skins ?? []).forEach((skin, i) => {
      const geometry = new three.BufferGeometry();
      geometry.setAttribute("position", new three.BufferAttribute(new Float32Array(3 * skin.nodes), 3));
      geometry.setAttribute("color", new three.BufferAttribute(new Float32Array(3 * skin.nodes), 3));
      geometry.setIndex(skin.triangles.flat());
      const material = new three.MeshStandardMaterial({ vertexColors: true, roughness: 0.55 });
      const mesh = new three.Mesh(geometry, material);
      mesh.userData.colour = header.scene.soft_bodies?.[i]?.colour ?? COLOURS[i % COLOURS.length];
      mesh.castShadow = true;
      mesh.receiveShadow = true;
      mesh.frustumCulled = false;
      this.root.add(mesh);
    });
  }
}
