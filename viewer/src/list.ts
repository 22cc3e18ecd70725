/** The bodies by name: search, select, hide. */

import { h } from "./dom";

/** More names at once help nobody. */
const MOST = 60;

export class BodyList {
  readonly facts = h("div", { id: "facts" });
  readonly root: HTMLElement;
  private search = h("input", { id: "search", type: "search", placeholder: "search bodies", "aria-label": "search bodies" });
  private hits = h("ul", { id: "bodies" });
  private hide = h("button", { id: "hide", type: "button", class: "text" }, "hide");
  private all = h("button", { id: "unhide", type: "button", class: "text" }, "show all");
  private names: string[] = [];
  private found: number[] = [];

  constructor(private actions: { select(body: number): void; hide(): void; showAll(): void }) {
    this.search.oninput = () => this.fill();
    // Enter takes the first that was found.
    this.search.onkeydown = (e) => {
      if (e.key === "Enter" && this.search.value !== "" && this.found[0] !== undefined) actions.select(this.found[0]);
    };
    this.hide.onclick = () => actions.hide();
    this.all.onclick = () => actions.showAll();
    const row = h("div", { class: "row" }, this.search, this.hide, this.all);
    this.root = h("div", {}, row, this.hits, this.facts);
    this.state(-1, 0);
  }

  scene(names: string[]) {
    this.names = names;
    this.search.value = "";
    this.fill();
  }

  /** What can be hidden and shown now. */
  state(selected: number, hidden: number) {
    this.hide.disabled = selected < 0;
    this.all.disabled = hidden === 0;
  }

  private fill() {
    const text = this.search.value.trim().toLowerCase();
    const found = this.names.flatMap((name, i) => (name.toLowerCase().includes(text) ? [i] : []));
    this.found = found;
    const rows = found.slice(0, MOST).map((i) => {
      const pick = h("button", { type: "button", class: "text" }, this.names[i] ?? "");
      pick.onclick = () => this.actions.select(i);
      return h("li", {}, pick);
    });
    const rest = found.length > MOST ? [h("li", {}, `and ${found.length - MOST} more`)] : [];
    this.hits.replaceChildren(...rows, ...rest);
  }
}
