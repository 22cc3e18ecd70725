/** The gallery: `npm run gallery` runs every built-in scene and writes docs/GALLERY.md with a
 * picture of each, and to GALLERY (default target/gallery) a page that replays it. ONLY names some
 * scenes, RECORDINGS a folder of recordings to use instead of running them. */

import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { Browser } from "playwright-core";
import { test } from "vitest";
import { command, launch, open, serve } from "./harness";

const ROOT = fileURLToPath(new URL("../../..", import.meta.url));
const folder = process.env.GALLERY || `${ROOT}/target/gallery`;
const only = process.env.ONLY?.split(",") ?? [];

/** The moment that says most, in s; else this one. */
const USUAL = 2;
const MOMENTS: Record<string, number> = {
  boxes: 0.6, tower: 5.5, spinner: 1, chain: 1.6, trucks: 1.1, rocks: 2.5, wall: 1.25, "chain-drop": 2, "net-truck": 1.2,
  "tandem-cranes": 3, bridge: 1.5, forklift: 5, "mobile-crane": 8, vehicle: 4.3, offshore: 8, forwarder: 6, winch: 7,
  "loaded-chain": 0.9, "newtons-cradle": 0.9, domino: 1.1, incline: 1.2, elevator: 4, "tower-crane": 9,
  "cable-car": 6, "mobile-crane-cable": 8, "offshore-cable": 8, "block-and-tackle": 1.5, hook: 3, bolt: 1, gears: 0.5,
};

/** Links are coloured by what they carry, which recordings have on request. */
const CHAINS = ["chain", "spinner", "loaded-chain", "catenary", "winch", "chain-drop", "bridge", "mobile-crane", "net-truck", "trucks"];

interface Scene {
  name: string;
  summary: string;
}

/** A recording as long as the picture needs. */
function record(name: string, seconds: number): string {
  const path = process.env.RECORDINGS ? `${process.env.RECORDINGS}/${name}.rec` : `${folder}/${name}.rec`;
  if (process.env.RECORDINGS && existsSync(path)) return path;
  execFileSync(command(), ["export", name, "--out", `${folder}/${name}.json`], { stdio: "ignore" });
  const { dt } = JSON.parse(readFileSync(`${folder}/${name}.json`, "utf8")) as { dt: number };
  const frames = String(Math.ceil(seconds / dt) + 1);
  const run = (made: string, ...args: string[]) => {
    try {
      execFileSync(command(), ["run", name, "--frames", frames, ...args], { stdio: "ignore" });
    } catch (error) {
      // Runs that say that something did not converge are shown all the same.
      if (!existsSync(made)) throw error;
    }
  };
  // The page replays motion alone: forces would make it many times as large.
  const page = `${folder}/${name}.html`;
  if (CHAINS.includes(name)) {
    run(page, "--html", page);
    run(path, "--record", path, "--with-forces");
  } else run(page, "--html", page, "--record", path);
  return path;
}

async function picture(browser: Browser, scene: Scene) {
  const time = MOMENTS[scene.name] ?? USUAL;
  const server = await serve(record(scene.name, time));
  const view = await open(browser, server.url, { width: 720, height: 450 });
  await view.pause();
  await view.page.click("#tab-view");
  const { newest } = await view.state();
  const last = await view.seek(newest);
  await view.seek(Math.min(newest, Math.round((time / last.time) * newest)));
  await view.page.evaluate(() => window.taut.frame());
  // Pictures that stand still are drawn once more, in full.
  await new Promise((resolve) => setTimeout(resolve, 2500));
  const data = await view.page.evaluate(() => window.taut.picture());
  mkdirSync(`${ROOT}/docs/gallery`, { recursive: true });
  writeFileSync(`${ROOT}/docs/gallery/${scene.name}.jpg`, Buffer.from(data.split(",")[1] ?? "", "base64"));
  await view.close();
  server.stop();
}

function page(scenes: Scene[]): string {
  const rows = scenes.map(({ name, summary }) => `| ![${name}](gallery/${name}.jpg) | **\`${name}\`** ${summary} |`);
  const head = "# Gallery\n\nEvery built-in scene, as `taut view NAME` shows it. `cargo xtask gallery` makes these pictures anew, and to\n`target/gallery` a page of each that replays it.\n\n| | |\n|---|---|\n";
  return `${head}${rows.join("\n")}\n`;
}

test("gallery", { timeout: 3_600_000, retry: 0 }, async () => {
  mkdirSync(folder, { recursive: true });
  const list = JSON.parse(execFileSync(command(), ["list", "--json"]).toString()) as { scenes: Scene[] };
  const browser = await launch();
  for (const scene of list.scenes.filter((s) => only.length === 0 || only.includes(s.name))) await picture(browser, scene);
  await browser.close();
  const shown = list.scenes.filter((s) => existsSync(`${ROOT}/docs/gallery/${s.name}.jpg`));
  writeFileSync(`${ROOT}/docs/GALLERY.md`, page(shown));
  const large = list.scenes.filter((s) => existsSync(`${folder}/${s.name}.html`) && statSync(`${folder}/${s.name}.html`).size > 5e6);
  if (large.length > 0) throw new Error(`replays of more than 5 MB: ${large.map((s) => s.name).join(", ")}`);
});
