/** The panel beside the picture: what is shown, the solver, a body, plots. */

import type { Colouring } from "./bodies";
import { CONTACT_COLOURS, colour } from "./colours";
import { check, h, select } from "./dom";
import type { ContactState } from "./frame";
import { type Overlay, OVERLAYS, type Scale } from "./overlays";
import { form, unsent } from "./settings";
import type { Command, Hello, Scene, Status } from "./types";

export interface Actions {
  send(command: Command): void;
  overlay(name: Overlay, on: boolean): void;
  colouring(by: Colouring): void;
  follow(on: boolean): void;
  pull(on: boolean): void;
  opened(tab: Tab | null): void;
  scale(scale: Scale): void;
  wireframe(on: boolean): void;
  transparent(on: boolean): void;
  tension(on: boolean): void;
  orthographic(on: boolean): void;
  open(): void;
  /** Says what is wrong with something that was typed. */
  refuse(reason: string): void;
}

const STATE_WORDS: Record<ContactState, string> = {
  open: "open: does not press",
  sticking: "stick: presses and holds",
  sliding: "slip: presses and slides",
};

/** In place of a name: a file that was dropped. */
const DROPPED = " dropped";

export const TABS = ["view", "drive", "solver", "body", "plots", "edit"] as const;
export type Tab = (typeof TABS)[number];

export class Panel {
  readonly root: HTMLElement;
  readonly pages: Record<Tab, HTMLElement>;
  open: Tab | null = "view";
  private solverPage = h("div");
  private scenes: HTMLSelectElement;
  private size = h("input", { id: "size", type: "text", inputmode: "numeric", "aria-label": "size", placeholder: "size" });
  private file = h("button", { id: "open", type: "button", class: "text" }, "open a scene file or recording …");
  private about = h("p", { class: "about" });
  private named: HTMLElement[] = [];
  /** Subsystems in the legend that the solver made. */
  private parts = -1;
  private groups = h("div", { class: "legend", id: "groups", hidden: "" });
  private forces = h("p", { class: "about", hidden: "" }, "This recording holds motion, not forces: taut run --with-forces, or the box below, keeps them.");
  private hello: Hello | null = null;
  private last = "";
  /** The name of the scene among those that are built in. */
  private known: string | null = null;

  constructor(private actions: Actions, plots: HTMLElement, bodies: HTMLElement, levers: HTMLElement, editor: HTMLElement) {
    this.scenes = select("scenes", "scene", [], () => {
      // It is shown already.
      if (this.scenes.value === DROPPED) return;
      // A size is that of one scene.
      this.size.value = "";
      this.load();
    });
    this.size.onchange = () => this.load();
    this.file.onclick = () => actions.open();
    this.pages = {
      view: this.viewPage(),
      drive: levers,
      solver: this.solverPage,
      body: bodies,
      plots: plots,
      edit: editor,
    };
    const tabs = TABS.map((tab) => {
      const element = h("button", { id: `tab-${tab}`, type: "button", role: "tab", "aria-controls": `page-${tab}` }, tab);
      element.onclick = () => this.show(this.open === tab ? null : tab);
      return element;
    });
    const bar = h("div", { id: "tabs", role: "tablist", "aria-label": "panel" }, ...tabs);
    bar.onkeydown = (e) => this.arrow(e, tabs);
    const pages = TABS.map((tab) => {
      return h("section", { id: `page-${tab}`, role: "tabpanel", "aria-labelledby": `tab-${tab}`, tabindex: "0" }, this.pages[tab]);
    });
    this.root = h("aside", { id: "panel", "aria-label": "settings and figures" }, bar, ...pages);
    this.show(matchMedia("(max-width: 700px)").matches ? null : "view");
  }

  /** Arrows, Home and End go from tab to tab. */
  private arrow(e: KeyboardEvent, tabs: HTMLElement[]) {
    const at = tabs.findIndex((tab) => tab === e.target);
    const ways: Record<string, number> = { ArrowLeft: at - 1, ArrowRight: at + 1, Home: 0, End: -1 };
    const to = tabs.at((ways[e.key] ?? NaN) % tabs.length);
    if (at < 0 || !(e.key in ways) || !to) return;
    e.preventDefault();
    to.focus();
    this.show(TABS[tabs.indexOf(to)] ?? null);
  }

  show(tab: Tab | null) {
    this.open = tab;
    this.root.classList.toggle("closed", tab === null);
    for (const name of TABS) {
      this.root.querySelector(`#page-${name}`)?.toggleAttribute("hidden", name !== tab);
      const button = this.root.querySelector(`#tab-${name}`);
      button?.setAttribute("aria-selected", String(name === tab));
      // One stop of the tab key for all of them.
      button?.setAttribute("tabindex", name === (tab ?? TABS[0]) ? "0" : "-1");
    }
    this.actions.opened(tab);
  }

