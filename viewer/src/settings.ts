/** A form for settings that are named numbers, choices and switches. */

import { h, select } from "./dom";
import type { Setting, Settings } from "./types";

/** Choices that cannot be seen from the value; null is shown as "auto". */
const CHOICES: Record<string, (string | null)[]> = {
  friction: ["box", "cone", "ccp", "polyhedral:8", "last_step", "frictionless_pass"],
  integrator: ["energy_momentum", "semi_implicit_euler", "moreau_midpoint"],
  backend: [null, "Dual", "Primal", "Skyline"],
};

/** Null means something else than "auto" here. */
const ABSENT: Record<string, string> = { geometric_stiffness: "off", max_iterations: "solver's" };

/** Units of numbers that have one. */
const UNITS: Record<string, string> = { dt: "s", tolerance: "J", gravity: "m/s²" };

export function form(prefix: string, settings: Settings, change: (settings: Settings) => void, refuse: (reason: string) => void): HTMLElement {
  let sent = settings;
  const rows = Object.entries(settings).filter(isPlain).map(([name, value]) => {
    const id = `${prefix}-${name}`;
    const input = field(id, name, value, (next) => {
      sent = { ...sent, [name]: next };
      change(sent);
    }, refuse);
    return h("label", { for: id, class: "row" }, h("span", {}, name.replaceAll("_", " ") + (UNITS[name] ? `, ${UNITS[name]}` : "")), input);
  });
  return h("div", { class: "form" }, ...rows);
}

/** What is wrong with a text in the field of a number; null: nothing. An empty field means none. */
export function mistake(name: string, text: string): string | null {
  if (text.trim() === "" || Number.isFinite(Number(text))) return null;
  return `${name.replaceAll("_", " ")}: expected a number, found "${text.trim()}"`;
}

/** Settings within settings are for scene files and the library. */
function isPlain([name, value]: [string, unknown]): boolean {
  return name !== "adaptive" && (typeof value !== "object" || value === null);
}

/** Whether something was typed into one of the fields and not sent yet. */
export function unsent(forms: HTMLElement): boolean {
  const field = document.activeElement;
  return field instanceof HTMLInputElement && forms.contains(field) && field.value !== field.defaultValue;
}

function field(id: string, name: string, value: Setting, change: (value: Setting) => void, refuse: (reason: string) => void): HTMLElement {
  const listed = CHOICES[name];
  if (listed) {
    // A scene file may say more than can be chosen here; what it says stays a choice.
    const choices = typeof value === "string" && !listed.includes(value) ? [...listed, value] : listed;
    const texts = choices.map((c): [string, string] => [c ?? "", (c ?? "auto").replaceAll("_", " ")]);
    const element = select(id, name, texts, (text) => change(text === "" ? null : text));
    element.value = String(value ?? "");
    return element;
  }
  if (typeof value === "boolean") {
    const box = h("input", { id, type: "checkbox" });
    box.checked = value;
    box.onchange = () => change(box.checked);
    return box;
  }
  const input = h("input", { id, type: "text", inputmode: "decimal", placeholder: ABSENT[name] ?? "auto", spellcheck: "false" });
  input.defaultValue = value === null ? "" : typeof value === "number" ? String(+value.toPrecision(6)) : value;
  input.onchange = () => {
    const wrong = mistake(name, input.value);
    if (wrong !== null) {
      input.value = input.defaultValue;
      return refuse(wrong);
    }
    input.defaultValue = input.value;
    const text = input.value.trim();
    change(text === "" ? null : typeof value === "string" ? text : Number(text));
  };
  return input;
}
