/** Long courses: `npm run courses` drives four machines by keys for 20 s of their time each, saves what was driven,
 * and has a file repeat it: places and speeds of every body in every frame have to be the same in all bits that the
 * server keeps of them. ONLY names one of them. */

import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import type { Browser } from "playwright-core";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { decodeRecording } from "../../src/recording";
import { command, launch, open, type Server, serve } from "./harness";

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
let server: Server | undefined;
beforeAll(async () => {
  browser = await launch();
});
afterEach(() => server?.stop());
afterAll(() => browser?.close());

const only = process.env.ONLY;
const courses = Object.entries(COURSES).filter(([name]) => !only || only === name);

test.each(courses)("%s", { timeout: 3_600_000, retry: 0 }, async (name, course) => {
  server = await serve(name);
  const { url } = server;
  const view = await open(browser, url, { width: 360, height: 240 });
  await view.page.locator("#canvas").focus();
  for (const [keys, until] of course) {
    for (const key of keys) await view.page.keyboard.down(key);
    await view.until((s) => s.time >= until, `${name}: ${until} s`, 1800);
    for (const key of keys) await view.page.keyboard.up(key);
  }
  const { newest } = await view.pause();
  // The server ends connections that are silent for a while, and the run below takes a while.
  const get = (path: string) => fetch(new URL(path, url), { headers: { connection: "close" } });
  const text = async (path: string) => (await get(path)).text();
  const folder = mkdtempSync(`${tmpdir()}/taut-`);
  const [file, saved] = [await text("scene.json"), await text("save.html")];
  writeFileSync(`${folder}/driven.json`, file);
  const data = /<script[^>]*id="recording"[^>]*>([^<]*)</.exec(saved)?.[1] ?? "";
  const live = Uint8Array.from(Buffer.from(data.trim(), "base64"));
  writeFileSync(`${folder}/live.rec`, live);
  const run = (...args: string[]) => execFileSync(command(), ["run", ...args], { stdio: "ignore" });
  run(`${folder}/driven.json`, "--frames", String(newest), "--record", `${folder}/driven.rec`, "--poses", `${folder}/driven.csv`);

  // Places and speeds in every frame, as the server has them: rounded to single precision, no more.
  const rows = readFileSync(`${folder}/driven.csv`, "utf8").trim().split("\n").slice(1).map((row) => row.split(","));
  const bodies = rows.length / newest;
  let [places, first, last] = [0, [] as number[], [] as number[]];
  for (let body = 0; body < bodies; body += 1) {
    const words = new DataView(await (await get(`series/body/${body}?all`)).arrayBuffer());
    const width = 4 * 8;
    for (let at = 0; at + width <= words.byteLength; at += width) {
      const frame = words.getUint32(at, true);
      if (frame === 0) continue;
      const row = rows[(frame - 1) * bodies + body] ?? [];
      const mine = [0, 1, 2, 3, 4].map((k) => words.getFloat32(at + 8 + 4 * k, true));
      const single = (k: number) => Math.fround(Number(row[k]));
      const speed = (k: number) => Math.fround(Math.sqrt([k, k + 1, k + 2].map(single).reduce((sum, x) => Math.fround(sum + Math.fround(x * x)), 0)));
      const again = [single(3), single(4), single(5), speed(10), speed(13)];
      // (−0 is 0.)
      if (mine.some((x, k) => x !== again[k])) expect(mine, `${name}: body ${row[2]}, frame ${frame}`).toEqual(again);
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
  const drives = (JSON.parse(file).drives as { motor?: { from?: number } }[]).filter((d) => d.motor?.from !== undefined);
  console.log(`${name}: ${newest} frames, ${bodies} bodies, ${places} places and speeds equal; ${drives.length} drives; first body from ${first} to ${last}`);
  expect(view.errors).toEqual([]);
  await view.close();
});
