/** Driving: keys, a gamepad or buttons move the controls that a scene declares. */

import { h } from "./dom";
import type { Command, Control, Scene } from "./types";

/** With shift held, controls move by this share. */
const GENTLE = 0.35;

/** What a gamepad of the standard layout says instead of a key: an axis and its sign. */
const AXES: Record<string, [number, 1 | -1]> = {
  a: [0, -1], d: [0, 1], w: [1, -1], s: [1, 1], left: [2, -1], right: [2, 1], up: [3, -1], down: [3, 1],
};
/** Sticks at rest are not quite in the middle. */
const DEAD = 0.15;

const SIGNS: Record<string, string> = { up: "↑", down: "↓", left: "←", right: "→" };
export const shownKey = (key: string) => SIGNS[key] ?? key.toUpperCase();

/** The name that scene files have for a key. */
export function nameOf(key: string): string {
  return key.startsWith("Arrow") ? key.slice(5).toLowerCase() : key.toLowerCase();
}

/** How far a control is moved by what is pressed, from −1 to 1. */
export function deflection(control: Control, pressed: (key: string) => number, gentle: boolean): number {
  const [up, down] = control.keys.map(pressed) as [number, number];
  return (up - down) * (gentle ? GENTLE : 1);
}

export class Driving {
  readonly root = h("div", { id: "controls" });
  /** What to press, where a machine can be driven. */
  readonly hint = h("button", { id: "hint", type: "button", class: "text", hidden: "" });
  private controls: Control[] = [];
  private keys = new Set<string>();
  private held = new Set<string>();
  private gentle = false;
  private sent: number[] = [];
  /** Whether a recording is shown: nothing moves. */
  private live = false;

  constructor(private send: (command: Command) => void, open: () => void) {
    this.hint.onclick = open;
    // Keys that are let go elsewhere are not heard of.
    addEventListener("blur", () => this.release());
  }

  scene({ header, live }: Scene) {
    this.live = live;
    this.controls = live ? (header.scene.controls ?? []) : [];
    this.keys = new Set(this.controls.flatMap((c) => c.keys));
    this.sent = this.controls.map(() => 0);
    this.held.clear();
    this.root.replaceChildren(...this.rows());
    this.hint.toggleAttribute("hidden", this.controls.length === 0);
    const words = this.groups().map(([keys, name]) => h("span", {}, ...inOrder(keys).map((key) => h("kbd", {}, shownKey(key))), ` ${name}`));
    // Those who touch have no keys.
    this.hint.replaceChildren(h("span", { class: "touch" }, "drive it"), ...words);
  }

  /** Whether a key belongs to a control, whatever else it may mean. */
  has(key: string): boolean {
    return this.keys.has(nameOf(key));
  }

  /** What keys do, for the list of keys. */
  get list(): [string, string][] {
    const rows = this.groups().map(([keys, name]): [string, string] => [inOrder(keys).map(shownKey).join(" "), name]);
    return rows.length > 0 ? [...rows, ["⇧", "with one of these: gently"]] : [];
  }

  /** A key went down or up; says whether it was one of a control. */
  key(e: KeyboardEvent, down: boolean): boolean {
    if (e.key === "Shift" && this.gentle !== down) {
      this.gentle = down;
      this.update();
    }
    if (!this.has(e.key)) return false;
    this.press(nameOf(e.key), down);
    return true;
  }

  private press(key: string, down: boolean) {
    if (down) this.held.add(key);
    else this.held.delete(key);
    this.update();
  }

  private release() {
    this.held.clear();
    this.gentle = false;
    this.update();
  }

  /** Sends what changed. Called for every picture too, for gamepads tell nothing by themselves. */
  update() {
    if (!this.live || this.controls.length === 0) return;
    const pad = navigator.getGamepads?.().find((p) => p?.mapping === "standard");
    const pressed = (key: string) => Math.max(this.held.has(key) ? 1 : 0, pad ? stick(pad, key) : 0);
    this.controls.forEach((control, i) => {
      const now = deflection(control, pressed, this.gentle);
      if (Math.abs(now - (this.sent[i] ?? 0)) < 0.02 && !(now === 0 && this.sent[i] !== 0)) return;
      this.sent[i] = now;
      this.send({ control: { control: i, deflection: now } });
    });
    for (const button of this.root.querySelectorAll("button")) {
      button.classList.toggle("held", this.held.has(button.dataset.key ?? ""));
    }
  }

  /** Controls by their keys: several may share them. */
  private groups(): [[string, string], string][] {
    const groups = new Map<string, [[string, string], string]>();
    for (const { keys, name } of this.controls) if (!groups.has(keys.join())) groups.set(keys.join(), [keys, name]);
    return [...groups.values()];
  }

  private rows(): HTMLElement[] {
    return this.groups().map(([keys, name]) => {
      const buttons = inOrder(keys).map((key) => this.button(key, name));
      return h("div", { class: "row", role: "group", "aria-label": name }, h("span", {}, name), ...buttons);
    });
  }

  /** Drives as long as it is held, by pointer or by the keys that press buttons. */
  private button(key: string, name: string): HTMLButtonElement {
    const button = h("button", { type: "button", class: "text drive", "data-key": key, "aria-label": `${name}: ${key}` }, shownKey(key));
    button.onpointerdown = (e) => {
      button.setPointerCapture(e.pointerId);
      this.press(key, true);
    };
    button.onpointerup = button.onpointercancel = () => this.press(key, false);
    button.onkeydown = (e) => {
      if (e.key !== " " && e.key !== "Enter") return;
      e.preventDefault();
      if (!e.repeat) this.press(key, true);
    };
    button.onkeyup = (e) => {
      if (e.key === " " || e.key === "Enter") this.press(key, false);
    };
    button.onblur = () => this.press(key, false);
    button.oncontextmenu = (e) => e.preventDefault();
    return button;
  }
}

/** Left before right. */
function inOrder([up, down]: [string, string]): string[] {
  return ["a", "left"].includes(down) ? [down, up] : [up, down];
}

/** How far a stick or button of a gamepad is pressed in place of a key. */
function stick(pad: Gamepad, key: string): number {
  const shoulder = key === "q" ? pad.buttons[4] : key === "e" ? pad.buttons[5] : undefined;
  if (shoulder) return shoulder.value;
  const [axis, sign] = AXES[key] ?? [-1, 1];
  const value = sign * (pad.axes[axis] ?? 0);
  return value > DEAD ? (value - DEAD) / (1 - DEAD) : 0;
}
