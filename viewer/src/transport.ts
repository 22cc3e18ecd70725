/** Play, pause, step, reset, speed, scrub. */

import { button, h, icon, select } from "./dom";
import type { Frame } from "./frame";
import type { Command, Status } from "./types";

const SPEEDS = [0.1, 0.25, 0.5, 1, 2, 4];

export class Transport {
  readonly root: HTMLElement;
  private playing = false;
  private play: HTMLButtonElement;
  private slider = h("input", { id: "scrub", type: "range", min: "0", max: "0", value: "0", "aria-label": "frame" });
  private clock = h("output", { id: "clock" });
  private speed: HTMLSelectElement;
  private scrubbing = false;

  constructor(private send: (command: Command) => void) {
    this.play = button("play", "play", "Play or pause (space)", () => this.toggle());
    const speeds = SPEEDS.map((s): [string, string] => [String(s), `${s}×`]);
    this.speed = select("speed", "speed", speeds, (value) => send({ speed: Number(value) }));
    this.speed.value = "1";
    this.slider.oninput = () => send({ seek: Number(this.slider.value) });
    this.slider.onpointerdown = () => (this.scrubbing = true);
    this.slider.onpointerup = () => (this.scrubbing = false);
    this.root = h(
      "footer",
      { id: "transport" },
      button("reset", "reset", "Start over (r)", () => send("reset")),
      button("back", "back", "One frame back (←)", () => send({ step: -1 })),
      this.play,
      button("step", "step", "One frame on (→)", () => send({ step: 1 })),
      this.slider,
      this.clock,
      this.speed,
    );
  }

  toggle() {
    this.send({ play: !this.playing });
  }

  /** The next faster or slower speed. */
  shift(by: 1 | -1) {
    const now = Number(this.speed.value);
    const next = by > 0 ? SPEEDS.find((s) => s > now) : SPEEDS.findLast((s) => s < now);
    if (next !== undefined) this.send({ speed: next });
  }

  status({ playing, speed }: Status) {
    if (playing !== this.playing) this.play.replaceChildren(icon(playing ? "pause" : "play"));
    this.playing = playing;
    // Others may play at a speed that is not in the list.
    this.speed.querySelector(".foreign")?.remove();
    if (!SPEEDS.includes(speed)) this.speed.append(h("option", { value: String(speed), class: "foreign" }, `${+speed.toPrecision(3)}×`));
    this.speed.value = String(speed);
  }

  frame({ number, newest, time }: Frame) {
    this.slider.max = String(newest);
    if (!this.scrubbing) this.slider.value = String(number);
    this.clock.value = `${time.toFixed(2)} s`;
    this.clock.title = `frame ${number} of ${newest}`;
  }
}
