/** The engine without a browser: Node.js loads it as browsers do that have no instructions beyond SIMD. */

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { expect, test } from "vitest";
import { FOLDER } from "./server";

const GLUE = process.env.TAUT_WEB ?? join(FOLDER, "../web-engine");

interface Glue {
  initSync(from: { module: Uint8Array }): void;
  Engine: typeof import("taut-web").Engine;
}

test("scenes run, and answer what they are asked", async () => {
  const bytes = readFileSync(join(FOLDER, "taut_web_bg.wasm"));
  expect(WebAssembly.validate(bytes)).toBe(true);
  const glue = (await import(/* @vite-ignore */ pathToFileURL(join(GLUE, "taut_web.js")).href)) as Glue;
  glue.initSync({ module: bytes });
  for (const name of ["loaded-chain", "mobile-crane", "soft-press"]) {
    const engine = new glue.Engine(name);
    let frames = 0;
    // A second for each frame: whatever it takes, all are due.
    for (let now = 0; now < 12; now += 1) {
      engine.tick(now);
      for (let kind = engine.next(); kind !== 0; kind = engine.next()) {
        if (kind === 1) engine.text();
        else {
          expect(engine.bytes()?.length).toBeGreaterThan(200);
          engine.receive('"ready"');
          frames += 1;
        }
      }
    }
    expect(frames, name).toBe(12);
    expect(JSON.parse(engine.scene_file()).name).toBe(name);
    // Frame, time and 15 figures of the start and of 12 steps.
    expect(engine.rows("figures")?.length).toBe(13 * 4 * 17);
  }
});
