/** The scene file as text: what the schema says where the cursor is, and what is wrong, where it is. */

import { h } from "./dom";
import { offsetOf, placeAt } from "./json";
import { advise, type Schema } from "./schema";
import type { Scene } from "./types";

/** Larger files are not shown: browsers crawl with them. */
const MOST = 3_000_000;
/** More fields at once help nobody. */
const FIELDS = 60;

export interface Bench {
  file(): Promise<string>;
  schema(): Promise<string>;
  /** Shows the scene of a text; says what is wrong with it. */
  run(text: string): Promise<string | null>;
}

export class Editor {
  readonly root: HTMLElement;
  private text = h("textarea", { id: "source", "aria-label": "scene file, JSON", spellcheck: "false", autocapitalize: "off", autocomplete: "off" });
  private wrong = h("p", { id: "wrong", role: "alert", hidden: "" });
  private advice = h("div", { id: "advice" });
  private schema: Schema | null = null;
  /** Whether the text was changed since it came. */
  private touched = false;
  private stale = true;

  constructor(private bench: Bench) {
    const run = h("button", { id: "run", type: "button", class: "text", title: "Ctrl and Enter" }, "run this");
    run.onclick = () => void this.run();
    const again = h("button", { id: "reload", type: "button", class: "text" }, "the scene that is shown");
    again.onclick = () => {
      [this.touched, this.stale] = [false, true];
      void this.fill();
    };
    this.text.oninput = () => {
      this.touched = true;
      this.advise();
    };
    this.text.onkeyup = this.text.onclick = () => this.advise();
    this.text.onkeydown = (e) => {
      if (e.key === "Enter" && (e.ctrlKey || e.metaKey)) {
        e.preventDefault();
        void this.run();
      }
    };
    this.root = h("div", {}, h("div", { class: "row" }, run, again), this.text, this.wrong, this.advice);
  }

  /** Another scene is shown. */
  scene({ chosen }: Scene, open: boolean) {
    if (chosen !== "dropped") this.mine = false;
    this.stale = !this.mine;
    if (this.stale) this.touched = false;
    if (open) void this.fill();
  }

  /** Whether the scene that is shown is the text that stands here. */
  mine = false;

  /** Brings the text of the scene, unless it was changed. */
  async fill() {
    if (!this.stale || this.touched) return;
    this.stale = false;
    const text = await this.bench.file().catch(() => "");
    this.schema ??= await this.bench.schema().then((s) => JSON.parse(s) as Schema, () => null);
    // Whoever typed meanwhile keeps what was typed.
    if (this.touched || this.mine) return this.advise();
    const large = text.length > MOST;
    this.text.value = large ? "" : compact(text);
    this.text.placeholder = large ? `This scene has ${Math.round(text.length / 1e6)} MB of text: too much to edit here. Save it and use an editor of yours.` : "";
    this.text.setSelectionRange(0, 0);
    this.say(null);
    this.advise();
  }

  private async run() {
    const [text, before] = [this.text.value, this.mine];
    // The scene may come before the answer, or after it.
    this.mine = true;
    const wrong = await this.bench.run(text);
    this.say(wrong);
    if (wrong !== null) this.mine = before;
    if (wrong === null) {
      [this.touched, this.stale] = [false, false];
      return;
    }
    const at = whereOf(wrong, text);
    if (at === null) return;
    const [start, end] = lineAt(text, at);
    this.text.focus();
    this.text.setSelectionRange(start, end);
    // Browsers do not scroll to a selection by themselves.
    const line = text.slice(0, start).split("\n").length - 1;
    const height = this.text.scrollHeight / Math.max(1, text.split("\n").length);
    this.text.scrollTop = line * height - this.text.clientHeight / 2;
    this.advise();
  }

  private say(wrong: string | null) {
    this.wrong.toggleAttribute("hidden", wrong === null);
    this.wrong.textContent = wrong;
  }

  /** What the schema says of the place of the cursor. */
  private advise() {
    if (!this.schema) return this.advice.replaceChildren();
    const { path, key } = placeAt(this.text.value, this.text.selectionStart);
    const { about, fields, values } = advise(this.schema, path);
    const title = path.map((step) => (typeof step === "number" ? `[${step}]` : `.${step}`)).join("").replace(/^\./, "");
    const buttons = (key ? fields.slice(0, FIELDS) : []).map(({ name, about, required, value }) => {
      const pick = h("button", { type: "button", class: "text", title: `${required ? "needed. " : ""}${about}` }, name);
      pick.onclick = () => this.insert(`"${name}": ${value}`);
      return pick;
    });
    const choices = (key ? [] : values).map((value) => {
      const pick = h("button", { type: "button", class: "text" }, value);
      pick.onclick = () => this.insert(value);
      return pick;
    });
    this.advice.replaceChildren(h("p", {}, h("b", {}, title || "scene"), `: ${about}`), ...buttons, ...choices);
    return undefined;
  }

  /** Types something in, with the commas that it needs. */
  private insert(what: string) {
    const { value, selectionStart: from, selectionEnd: to } = this.text;
    const [before, after] = [value.slice(0, from).trimEnd().at(-1) ?? "", value.slice(to).trimStart()[0] ?? ""];
    const text = `${"{[,:".includes(before) ? "" : ", "}${what}${"}],".includes(after) ? "" : ", "}`;
    this.text.setRangeText(text, from, to, "end");
    this.touched = true;
    this.text.focus();
    this.advise();
  }
}

/** The same with every list of numbers on one line. (Strings have no line ends.) */
export function compact(text: string): string {
  return text.replace(/\[\n\s*([-+.\deE,\s]+?)\n\s*\]/g, (_, numbers: string) => `[${numbers.replace(/\s+/g, " ")}]`);
}

/** Where a mistake is: at its line and column, else at the field that it names. */
export function whereOf(wrong: string, text: string): number | null {
  const found = /\(line (\d+), column (\d+)\)/.exec(wrong);
  if (found) {
    const lines = text.split("\n").slice(0, Number(found[1]) - 1);
    return lines.reduce((sum, line) => sum + line.length + 1, 0) + Math.max(0, Number(found[2]) - 1);
  }
  return offsetOf(text, /^([^:\s]+):/.exec(wrong)?.[1] ?? "");
}

function lineAt(text: string, at: number): [number, number] {
  const end = text.indexOf("\n", at);
  return [text.lastIndexOf("\n", at - 1) + 1, end < 0 ? text.length : end];
}