  private viewPage(): HTMLElement {
    const { actions } = this;
    const overlay = (name: Overlay, text: string) => check(`show-${name}`, text, false, (on) => actions.overlay(name, on));
    const colours: [string, string][] = [["bodies", "kind of body"], ["islands", "island"], ["groups", "subsystem"]];
    const lengths: [string, string][] = [["root", "root"], ["linear", "linear"], ["log", "logarithm"]];
    const scales = select("arrow-scale", "length of arrows", lengths, (by) => actions.scale(by as Scale));
    const legend = Object.entries(CONTACT_COLOURS).map(([state, value]) => {
      const text = STATE_WORDS[state as ContactState];
      return swatch(`#${value.toString(16).padStart(6, "0")}`, text);
    });
    return h(
      "div",
      {},
      h("div", { class: "row", id: "choose" }, this.scenes, this.size),
      this.file,
      this.about,
      h("h2", {}, "Show"),
      overlay("contacts", "contact points and forces"),
      overlay("states", "contacts: open, stick or slip"),
      h("div", { class: "legend", id: "legend", hidden: "" }, ...legend),
      overlay("joints", "joint axes and forces"),
      this.forces,
      h("label", { class: "row", for: "arrow-scale" }, h("span", {}, "length of arrows"), scales),
      h("p", { id: "scale", class: "about" }),
      h("h2", {}, "Colour by"),
      select("colour", "colour by", colours, (by) => actions.colouring(by as Colouring)),
      this.groups,
      check("tense", "chains and ropes by tension", true, (on) => actions.tension(on)),
      check("wireframe", "edges only", false, (on) => actions.wireframe(on)),
      check("transparent", "see through bodies", false, (on) => actions.transparent(on)),
      h("h2", {}, "Outlines"),
      overlay("frames", "frames of bodies"),
      overlay("centres", "centres of mass"),
      overlay("inertia", "boxes of equal inertia"),
      overlay("bounds", "bounding boxes"),
      h("h2", {}, "Camera"),
      check("orthographic", "orthographic", false, (on) => actions.orthographic(on)),
      h("h2", {}, "Mouse"),
      check("pull", "dragging a body pulls it", true, (on) => actions.pull(on)),
      check("follow", "follow the selected body", false, (on) => actions.follow(on)),
      h("h2", { class: "live" }, "Saved pages"),
      check("save-forces", "hold forces too (larger)", false, () => undefined),
    );
  }

  private load() {
    const name = this.scenes.value;
    const size = Number.parseInt(this.size.value, 10);
    const sized = size > 0 ? { size } : {};
    // With a size of its own the scene as started is built anew, by its name.
    const start = name !== "" ? { name, ...sized } : size > 0 && this.known ? { name: this.known, ...sized } : {};
    this.actions.send({ scene: start });
  }

  greet(hello: Hello) {
    this.hello = hello;
    const options = hello.scenes.map((s) => h("option", { value: s.name, title: s.summary }, s.name));
    this.scenes.replaceChildren(h("option", { value: "" }, "as started"), ...options);
  }

  scene({ header, live, chosen, forces }: Scene) {
    this.last = "";
    const known = chosen === "dropped" ? undefined : this.hello?.scenes.find((s) => s.name === header.scene.name);
    this.scenes.querySelector(".dropped")?.remove();
    if (chosen === "dropped") this.scenes.append(h("option", { class: "dropped", value: DROPPED }, `${header.scene.name ?? "scene"} (dropped)`));
    if (chosen) this.scenes.value = chosen === "dropped" ? DROPPED : chosen === "started" ? "" : (known?.name ?? "");
    // The one it began with is called by its name too.
    const [first] = this.scenes.options;
    if (first && chosen === "started") first.textContent = `${header.scene.name ?? "scene"} (as started)`;
    const size = known ? ` Number of ${known.size_of}: ${known.size}, unless another is given.` : "";
    this.about.textContent = (header.scene.meta?.description ?? "") + size;
    this.known = known?.name ?? null;
    this.size.placeholder = known ? String(known.size) : "size";
    this.size.disabled = !known;
    this.size.title = known ? `number of ${known.size_of}` : "this scene has one size";
    this.root.querySelector("#choose")?.toggleAttribute("hidden", this.hello === null);
    this.forces.toggleAttribute("hidden", forces);
    for (const name of OVERLAYS) this.pages.view.querySelector(`#show-${name}`)?.toggleAttribute("disabled", !forces);
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
    const refuse = (reason: string) => this.actions.refuse(reason);
    this.solverPage.replaceChildren(
      choose,
      h("p", { class: "about" }, entry?.summary ?? ""),
      h("p", { class: "about" }, entry ? `Limits: ${entry.limits}.` : ""),
      form("solver", solver[name] ?? {}, (next) => this.change({ solver: { [name]: next } }), refuse),
      h("h2", {}, "Engine"),
      form("engine", settings, (next) => this.change({ settings: next }), refuse),
    );
  }

  /** Sends settings. What comes back is shown, as sent or as it was. */
  private change(command: Command) {
    this.last = "";
    this.actions.send(command);
  }
}

function swatch(colour: string, text: string): HTMLElement {
  const dot = h("i");
  // Not as an attribute: the page's policy forbids those.
  dot.style.background = colour;
  return h("span", {}, dot, text);
}
