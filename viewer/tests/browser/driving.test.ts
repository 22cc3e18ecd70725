/** Driving a machine, and what is kept of it; and what axe finds wrong with the page. */

import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { decodeRecording } from "../../src/recording";
import { command, launch, open, PHONE, type Server, serve, type View } from "./harness";

let browser: Browser;
let server: Server;
beforeAll(async () => {
  browser = await launch();
  server = await serve("forklift");
});
afterAll(async () => {
  server?.stop();
  await browser?.close();
});

/** The frames of a page that replays. */
async function framesOf(page: string) {
  const data = /<script[^>]*id="recording"[^>]*>([^<]*)</.exec(page)?.[1] ?? "";
  return (await decodeRecording(Uint8Array.from(Buffer.from(data.trim(), "base64")))).frames;
}

/** Keys that are held together, for so many frames, and what they move. */
const COURSES: Record<string, { keys: [string[], number][]; moves: string; drives: string }> = {
  forklift: { keys: [[["w", "a"], 50], [["w", "d", "ArrowUp"], 25], [["s"], 15]], moves: "chassis", drives: "lift-piston" },
  vehicle: { keys: [[["w"], 25], [["w", "a"], 20], [["w", "d"], 20]], moves: "hull", drives: "" },
  "mobile-crane": { keys: [[["a", "ArrowUp"], 30], [["w"], 15]], moves: "turntable", drives: "drum" },
  "tower-crane": { keys: [[["d", "ArrowUp"], 30], [["w"], 15]], moves: "trolley0", drives: "hoist0" },
};

test.each(Object.entries(COURSES))("%s is driven by keys, and a file repeats it to the same bits", async (name, { keys, moves, drives }) => {
  const own = name === "forklift" ? server : await serve(name);
  const view = await open(browser, own.url);
  await view.until((s) => s.number >= 3);
  await view.page.locator("#canvas").focus();
  const body = await view.page.evaluate((n) => window.taut.index(n), moves);
  const start = (await view.body(body)).at;
  for (const [held, frames] of keys) {
    const { number } = await view.state();
    for (const key of held) await view.page.keyboard.down(key);
    await view.until((s) => s.number > number + frames);
    for (const key of held) await view.page.keyboard.up(key);
  }
  const end = await view.pause();
  const way = Math.hypot(...(await view.body(body)).at.map((x, k) => x - (start[k] ?? 0)));
  expect(way, "it moved").toBeGreaterThan(0.01);

  const text = async (path: string) => (await fetch(new URL(path, own.url))).text();
  const saved = await framesOf(await text("save.html"));
  const folder = mkdtempSync(`${tmpdir()}/taut-`);
  const file = await text("scene.json");
  const driven = JSON.parse(file).drives as { motor?: { joint: string; from?: number } }[];
  const taken = driven.filter((d) => d.motor?.from !== undefined).map((d) => d.motor?.joint);
  if (drives) expect(taken).toContain(drives);
  expect(taken.length).toBeGreaterThan(1);
  writeFileSync(`${folder}/driven.json`, file);
  execFileSync(command(), ["run", `${folder}/driven.json`, "--frames", String(end.newest), "--record", `${folder}/driven.rec`], { stdio: "ignore" });
  const again = (await decodeRecording(new Uint8Array(readFileSync(`${folder}/driven.rec`)))).frames;
  expect(again.length).toBe(saved.length);
  for (const [i, frame] of saved.entries()) {
    expect([...(again[i]?.positions ?? [])], `frame ${i}`).toEqual([...frame.positions]);
    expect([...(again[i]?.rotations ?? [])], `frame ${i}`).toEqual([...frame.rotations]);
  }
  expect(view.errors).toEqual([]);
  await view.close();
  if (own !== server) own.stop();
});

test("a gamepad drives", async () => {
  const view = await open(browser, server.url);
  await view.page.click("#reset");
  await view.play();
  await view.until((s) => s.number >= 1 && s.number < 1000);
  await view.tab("drive");
  await view.page.click("#motors > summary");
  const pad = (axes: number[]) => {
    return view.page.evaluate((axes) => {
      const buttons = Array.from({ length: 17 }, () => ({ value: 0, pressed: false, touched: false }));
      Object.assign(navigator, { getGamepads: () => [null, { mapping: "standard", axes, buttons }] });
    }, axes);
  };
  /** What the motor that drives is told, in rad/s. */
  const target = async () => parseFloat((await view.page.textContent("label:has(#lever-0) output")) ?? "");
  await pad([0, -1, 0, 0]);
  await expect.poll(target).toBeGreaterThan(5);
  await pad([0.1, 0.1, 0, 0]);
  await expect.poll(target).toBe(0);
  expect(view.errors).toEqual([]);
  await view.close();
});

