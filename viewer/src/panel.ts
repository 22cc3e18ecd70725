/** The panel beside the picture: what is shown, the solver, a body, plots. */

import type { Colouring } from "./bodies";
import { CONTACT_COLOURS, colour } from "./colours";
import { check, h, select } from "./dom";
import { type Overlay, OVERLAYS } from "./overlays";
import { form, unsent } from "./settings";
import type { Command, Hello, Scene, Status } from "./types";

export interface Actions {
  send(command: Command): void;
  overlay(name: Overlay, on: boolean): void;
  colouring(by: Colouring): void;
  follow(on: boolean): void;
  pull(on: boolean): void;
  opened(tab: Tab | null): void;
}

export const TABS = ["view", "solver", "body", "plots"] as const;
export type Tab = (typeof TABS)[number];

export class Panel {
  readonly root: HTMLElement;
  readonly pages: Record<Tab, HTMLElement>;
  open: Tab | null = "view";
  private solverPage = h("div");
  private scenes: HTMLSelectElement;
  private size = h("input", { id: "size", type: "text", inputmode: "numeric", "aria-label": "size", placeholder: "size" });
  private about = h("p", { class: "about" });
  private named: HTMLElement[] = [];
  /** Subsystems in the legend that the solver made. */
  private parts = -1;
  private groups = h("div", { class: "legend", id: "groups", hidden: "" });
  private forces = h("p", { class: "about", hidden: "" }, "A recording holds motion, not forces.");
  private hello: Hello | null = null;
  private last = "";

  constructor(private actions: Actions, plots: HTMLElement) {
    this.scenes = select("scenes", "scene", [], () => this.load());
    this.size.onchange = () => this.load();
    this.pages = {
      view: this.viewPage(),
      solver: this.solverPage,
      body: h("div", { id: "facts" }),
      plots: plots,
    };
    const tabs = TABS.map((tab) => {
      const element = h("button", { id: `tab-${tab}`, type: "button", role: "tab" }, tab);
      element.onclick = () => this.show(this.open === tab ? null : tab);
      return element;
    });
    const bar = h("nav", { id: "tabs", role: "tablist" }, ...tabs);
    this.root = h("aside", { id: "panel" }, bar, ...TABS.map((tab) => h("section", { id: `page-${tab}` }, this.pages[tab])));
    this.show(matchMedia("(max-width: 700px)").matches ? null : "view");
  }

  show(tab: Tab | null) {
    this.open = tab;
    this.root.classList.toggle("closed", tab === null);
    for (const name of TABS) {
      this.root.querySelector(`#page-${name}`)?.toggleAttribute("hidden", name !== tab);
      this.root.querySelector(`#tab-${name}`)?.setAttribute("aria-selected", String(name === tab));
    }
    this.actions.opened(tab);
  }

  private viewPage(): HTMLElement {
    const { actions } = this;
    const overlay = (name: Overlay, text: string) => check(`show-${name}`, text, false, (on) => actions.overlay(name, on));
    const colours: [string, string][] = [["bodies", "kind of body"], ["islands", "island"], ["groups", "subsystem"]];
    const legend = Object.entries(CONTACT_COLOURS).map(([state, value]) => {
      const text = { open: "open (tight)", sticking: "sticking (free)", sliding: "sliding (tight)" }[state] ?? state;
      return swatch(`#${value.toString(16).padStart(6, "0")}`, text);
    });
    return h(
      "div",
      {},
      h("div", { class: "row", id: "choose" }, this.scenes, this.size),
      this.about,
      h("h2", {}, "Show"),
      overlay("contacts", "contact points and forces"),
      overlay("states", "free and tight contacts"),
      h("div", { class: "legend", id: "legend", hidden: "" }, ...legend),
      overlay("joints", "joint axes and forces"),
      this.forces,
      h("p", { id: "scale", class: "about" }),
      h("h2", {}, "Colour by"),
      select("colour", "colour by", colours, (by) => actions.colouring(by as Colouring)),
      this.groups,
      h("h2", {}, "Mouse"),
      check("pull", "dragging a body pulls it", true, (on) => actions.pull(on)),
      check("follow", "follow the selected body", false, (on) => actions.follow(on)),
    );
  }

  private load() {
    const name = this.scenes.value;
    const size = Number.parseInt(this.size.value, 10);
    const start = name === "" ? {} : { name, ...(size > 0 ? { size } : {}) };
    this.actions.send({ scene: start });
  }

  greet(hello: Hello) {
    this.hello = hello;
    const options = hello.scenes.map((s) => h("option", { value: s.name, title: s.summary }, s.name));
    this.scenes.replaceChildren(h("option", { value: "" }, "as started"), ...options);
  }

  scene({ header, live }: Scene) {
    this.last = "";
    const known = this.hello?.scenes.find((s) => s.name === header.scene.name);
    if (known && this.scenes.value !== "") this.scenes.value = known.name;
    const size = known ? ` Size: ${known.size} ${known.size_of}, unless another is given.` : "";
    this.about.textContent = (header.scene.meta?.description ?? "") + size;
    this.size.placeholder = known ? String(known.size) : "size";
    this.root.querySelector("#choose")?.toggleAttribute("hidden", this.hello === null);
    this.forces.toggleAttribute("hidden", live);
    for (const name of OVERLAYS) this.pages.view.querySelector(`#show-${name}`)?.toggleAttribute("disabled", !live);
    const names = Object.keys(header.scene.groups ?? {}).slice(0, 24);
    this.named = names.map((name, i) => swatch(`#${colour(i).getHexString()}`, name));
    this.parts = -1;
    this.split(null);
    if (!live) this.solverPage.replaceChildren(h("p", { class: "about" }, "A recording is played as it is."));
  }

  /** The legend of subsystems: as many as the solver has, else those the scene names. */
  split(subsystems: Int32Array | null) {
    const count = new Set(subsystems?.filter((first) => first >= 0)).size;
    if (count === this.parts) return;
    this.parts = count;
    if (count > 0) this.groups.replaceChildren(`The solver works on ${count} subsystem${count > 1 ? "s" : ""}.`);
    else this.groups.replaceChildren(...(this.named.length > 0 ? this.named : ["The scene has no subsystems."]));
  }

  status(status: Status) {
    const { solver, settings } = status;
    const text = JSON.stringify([solver, settings]);
    // Rebuilding takes the cursor out of the field one types in.
    if (!solver || !settings || !this.hello || text === this.last || unsent(this.solverPage)) return;
    this.last = text;
    const name = Object.keys(solver)[0] ?? "";
    const entry = this.hello.solvers.find((s) => s.name === name);
    const names = this.hello.solvers.map((s): [string, string] => [s.name, s.name]);
    const choose = select("solver", "solver", names, (next) => {
      const defaults = this.hello?.solvers.find((s) => s.name === next)?.defaults;
      if (defaults) this.actions.send({ solver: defaults });
    });
    choose.value = name;
    this.solverPage.replaceChildren(
      choose,
      h("p", { class: "about" }, entry?.summary ?? ""),
      h("p", { class: "about" }, entry ? `Limits: ${entry.limits}.` : ""),
      form("solver", solver[name] ?? {}, (next) => this.change({ solver: { [name]: next } })),
      h("h2", {}, "Engine"),
      form("engine", settings, (next) => this.change({ settings: next })),
    );
  }

  /** Sends settings. What comes back is shown, as sent or as it was. */
  private change(command: Command) {
    this.last = "";
    this.actions.send(command);
  }
}

function swatch(colour: string, text: string): HTMLElement {
  return h("span", {}, h("i", { style: `background: ${colour}` }), text);
}
