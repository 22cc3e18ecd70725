/** Long courses: `npm run courses` drives four machines by keys for 20 s of their time each, saves what was driven,
 * and has a file repeat it: every place of every body in every frame, and all digits of the state at the end, have to
 * be the same. ONLY names one of them. */

import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { decodeRecording } from "../../src/recording";
import { command, launch, open, serve } from "./harness";

/** Keys that are held together, and until when in s. */
type Course = [string[], number][];

const COURSES: Record<string, Course> = {
  // Under the crate, up, back, around a turn, down, gently on.
  forklift: [
    [["w"], 3], [["ArrowUp"], 5], [["ArrowLeft"], 6], [["s", "a"], 9], [["w", "d"], 12], [["w", "a", "ArrowUp"], 14],
    [["Shift", "w"], 16], [["s", "ArrowDown"], 18], [["w"], 20.2],
  ],
  // Ahead over the stairs, in bends, back, and on.
  vehicle: [
    [["w"], 4], [["w", "a"], 6], [["w", "d"], 9], [[], 10], [["s"], 13], [["s", "d"], 15], [["w", "a"], 18], [["w"], 20.2],
  ],
  // Hoist, slew with the load, boom down and up, back, lower.
  "mobile-crane": [
    [["ArrowUp"], 4], [["a", "ArrowUp"], 8], [["w"], 11], [["d", "s"], 15], [["d"], 17], [["ArrowDown"], 20.2],
  ],
  "tower-crane": [
    [["ArrowUp"], 4], [["d", "ArrowUp"], 8], [["w"], 11], [["a", "s"], 15], [["a"], 17], [["ArrowDown"], 20.2],
  ],
};

let browser: Browser;
beforeAll(async () => {
  browser = await launch();
});
afterAll(() => browser?.close());

const only = process.env.ONLY;
const courses = Object.entries(COURSES).filter(([name]) => !only || only === name);

test.each(courses)("%s", { timeout: 3_600_000, retry: 0 }, async (name, course) => {
  const server = await serve(name);
  const view = await open(browser, server.url, { width: 360, height: 240 });
  await view.page.locator("#canvas").focus();
  for (const [keys, until] of course) {
    for (const key of keys) await view.page.keyboard.down(key);
    await view.until((s) => s.time >= until, `${name}: ${until} s`, 1800);
    for (const key of keys) await view.page.keyboard.up(key);
  }
  const { newest } = await view.pause();
  const text = async (path: string) => (await fetch(new URL(path, server.url))).text();
  const folder = mkdtempSync(`${tmpdir()}/taut-`);
  const [file, saved] = [await text("scene.json"), await text("save.html")];
  writeFileSync(`${folder}/driven.json`, file);
  const data = /<script[^>]*id="recording"[^>]*>([^<]*)</.exec(saved)?.[1] ?? "";
  const live = Uint8Array.from(Buffer.from(data.trim(), "base64"));
  writeFileSync(`${folder}/live.rec`, live);
  const run = (...args: string[]) => execFileSync(command(), ["run", ...args], { stdio: "ignore" });
  run(`${folder}/driven.json`, "--frames", String(newest), "--record", `${folder}/driven.rec`, "--poses", `${folder}/driven.csv`);

  // Places in every frame, as the server has them: rounded to single precision, no more.
  const rows = readFileSync(`${folder}/driven.csv`, "utf8").trim().split("\n").slice(1).map((row) => row.split(","));
  const bodies = rows.length / newest;
  let [places, first, last] = [0, [] as number[], [] as number[]];
  for (let body = 0; body < bodies; body += 1) {
    const words = new DataView(await (await fetch(new URL(`series/body/${body}?all`, server.url))).arrayBuffer());
    const width = 4 * 8;
    for (let at = 0; at + width <= words.byteLength; at += width) {
      const frame = words.getUint32(at, true);
      if (frame === 0) continue;
      const row = rows[(frame - 1) * bodies + body] ?? [];
      const mine = [0, 1, 2].map((k) => words.getFloat32(at + 8 + 4 * k, true));
      expect(mine, `${name}: body ${row[2]}, frame ${frame}`).toEqual([3, 4, 5].map((k) => Math.fround(Number(row[k]))));
      if (body === 0) [first, last] = [first.length > 0 ? first : mine, mine];
      places += 1;
    }
  }
  expect(places).toBeGreaterThan(1000 * bodies);
  // What is saved, rotations too.
  const [one, other] = [await decodeRecording(live), await decodeRecording(new Uint8Array(readFileSync(`${folder}/driven.rec`)))];
  expect(other.frames.length).toBe(one.frames.length);
  one.frames.forEach((frame, i) => {
    expect([...(other.frames[i]?.positions ?? [])], `frame ${i}`).toEqual([...frame.positions]);
    expect([...(other.frames[i]?.rotations ?? [])], `frame ${i}`).toEqual([...frame.rotations]);
  });
  // Recordings hold the state at their end in full: a frame on, all digits are compared.
  for (const which of ["live", "driven"]) run(`${folder}/${which}.rec`, "--frames", "1", "--poses", `${folder}/${which}-on.csv`);
  expect(readFileSync(`${folder}/live-on.csv`, "utf8")).toBe(readFileSync(`${folder}/driven-on.csv`, "utf8"));
  const drives = (JSON.parse(file).drives as { motor?: { from?: number } }[]).filter((d) => d.motor?.from !== undefined);
  console.log(`${name}: ${newest} frames, ${bodies} bodies, ${places} places and the state at the end equal; ${drives.length} drives; first body from ${first} to ${last}`);
  expect(view.errors).toEqual([]);
  await view.close();
  server.stop();
});
