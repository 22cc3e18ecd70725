/** Plots of the figures of all frames so far. */

import uPlot from "uplot";
import "uplot/dist/uPlot.min.css";
import { h } from "./dom";
import { type Figure, figure } from "./frame";
import { Samples } from "./samples";
import type { Sample } from "./types";

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

export class Plots {
  readonly root = h("div", { id: "plots" });
  private samples = new Samples();
  private plots: uPlot[] = [];
  private stale = false;
  /** The time that is shown. */
  private shown = 0;

  constructor() {
    setInterval(() => this.draw(), 250);
  }

  /** Puts the plots into their place, anew when its width or theme changed. */
  build() {
    this.plots.forEach((plot) => plot.destroy());
    this.root.replaceChildren();
    this.plots = [];
    const width = this.root.clientWidth;
    if (width === 0) return;
    this.plots = PLOTS.map((plot) => new uPlot(this.options(plot, width), [[], ...plot.lines.map(() => [])], this.root));
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
      cursor: { show: false },
      padding: [6, 6, 0, 0],
      scales: { x: { time: false }, y: { range: plot.log ? powers : range } },
      axes: [{ ...axis, size: 18, gap: 2 }, { ...axis, size: 46, gap: 4, values, space: 26 }],
      series: [{}, ...plot.lines.map((l) => ({ stroke: l.colour, width: 1.5, points: { show: false } }))],
      hooks: { draw: [(u) => this.mark(u)] },
    };
  }

  /** A line at the frame that is shown. */
  private mark(u: uPlot) {
    const x = u.valToPos(this.shown, "x", true);
    if (!(x >= u.bbox.left && x <= u.bbox.left + u.bbox.width)) return;
    u.ctx.fillStyle = "#888c";
    u.ctx.fillRect(x, u.bbox.top, devicePixelRatio, u.bbox.height);
  }

  clear() {
    this.samples.clear();
    this.stale = true;
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
    const samples = this.samples.list(MOST);
    const x = samples.map(({ time }) => time);
    PLOTS.forEach((plot, i) => {
      const value = (x: number) => (plot.log ? (x > 0 ? Math.log10(x) : null) : x);
      const lines = plot.lines.map((l) => samples.map(({ figures }) => value(l.of(figures))));
      this.plots[i]?.setData([x, ...lines]);
    });
  }
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
