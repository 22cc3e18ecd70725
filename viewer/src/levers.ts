/** Sliders for what can be changed while a scene runs: motors, limits, gravity, friction; and the
 * branches that were kept. */

import { h } from "./dom";
import type { Frame } from "./frame";
import type { Command, Lever, Limit, Scene, SceneFile, Status } from "./types";

/** Longer lists help nobody. */
const MOST = 60;

export class Levers {
  readonly root: HTMLElement;
  private motors = h("details", { id: "motors" });
  private limits = h("details", { id: "limits" });
  private world = h("div");
  private branches = h("div", { id: "branches" });
  private sliders: Slider[] = [];
  private gravity: Slider;
  private frictions = new Map<string, Slider>();
  private status_: Status | null = null;
  private shown = "";
  private unsaid = h("p", { id: "unsaid", class: "about", hidden: "" }, "Bodies were pulled, or limits, solver or steps changed: the saved scene has no word for that, and does not repeat it.");

  constructor(private send: (command: Command) => void, saveScene: () => void, controls: HTMLElement) {
    this.gravity = new Slider("gravity", "gravity", "m/s²", [0, 25], (gravity) => {
      const settings = this.status_?.settings;
      if (settings) send({ settings: { ...settings, gravity } });
    });
    const save = h("button", { id: "save-scene", type: "button", class: "text" }, "save the scene with what was driven");
    save.onclick = saveScene;
    this.root = h(
      "div",
      {},
      h("h2", {}, "Drive"),
      h("p", { id: "how", class: "about" }),
      controls,
      this.motors,
      this.limits,
      save,
      this.unsaid,
      h("h2", {}, "World"),
      this.gravity.root,
      this.world,
      h("h2", { id: "branches-title" }, "Branches"),
      this.branches,
    );
  }

  scene({ header, levers = [], limits = [] }: Scene) {
    const driven = (header.scene.controls ?? []).length > 0;
    const how = this.root.querySelector("#how");
    if (how) how.textContent = driven ? "Hold a key or a button. The machine goes by itself until you touch one." : levers.length > 0 ? "Move a slider: it takes over from the scene." : "Nothing here has a motor.";
    const order = levers.map((lever, i) => ({ lever, i })).sort((a, b) => Math.sign(b.lever.controls.length) - Math.sign(a.lever.controls.length));
    this.sliders = [];
    const rows = order.slice(0, MOST).map(({ lever, i }) => {
      const slider = new Slider(`lever-${i}`, lever.name, unitOf(lever), rangeOf(lever, header.scene, limits), (target) => {
        this.send({ drive: { lever: i, target } });
      });
      this.sliders[i] = slider;
      return slider.root;
    });
    fill(this.motors, `motors (${levers.length})`, rows, levers.length - rows.length);
    this.motors.open = !driven && levers.length > 0;
    const ends = limits.slice(0, MOST).flatMap((limit) => this.ends(limit));
    fill(this.limits, `limits (${limits.length})`, ends, limits.length - MOST);
    this.frictions.clear();
    this.world.replaceChildren();
    if (this.status_) this.status(this.status_);
  }

  /** Two sliders, which cannot pass one another. */
  private ends({ joint, angle, range }: Limit): HTMLElement[] {
    const [low, high] = range.map((x) => x ?? NaN) as [number, number];
    const unit = angle ? "rad" : "m";
    const room = Number.isFinite(high - low) ? high - low : 1;
    const now: [number, number] = [low, high];
    if (!Number.isFinite(low) || !Number.isFinite(high)) return [];
    return [0, 1].map((end) => {
      const slider = new Slider(`limit-${joint}-${end}`, `${joint}: ${end === 0 ? "least" : "most"}`, unit, [low - room, high + room], (value) => {
        now[end] = end === 0 ? Math.min(value, now[1] - 1e-3 * room) : Math.max(value, now[0] + 1e-3 * room);
        slider.show(now[end] ?? value);
        this.send({ limit: { joint, angle, range: [now[0], now[1]] } });
      });
      slider.show(now[end] ?? 0);
      return slider.root;
    });
  }

  /** Shows the targets of a frame. */
  frame({ targets }: Frame) {
    this.sliders.forEach((slider, i) => slider.show(targets[i] ?? NaN));
  }

