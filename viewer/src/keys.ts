/** Keyboard shortcuts, and the list of them. */

import { h } from "./dom";

export interface Key {
  keys: string[];
  shown: string;
  does: string;
  press: () => void;
}

/** Listens, except where one types. */
export function listen(keys: Key[]) {
  addEventListener("keydown", (e) => {
    const at = e.target;
    const types = at instanceof HTMLInputElement && at.type === "text";
    if (types || e.ctrlKey || e.metaKey || e.altKey) return;
    if ((at instanceof HTMLSelectElement || at instanceof HTMLInputElement) && e.key.startsWith("Arrow")) return;
    const key = keys.find((k) => k.keys.includes(e.key));
    if (!key) return;
    e.preventDefault();
    key.press();
  });
  // Space would also press the button that was pressed last.
  addEventListener("keyup", (e) => {
    if (e.key === " " && e.target instanceof HTMLButtonElement) e.preventDefault();
  });
}

/** The list of all keys, in a window of its own. */
export function help(keys: Key[]): HTMLDialogElement {
  const rows = keys.flatMap((k) => [h("dt", {}, h("kbd", {}, k.shown)), h("dd", {}, k.does)]);
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
    h("h2", {}, "Mouse"),
    h("dl", { class: "facts" }, ...mouse.flatMap(([what, does]) => [h("dt", {}, what), h("dd", {}, does)])),
    h("h2", {}, "Keys"),
    h("dl", { class: "facts" }, ...rows),
    close,
  );
  close.onclick = () => dialog.close();
  return dialog;
}