test("sliders move motors, friction and gravity; what was left is a branch", async () => {
  const view = await open(browser, server.url);
  await view.tab("drive");
  await view.play();
  await view.until((s) => s.number >= 12);
  await view.pause();
  await view.seek(10);
  const set = (id: string, value: number) => {
    return view.page.evaluate(([id, value]) => {
      const slider = document.getElementById(String(id)) as HTMLInputElement;
      slider.value = String(value);
      slider.dispatchEvent(new Event("input"));
    }, [id, value] as const);
  };
  await set("friction-crate", 0.1);
  await expect.poll(() => view.page.locator(".branch").count()).toBeGreaterThan(0);
  await expect.poll(() => view.page.textContent("#notice")).toMatch(/kept as branch/);
  const kept = (await view.page.textContent("#notice")) ?? "";
  await view.until((s) => s.newest === 10);
  await set("gravity", 3);
  await view.tab("solver");
  await expect.poll(() => view.page.inputValue("#engine-gravity")).toBe("3");
  await view.tab("drive");
  await view.page.click("#motors > summary");
  await set("lever-1", 0.05);
  await view.until((s) => s.playing && s.number > 15);
  // What was changed holds from then on, in the saved scene too.
  const file = JSON.parse(await (await fetch(new URL("scene.json", server.url))).text());
  const { change } = file.drives.find((d: { change?: unknown }) => d.change);
  expect(change).toMatchObject({ gravity: [0, 0, -3], friction: { crate: 0.1 } });
  expect([change.time > 0.1, file.gravity?.[2] ?? -9.81]).toEqual([true, -9.81]);
  expect(await view.page.isHidden("#unsaid")).toBe(true);
  // The run that was left keeps its number, and has it when it is gone back to.
  const [, left, now] = /as branch (\d+); this is (\d+)/.exec(kept) ?? [];
  expect(Number(now)).toBeGreaterThan(Number(left));
  await expect.poll(() => view.page.textContent("#branches")).toMatch(new RegExp(`This is branch ${now}\\..*branch ${left}: frames 10 to`));
  await view.page.click(`[data-branch="${left}"]`);
  await view.until((s) => !s.playing && s.number === 10 && s.newest > 10);
  await expect.poll(() => view.page.textContent("#branches")).toMatch(new RegExp(`This is branch ${left}\\.`));
  expect(view.errors).toEqual([]);
  await view.close();
});

test("a scene file that is dropped is shown, a wrong one explained", async () => {
  const view = await open(browser, server.url);
  const drop = (name: string, content: string) => {
    return view.page.evaluate(([name, content]) => {
      const data = new DataTransfer();
      data.items.add(new File([content ?? ""], name ?? ""));
      dispatchEvent(new DragEvent("drop", { dataTransfer: data, bubbles: true, cancelable: true }));
    }, [name, content]);
  };
  const ball = { name: "ball", shape: { ball: { radius: 0.2 } }, position: [0, 0, 1], mass: 1 };
  await drop("mine.json", JSON.stringify({ version: 1, name: "dropped", bodies: [ball] }));
  await view.until((s) => s.scene === "dropped");
  // The list says what is shown, and the way back.
  await expect.poll(() => view.page.evaluate(() => (document.getElementById("scenes") as HTMLSelectElement).selectedOptions[0]?.textContent)).toBe("dropped (dropped)");
  await drop("bad.json", JSON.stringify({ version: 1, bodies: [{ ...ball, mass: "heavy" }] }));
  await expect.poll(() => view.page.textContent("#notice")).toMatch(/bodies\[0\].mass: expected a number/);
  // The refusal is an answer of the server, which browsers note.
  expect(view.errors.filter((e) => !e.includes("400"))).toEqual([]);
  await view.page.selectOption("#scenes", "");
  await view.until((s) => s.scene === "forklift");
  await view.close();
});

/** What axe finds that is serious, in words; by one rule or by all. */
async function faults(view: View, rule?: string): Promise<string[]> {
  const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
  if (!(await view.page.evaluate(() => "axe" in window))) await view.page.evaluate(axe);
  const found = await view.page.evaluate((rule) => {
    const { axe } = window as unknown as { axe: { run(options: object): Promise<{ violations: Violation[] }> } };
    return axe.run(rule ? { runOnly: [rule] } : {});
  }, rule);
  const serious = found.violations.filter((v) => v.impact === "serious" || v.impact === "critical");
  return serious.map((v) => `${v.id}: ${v.nodes.map((n) => n.target.join(" ")).join(", ")}`);
}

interface Violation {
  id: string;
  impact: string;
  nodes: { target: string[] }[];
}

test.each(["desktop", "phone"])("axe finds nothing serious (%s, light and dark)", { timeout: 400_000 }, async (size) => {
  const own = await serve("vehicle");
  const view = await open(browser, own.url, size === "phone" ? PHONE : { width: 1000, height: 640 }, "light");
  const { page } = view;
  await view.until((s) => s.number >= 3);
  await view.pause();
  const scan = async (where: string) => {
    // Themes differ in their colours alone.
    for (const [theme, rule] of [["light"], ["dark", "color-contrast"]] as const) {
      expect((await view.state()).theme).toBe(theme);
      expect(await faults(view, rule), `${where}, ${theme}`).toEqual([]);
      await page.evaluate(() => document.getElementById("theme")?.click());
    }
  };
  for (const tab of ["view", "drive", "solver", "body", "plots"]) {
    await view.tab(tab);
    if (tab === "view") await page.check("#show-states");
    if (tab === "view") await page.selectOption("#colour", "groups");
    // Everything that is folded up, a branch, and what a body says.
    if (tab === "drive") await page.evaluate(() => document.querySelectorAll("details").forEach((d) => (d.open = true)));
    if (tab === "body") await page.locator("#bodies button").first().click();
    await scan(tab);
  }
  await page.evaluate(() => {
    const data = new DataTransfer();
    data.items.add(new File(["?"], "notes.txt"));
    dispatchEvent(new DragEvent("drop", { dataTransfer: data, bubbles: true, cancelable: true }));
  });
  await expect.poll(() => page.textContent("#notice")).toMatch(/neither a scene file/);
  await scan("a notice");
  await page.click("#help-open");
  await scan("help");
  await view.close();
  own.stop();
});
