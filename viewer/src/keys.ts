/** Keyboard shortcuts, and the list of them. */

import { h } from "./dom";

export interface Key {
  keys: string[];
  /** With the shift key; keys that are letters or signs have theirs in their name. */
  shift?: boolean;
  shown: string;
  does: string;
  press: () => void;
}

/** Keys that move within, or change, what has the focus. */
const OWN = new Set([" ", "Enter", "Home", "End", "PageUp", "PageDown", "ArrowLeft", "ArrowRight", "ArrowUp", "ArrowDown"]);

/** What has the focus, as far as keys care. */
export interface Focus {
  /** Its tag and, of an input, its type: "select", "input:text", "button". */
  kind: string;
  /** Whether it got the focus by keyboard. */
  visible: boolean;
  /** Whether a dialog is open. */
  dialog: boolean;
}

/** Whether a key belongs to what has the focus, not to the page. */
export function belongs(key: string, { kind, visible, dialog }: Focus): boolean {
  if (dialog || kind === "input:text" || kind === "input:search" || kind === "select" || kind === "textarea") return true;
  if (kind.startsWith("input:") || kind === "tab" || kind === "slider") return OWN.has(key);
  // Whoever clicked a button and then presses space wants to play or pause.
  return kind === "button" && visible && (key === " " || key === "Enter");
}

function focus(at: EventTarget | null, clicked: EventTarget | null): Focus {
  const dialog = document.querySelector("dialog[open]") !== null;
  if (!(at instanceof HTMLElement)) return { kind: "", visible: false, dialog };
  const role = at.getAttribute("role");
  const tag = role === "tab" || role === "slider" ? role : at.localName;
  const kind = at instanceof HTMLInputElement ? `input:${at.type}` : tag;
  return { kind, visible: at !== clicked, dialog };
}

/** Who takes keys before all others, held ones too. */
export interface First {
  key(e: KeyboardEvent, down: boolean): boolean;
}

/** Listens, except where a key means something else. */
export function listen(keys: Key[], first: First) {
  // The button that was clicked last, while it has the focus. (`:focus-visible` is of no use: it holds
  // as soon as any key is pressed.)
  let clicked: EventTarget | null = null;
  addEventListener("pointerdown", (e) => (clicked = e.target instanceof Element ? e.target.closest("button") : null));
  addEventListener("focusin", (e) => (clicked = e.target === clicked ? clicked : null));
  const taken = (e: KeyboardEvent) => e.defaultPrevented || e.ctrlKey || e.metaKey || e.altKey || belongs(e.key, focus(e.target, clicked));
  const find = (e: KeyboardEvent) => {
    if (taken(e)) return undefined;
    const wants = (k: Key) => k.keys.includes(e.key) && (k.shift ?? (e.key.length === 1 && e.shiftKey)) === e.shiftKey;
    return keys.find(wants);
  };
  addEventListener("keydown", (e) => {
    if (!taken(e) && first.key(e, true)) return e.preventDefault();
    const key = find(e);
    if (!key) return;
    e.preventDefault();
    key.press();
  });
  // Space would also press the button that was clicked last.
  addEventListener("keyup", (e) => {
    first.key(e, false);
    if (e.key === " " && e.target instanceof HTMLButtonElement && find(e)) e.preventDefault();
  });
}

/** The list of all keys, in a window of its own. */
export function help(keys: Key[], driving: { list: [string, string][]; has(key: string): boolean }): HTMLDialogElement {
  const list = h("dl", { class: "facts" });
  const mouse: [string, string][] = [
    ["drag a body", "pull it"],
    ["drag beside it, or with shift", "turn the view"],
    ["right drag, two fingers", "move the view"],
    ["wheel, pinch", "come nearer"],
    ["click a body", "select it"],
  ];
  const close = h("button", { type: "button", class: "text" }, "Close");
  const dialog = h(
    "dialog",
    { id: "help" },
    h("h2", {}, "Mouse and fingers"),
    h("dl", { class: "facts" }, ...mouse.flatMap(([what, does]) => [h("dt", {}, what), h("dd", {}, does)])),
    h("h2", {}, "Keys"),
    list,
    h("div", { class: "end" }, close),
  );
  // What a scene's controls take is theirs.
  dialog.onbeforetoggle = () => {
    const free = keys.flatMap((k): [string, string][] => {
      const left = k.keys.filter((key) => !driving.has(key));
      if (left[0] === undefined) return [];
      return [[left.length === k.keys.length ? k.shown : left[0], k.does]];
    });
    const rows = [...driving.list, ...free];
    list.replaceChildren(...rows.flatMap(([key, does]) => [h("dt", {}, h("kbd", {}, key)), h("dd", {}, does)]));
  };
  // The button at its end has the focus; the list is read from its start.
  dialog.ontoggle = () => dialog.scrollTo(0, 0);
  close.onclick = () => dialog.close();
  return dialog;
}
