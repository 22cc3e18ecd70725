/** A server, a browser, and waiting for what is drawn rather than for time. */

import { type ChildProcess, spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { type Browser, chromium, type Page } from "playwright-core";
import type { Debug } from "../../src/debug";

const ROOT = fileURLToPath(new URL("../../..", import.meta.url));

/** The command under test: named by the environment, else the newest built. */
export function command(): string {
  const folder = process.env.CARGO_TARGET_DIR ?? `${ROOT}/target`;
  const built = ["release", "debug"].map((profile) => `${folder}/${profile}/taut`).find(existsSync);
  const found = process.env.TAUT ?? built;
  if (!found) throw new Error("taut is not built: cargo build -p taut-cli, or set TAUT to its path");
  return found;
}

export interface Server {
  url: string;
  stop(): void;
}

/** `taut view` on a free port. A command that was named has its own page;
 * else it is the one that was last built, so that taut need not be. */
export async function serve(...args: string[]): Promise<Server> {
  const page = process.env.TAUT ? [] : ["--page", `${ROOT}/crates/taut-cli/page/index.html`];
  const child: ChildProcess = spawn(command(), ["view", ...args, "--port", "0", "--no-open", ...page]);
  const url = await new Promise<string>((resolve, reject) => {
    let [said, wrong] = ["", ""];
    child.stderr?.on("data", (data) => (wrong += String(data)));
    child.stdout?.on("data", (data) => {
      said += String(data);
      const found = /http:\S+/.exec(said);
      if (found) resolve(found[0]);
    });
    child.on("exit", () => reject(new Error(`taut view ended: ${wrong}`)));
  });
  return { url, stop: () => child.kill() };
}

/** For what should take a second: machines may be busy with other things \[ms\]. */
const PATIENCE = 110_000;

/** Debian's Chromium with WebGL in software. */
export function launch(): Promise<Browser> {
  return chromium.launch({
    executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
    timeout: PATIENCE,
    args: ["--no-sandbox", "--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--ignore-gpu-blocklist"],
  });
}

export const DESKTOP = { width: 760, height: 400 };
export const PHONE = { width: 390, height: 600 };

/** A page that fails the test when anything goes wrong in it. */
export async function open(browser: Browser, url: string, viewport = DESKTOP, scheme: "light" | "dark" = "light") {
  const context = await browser.newContext({ viewport, colorScheme: scheme, acceptDownloads: true });
  const page = await context.newPage();
  const errors: string[] = [];
  page.on("pageerror", (e) => errors.push(String(e)));
  page.on("console", (m) => {
    if (m.type() === "error") errors.push(m.text());
  });
  context.setDefaultTimeout(PATIENCE);
  await page.goto(url);
  const view = new View(page, errors);
  await view.until((s) => s.drawn > 0 && s.number >= 0, "a first picture");
  return view;
}

type State = ReturnType<Debug["state"]>;

declare global {
  interface Window {
    taut: Debug;
  }
}

export class View {
  constructor(
    readonly page: Page,
    readonly errors: string[],
  ) {}

  state(): Promise<State> {
    return this.page.evaluate(() => window.taut?.state() ?? { drawn: 0, number: -1 });
  }

  counts() {
    return this.page.evaluate(() => window.taut.counts());
  }

  body(index: number) {
    return this.page.evaluate((i) => window.taut.body(i), index);
  }

  pixels(places: { x: number; y: number }[]) {
    return this.page.evaluate((p) => window.taut.pixels(p), places);
  }

  /** Waits until the state is as asked, and gives it. */
  async until(good: (state: State) => boolean, what = String(good), seconds = PATIENCE / 1000): Promise<State> {
    const end = Date.now() + 1000 * seconds;
    for (;;) {
      const state = await this.state();
      if (good(state)) return state;
      if (Date.now() > end) throw new Error(`not reached: ${what}: ${JSON.stringify(state)}`);
      await new Promise((resolve) => setTimeout(resolve, 40));
    }
  }

  /** Opens a tab of the panel if it is not open. */
  async tab(name: string) {
    const tab = this.page.locator(`#tab-${name}`);
    if ((await tab.getAttribute("aria-selected")) !== "true") await tab.click();
  }

  /** Moves the slider. */
  async seek(frame: number) {
    await this.page.evaluate((n) => {
      const slider = document.getElementById("scrub") as HTMLInputElement;
      slider.value = String(n);
      slider.dispatchEvent(new Event("input"));
    }, frame);
    return this.until((s) => s.number === frame && !s.playing && s.settled);
  }

  /** Has it play, whatever the test before left. */
  async play() {
    for (let tries = 0; tries < 5; tries += 1) {
      for (const end = Date.now() + 1000; Date.now() < end; ) {
        if ((await this.state()).playing) return;
        await new Promise((resolve) => setTimeout(resolve, 40));
      }
      await this.page.click("#play");
    }
  }

  async pause() {
    if ((await this.state()).playing) await this.page.click("#play");
    // Frames may still be on their way: it stands still once none came for a while.
    let [last, since] = [-1, Date.now()];
    return this.until((s) => {
      if (s.playing || !s.settled || s.number !== last) [last, since] = [s.number, Date.now()];
      return Date.now() - since > 300;
    });
  }

  async close() {
    await this.page.context().close();
  }
}
