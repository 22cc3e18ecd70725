/** Small helpers for the page. Text is always text, never markup. */

type Child = Node | string;

export function h<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  attributes: Record<string, string> = {},
  ...children: Child[]
): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.append(...children);
  return element;
}

const PATHS = {
  play: "M6 4l14 8-14 8z",
  pause: "M6 4h4v16H6zM14 4h4v16h-4z",
  step: "M5 4l10 8-10 8zM17 4h3v16h-3z",
  back: "M19 4L9 12l10 8zM4 4h3v16H4z",
  reset: "M12 5V1L6 6l6 5V7a5 5 0 11-5 5H5a7 7 0 107-7z",
  frame: "M3 3h6v2H5v4H3zM15 3h6v6h-2V5h-4zM3 15h2v4h4v2H3zM19 15h2v6h-6v-2h4z",
  save: "M11 3h2v9l3-3 1.4 1.4L12 16l-5.400-5.600L8 9l3 3zM4 18h16v3H4z",
  shot: "M9 4l-1.500 2H4v14h16V6h-3.500L15 4zM12 9a4 4 0 110 8 4 4 0 010-8z",
  film: "M3 6h12v12H3zM16 10l5-3v10l-5-3z",
  link: "M10 13a4 4 0 0 0 6 .4l3-3a4 4 0 0 0-5.700-5.700L11.600 6.400l1.400 1.400 1.700-1.700a2 2 0 0 1 2.900 2.900l-3 3a2 2 0 0 1-3.100-.4zM14 11a4 4 0 0 0-6-.4l-3 3a4 4 0 0 0 5.700 5.700l1.700-1.700-1.400-1.400-1.700 1.700a2 2 0 0 1-2.900-2.900l3-3a2 2 0 0 1 3.100.4z",
  theme: "M12 3a9 9 0 1 0 9 9 7 7 0 0 1-9-9z",
  help: "M11 17h2v2h-2zM12 4a5 5 0 00-5 5h2a3 3 0 116 0c0 2-4 2.500-4 6h2c0-2.500 4-3 4-6a5 5 0 00-5-5z",
};

export type Icon = keyof typeof PATHS;

export function icon(name: Icon): SVGSVGElement {
  const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  svg.setAttribute("viewBox", "0 0 24 24");
  svg.setAttribute("aria-hidden", "true");
  const path = document.createElementNS(svg.namespaceURI, "path");
  path.setAttribute("d", PATHS[name]);
  svg.append(path);
  return svg;
}

export function button(id: string, name: Icon, title: string, press: () => void): HTMLButtonElement {
  const element = h("button", { id, title, "aria-label": title, class: "icon", type: "button" }, icon(name));
  element.onclick = press;
  return element;
}

export function select(id: string, label: string, options: [string, string][], change: (value: string) => void) {
  const element = h("select", { id, "aria-label": label });
  element.append(...options.map(([value, text]) => h("option", { value }, text)));
  element.onchange = () => change(element.value);
  return element;
}

export function check(id: string, text: string, on: boolean, change: (on: boolean) => void): HTMLLabelElement {
  const box = h("input", { id, type: "checkbox" });
  box.checked = on;
  box.onchange = () => change(box.checked);
  return h("label", { class: "check" }, box, text);
}

/** A number with three digits and a fitting prefix. */
export function amount(x: number, unit: string): string {
  if (!Number.isFinite(x)) return "–";
  // What is smaller is rounding, not motion.
  if (Math.abs(x) < 1e-9) return `0 ${unit}`.trim();
  const prefixes: [number, string][] = [[1e9, "G"], [1e6, "M"], [1e3, "k"], [1, ""], [1e-3, "m"], [1e-6, "µ"], [1e-9, "n"]];
  const size = Math.abs(x);
  const [scale, prefix] = prefixes.find(([s]) => size >= 0.9995 * s) ?? [1e-9, "n"];
  const value = x / scale;
  const digits = Number.isInteger(value) ? String(value) : value.toPrecision(3);
  const text = Math.abs(value) >= 1000 ? value.toExponential(1) : digits;
  return `${text} ${prefix}${unit}`.trim();
}
