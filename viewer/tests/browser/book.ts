/** The figures of the book's guides: `cargo xtask book --figures` runs the complete file of each (book/src/files) and writes a picture of
 * it to book/src/figures, with a line that says at which commit. ONLY names some. */

import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { fileURLToPath } from "node:url";
import type { Browser } from "playwright-core";
import { test } from "vitest";
import { command, launch, open, serve } from "./harness";

const ROOT = fileURLToPath(new URL("../../..", import.meta.url));
const FILES = `${ROOT}/book/src/files`;
const FIGURES = `${ROOT}/book/src/figures`;
const only = process.env.ONLY?.split(",") ?? [];

/** The figure, the file it shows, and the moment in s. */
const SHOWN: [string, string, number][] = [
  ["crane", "crane.json", 9],
  ["vehicle", "car.json", 3.75],
  ["hoist", "hoist.py", 4.5],
  ["robot", "arm.json", 5.2],
  ["gripper", "gripper.json", 2.6],
];

async function picture(browser: Browser, name: string, file: string, time: number, folder: string) {
  let scene = `${FILES}/${file}`;
  if (file.endsWith(".py")) {
    const text = execFileSync("python3", [scene]);
    scene = `${folder}/${name}.json`;
    writeFileSync(scene, text);
  }
  const recording = `${folder}/${name}.rec`;
  const frames = String(Math.ceil(time * 60) + 1);
  try {
    execFileSync(command(), ["run", scene, "--frames", frames, "--record", recording, "--with-forces"], { stdio: "ignore" });
  } catch (error) {
    if (!existsSync(recording)) throw error;
  }
  const server = await serve(recording);
  const view = await open(browser, server.url, { width: 720, height: 450 });
  await view.pause();
  await view.page.click("#tab-view");
  const { newest } = await view.state();
  await view.seek(Math.min(newest, Math.round(time * 60)));
  await view.page.evaluate(() => window.taut.frame());
  // Pictures that stand still are drawn once more, in full.
  await new Promise((resolve) => setTimeout(resolve, 2500));
  const data = await view.page.evaluate(() => window.taut.picture());
  mkdirSync(FIGURES, { recursive: true });
  writeFileSync(`${FIGURES}/${name}.jpg`, Buffer.from(data.split(",")[1] ?? "", "base64"));
  const commit = execFileSync("git", ["-C", ROOT, "rev-parse", "--short=8", "HEAD"]).toString().trim();
  writeFileSync(`${FIGURES}/${name}.txt`, `${file} after ${time} s; drawn by \`cargo xtask book --figures\` at commit ${commit}.\n`);
  await view.close();
  server.stop();
}

test("figures of the book", { timeout: 3_600_000, retry: 0 }, async () => {
  const folder = mkdtempSync(`${tmpdir()}/taut-book-`);
  const browser = await launch();
  for (const [name, file, time] of SHOWN) if (only.length === 0 || only.includes(name)) await picture(browser, name, file, time, folder);
  await browser.close();
  rmSync(folder, { recursive: true });
});
