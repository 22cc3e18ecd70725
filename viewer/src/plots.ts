/** Plots of the figures of all frames so far, or of one body, joint or cable. */

import uPlot from "uplot";
import "uplot/dist/uPlot.min.css";
import { h } from "./dom";
import { type Contacts, type Figure, figure } from "./frame";
import { Samples } from "./samples";
import { Chooser, SERIES } from "./series";
import type { Header, Sample, Subject } from "./types";

interface Plot {
  title: string;
  /** Drawn as powers of ten; zeros are left out. */
  log?: boolean;
  lines: { colour: string; of: (f: Float32Array) => number }[];
}

const of = (name: Figure) => (f: Float32Array) => figure(f, name);
const energy = (f: Float32Array) => figure(f, "kinetic_energy") + figure(f, "potential_energy");

const PLOTS: Plot[] = [
  {
    title: "time to solve (blue) and for the whole step, ms",
    lines: [
      { colour: "#d98b3a", of: of("step_ms") },
      { colour: "#4c8fcb", of: of("solve_ms") },
    ],
  },
  { title: "simulated time per computing time (1: just in real time)", lines: [{ colour: "#5fa55a", of: of("real_time_factor") }] },
  { title: "error that the solver left, J", log: true, lines: [{ colour: "#c9605b", of: of("energy_error") }] },
  { title: "iterations of the solver per step", lines: [{ colour: "#8d76c3", of: of("iterations") }] },
  { title: "rows of the problem (contacts, joints)", lines: [{ colour: "#3fa7a0", of: of("rows") }] },
  {
    title: "total energy (yellow) and kinetic energy, J",
    lines: [
      { colour: "#c9a437", of: energy },
      { colour: "#4c8fcb", of: of("kinetic_energy") },
    ],
  },
];

/** More points than pixels show nothing. */
const MOST = 600;

/** Colours of the values of a body, joint or cable. */
const COLOURS = ["#4c8fcb", "#5fa55a", "#c9605b", "#d98b3a", "#8d76c3", "#3fa7a0"];

/** A plot with the values of its lines, in the order of the samples. */
type Drawn = Plot & { column?: number };

export class Plots {
  readonly root: HTMLElement;
  /** What the plots are in. */
  readonly place = h("div", { id: "plots" });
  private chooser: Chooser;
  private subject: Subject | null = null;
  /** Time and values of the subject. */
  private rows: number[][] = [];
  private samples = new Samples();
  private plots: uPlot[] = [];
  private stale = false;
  /** For which they were built. */
  private width = 0;
  /** The time that is shown. */
  private shown = 0;

  constructor(private changed: () => void, save: (subject: Subject | null) => void, contacts: () => Contacts | undefined) {
    this.chooser = new Chooser(() => changed(), () => save(this.subject), contacts);
    this.root = h("div", {}, this.chooser.root, this.place);
    setInterval(() => this.draw(), 250);
  }

  /** What is to be plotted where that body is selected; null: the run. */
  choose(selected: number): Subject | null {
    const subject = this.chooser.subject(selected);
    if (JSON.stringify(subject) !== JSON.stringify(this.subject)) {
      this.subject = subject;
      this.rows = [];
      this.build();
    }
    return subject;
  }

  /** The values of a subject, if it still is the one. */
  show(subject: Subject, rows: number[][]) {
    if (subject !== this.subject) return;
    this.rows = rows;
    this.stale = true;
  }

  private get drawn(): Drawn[] {
    if (!this.subject) return PLOTS;
    const { kind, name } = this.subject;
    return SERIES[kind].map(({ name: what, unit }, column) => {
      return { title: `${name}: ${[what, unit].filter((x) => x).join(", ")}`, lines: [{ colour: COLOURS[column] ?? "#888", of: () => NaN }], column };
    });
  }

  /** Plots are as wide as their place. (Its height is theirs, and no reason to build anew.) */
  resize() {
    if (this.place.clientWidth !== this.width) this.build();
  }

  /** Puts the plots into their place, anew when its width or theme changed. */
  build() {
    const focused = this.plots.findIndex((plot) => plot.root === document.activeElement);
    this.plots.forEach((plot) => plot.destroy());
    this.place.replaceChildren();
    this.plots = [];
    const width = this.place.clientWidth;
    this.width = width;
    if (width === 0) return;
    this.plots = this.drawn.map((plot) => {
      const drawn = new uPlot(this.options(plot, width), [[], ...plot.lines.map(() => [])], this.place);
      readable(drawn, plot);
      return drawn;
    });
    this.plots[focused]?.root.focus();
    this.stale = true;
  }

  private options(plot: Plot, width: number): uPlot.Options {
    const colour = getComputedStyle(document.documentElement).getPropertyValue("--muted");
    const grid = { stroke: "#8884", width: 1 };
    const axis = { stroke: colour, grid, ticks: { show: false }, font: "11px system-ui" };
    const values = (_: uPlot, ticks: (number | null)[]) => ticks.map((t) => (t === null ? "" : plot.log ? power(t) : short(t)));
    return {
      width,
      height: 124,
      title: plot.title,
      legend: { show: false },
      cursor: { y: false, drag: { x: false, y: false }, points: { size: 6 } },
      padding: [6, 6, 0, 0],
      scales: { x: { time: false }, y: { range: plot.log ? powers : range } },
      axes: [{ ...axis, size: 18, gap: 2, values: (_, ticks) => ticks.map((t) => `${+t.toPrecision(6)} s`) }, { ...axis, size: 46, gap: 4, values, space: 26 }],
      series: [{}, ...plot.lines.map((l) => ({ stroke: l.colour, width: 1.5, points: { show: false } }))],
      hooks: { draw: [(u) => this.mark(u)], setCursor: [(u) => hover(u, plot)] },
    };
  }