  status(status: Status) {
    this.status_ = status;
    this.unsaid.toggleAttribute("hidden", !status.unsaid);
    const gravity = status.settings?.gravity;
    if (typeof gravity === "number") this.gravity.show(gravity);
    for (const [name, friction] of Object.entries(status.frictions ?? {})) {
      const known = this.frictions.get(name);
      const slider = known ?? new Slider(`friction-${name}`, name === "default" ? "friction" : `friction: ${name}`, "", [0, 1.5], (value) => {
        this.send({ friction: { material: name, friction: value } });
      });
      if (!known) {
        this.frictions.set(name, slider);
        this.world.append(slider.root);
      }
      slider.show(friction);
    }
    this.list(status);
  }

  private list({ branches }: Status) {
    const text = JSON.stringify(branches);
    if (text === this.shown) return;
    this.shown = text;
    const { current = 1, kept = [] } = branches ?? {};
    const rows = kept.map(({ number, from, to }) => {
      const button = h("button", { type: "button", class: "text branch", "data-branch": String(number) }, `branch ${number}: frames ${from} to ${to}`);
      button.onclick = () => this.send({ branch: number });
      return button;
    });
    const about = kept.length > 0 ? `This is branch ${current}. Others, as they were left:` : "Go back in time and change something: what was left is kept here.";
    this.branches.replaceChildren(h("p", { class: "about" }, about), ...rows);
  }
}

function fill(details: HTMLElement, title: string, rows: HTMLElement[], more: number) {
  details.toggleAttribute("hidden", rows.length === 0);
  const rest = more > 0 ? [h("p", { class: "about" }, `and ${more} more`)] : [];
  details.replaceChildren(h("summary", {}, title), ...rows, ...rest);
}

function unitOf({ kind, angle }: Lever): string {
  const [length, rate, force] = angle ? ["rad", "rad/s", "N·m"] : ["m", "m/s", "N"];
  return { velocity: rate, winch: rate, position: length, force }[kind];
}

/** What a motor may be told: as its control says, its script does, or its limits allow. */
export function rangeOf(lever: Lever, scene: SceneFile, limits: Limit[]): [number, number] {
  const control = scene.controls?.[lever.controls[0] ?? -1];
  if (control) return control.range;
  const limit = limits.find((l) => l.joint === lever.name && l.angle === lever.angle)?.range;
  if (lever.kind === "position" && limit && limit[0] !== null && limit[1] !== null) return [limit[0], limit[1]];
  const keys = (scene.drives ?? []).flatMap(({ motor, winch }) => {
    const drive = motor?.joint === lever.name ? motor : winch?.cable === lever.name ? winch : undefined;
    return drive?.keys.map(([, value]) => Math.abs(value)) ?? [];
  });
  const usual = { velocity: lever.angle ? 5 : 1, winch: 1, position: lever.angle ? 1.5 : 0.5, force: 1000 }[lever.kind];
  const most = keys.some((x) => x > 0) ? 1.5 * Math.max(...keys) : usual;
  return [-most, most];
}

/** A slider with its name and value. It follows what comes unless it is held. */
class Slider {
  readonly root: HTMLElement;
  private input: HTMLInputElement;
  private value = h("output");
  private held = false;

  constructor(id: string, name: string, private unit: string, range: [number, number], change: (value: number) => void) {
    this.input = h("input", { id, type: "range", min: String(range[0]), max: String(range[1]), step: "any" });
    this.input.oninput = () => {
      this.say(Number(this.input.value));
      change(Number(this.input.value));
    };
    this.input.onpointerdown = () => (this.held = true);
    this.input.onpointerup = this.input.onpointercancel = () => (this.held = false);
    this.root = h("label", { class: "slider", for: id }, h("span", {}, name), this.value, this.input);
  }

  show(value: number) {
    this.input.disabled = Number.isNaN(value);
    if (this.held || Number.isNaN(value)) return;
    // What a file says may lie beyond.
    if (value > Number(this.input.max)) this.input.max = String(value);
    if (value < Number(this.input.min)) this.input.min = String(value);
    if (Math.abs(Number(this.input.value) - value) > 1e-9) this.input.value = String(value);
    this.say(value);
  }

  private say(value: number) {
    const small = Math.abs(value) < 1e-4 ? 0 : value;
    const text = `${+small.toPrecision(3)} ${this.unit}`.trim();
    this.value.value = text;
    this.input.setAttribute("aria-valuetext", text);
  }
}