  /** A line at the frame that is shown. */
  private mark(u: uPlot) {
    const x = u.valToPos(this.shown, "x", true);
    if (!(x >= u.bbox.left && x <= u.bbox.left + u.bbox.width)) return;
    u.ctx.fillStyle = "#888c";
    u.ctx.fillRect(x, u.bbox.top, devicePixelRatio, u.bbox.height);
  }

  scene(header: Header) {
    this.samples.clear();
    this.stale = true;
    this.chooser.scene(header);
    this.changed();
  }

  /** Adds the figures of a frame, which is the one shown. */
  add(number: number, newest: number, sample: Sample) {
    this.samples.add(number, newest, sample);
    this.shown = sample.time;
    this.stale = true;
  }

  /** Adds figures of frames that went by before the page was there. */
  addAll(all: Map<number, Sample>) {
    this.samples.addAll(all);
    this.stale = true;
  }

  /** How many points the first plot shows. */
  get plotted(): number {
    return this.plots[0]?.data[0]?.length ?? 0;
  }

  /** The time of its last point. */
  get last(): number {
    return this.plots[0]?.data[0]?.at(-1) ?? 0;
  }

  private draw() {
    if (!this.stale || this.plots.length === 0) return;
    this.stale = false;
    if (this.subject) {
      const x = this.rows.map((row) => row[0] ?? 0);
      this.plots.forEach((plot, i) => plot.setData([x, this.rows.map((row) => finite(row[i + 1]))]));
      return;
    }
    const samples = this.samples.list(MOST);
    const x = samples.map(({ time }) => time);
    PLOTS.forEach((plot, i) => {
      const value = (x: number) => (plot.log ? (x > 0 ? Math.log10(x) : null) : x);
      const lines = plot.lines.map((l) => samples.map(({ figures }) => value(l.of(figures))));
      this.plots[i]?.setData([x, ...lines]);
    });
  }
}

function finite(x: number | undefined): number | null {
  return x !== undefined && Number.isFinite(x) ? x : null;
}

/** Keys go along a plot as the pointer does, and screen readers are told what is there. */
function readable(u: uPlot, plot: Plot) {
  const { root } = u;
  const attributes = { role: "slider", tabindex: "0", "aria-label": plot.title, "aria-valuenow": "0", "aria-valuetext": "arrows go along the plot" };
  for (const [name, value] of Object.entries(attributes)) root.setAttribute(name, value);
  root.onkeydown = (e) => {
    const [last, now] = [(u.data[0]?.length ?? 0) - 1, u.cursor.idx];
    const page = Math.max(1, Math.round(last / 10));
    const from = now ?? last;
    const ways: Record<string, number> = { ArrowLeft: from - 1, ArrowRight: from + 1, PageDown: from - page, PageUp: from + page, Home: 0, End: last };
    const to = ways[e.key];
    if (to === undefined || last < 0) return;
    e.preventDefault();
    go(u, Math.max(0, Math.min(last, to)));
  };
  root.onblur = () => go(u, null);
}

/** Puts the cursor on a sample, or away. */
function go(u: uPlot, index: number | null) {
  const x = index === null ? undefined : u.data[0]?.[index];
  u.setCursor(x === undefined ? { left: -10, top: -10 } : { left: u.valToPos(x, "x"), top: 0 });
}

/** Says the values under the pointer. */
function hover(u: uPlot, plot: Plot) {
  const title = u.root.querySelector(".u-title");
  const at = u.cursor.idx;
  if (!title) return;
  if (at === null || at === undefined) return void (title.textContent = plot.title);
  const values = u.data.slice(1).map((line) => line[at] ?? null);
  const texts = values.map((x) => (x === null ? "–" : String(+(plot.log ? 10 ** x : x).toPrecision(4))));
  title.textContent = `${(u.data[0]?.[at] ?? 0).toFixed(2)} s: ${texts.join(", ")}`;
  u.root.setAttribute("aria-valuenow", String(u.data[0]?.[at] ?? 0));
  u.root.setAttribute("aria-valuetext", title.textContent);
}

/** A range that shows constant lines in the middle, and no noise as large. */
function range(_: uPlot, low: number | null, high: number | null): [number, number] {
  if (low === null || high === null || !Number.isFinite(low + high)) return [0, 1];
  const room = Math.max((high - low) * 0.08, Math.abs(high) * 1e-3, 1e-6);
  return [low >= 0 && low < 0.3 * high ? 0 : low - room, high + room];
}

/** Whole powers of ten around the values. */
function powers(_: uPlot, low: number | null, high: number | null): [number, number] {
  if (low === null || high === null || !Number.isFinite(low + high)) return [-16, -6];
  return [Math.floor(low - 0.5), Math.ceil(high + 0.5)];
}

function power(x: number): string {
  return Number.isInteger(x) ? `1e${x}` : "";
}

function short(x: number): string {
  if (x === 0) return "0";
  const size = Math.abs(x);
  if (size >= 1e6 || size < 1e-2) return x.toExponential(0);
  return size >= 1e4 ? `${+(x / 1e3).toPrecision(3)}k` : `${+x.toPrecision(3)}`;
}
