/** Faults that were mended, and must stay so. */

import { copyFileSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { Browser } from "playwright-core";
import { chromium } from "playwright-core";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { launch, open, type Server, serve, type View } from "./harness";

const SCENE = fileURLToPath(new URL("scene.json", import.meta.url));

declare global {
  interface Window {
    other: { send(command: unknown): void; you: number; told: string };
  }
}

let browser: Browser;
let server: Server;
let view: View;
beforeAll(async () => {
  browser = await launch();
});
afterAll(() => browser?.close());
afterEach(async () => {
  const errors = view?.errors ?? [];
  await view?.close();
  server?.stop();
  expect(errors).toEqual([]);
});

test("keys act where they should, and only there", async () => {
  server = await serve(SCENE);
  view = await open(browser, server.url);
  const { page } = view;
  await view.until((s) => s.number >= 5);
  await view.pause();
  // Behind a dialog nothing happens.
  await page.keyboard.press("?");
  await expect.poll(() => page.locator("dialog[open]").count()).toBe(1);
  await page.keyboard.press("t");
  await page.keyboard.press("Escape");
  await expect.poll(() => page.locator("dialog[open]").count()).toBe(0);
  expect((await view.state()).theme).toBe("light");
  // Space on a checkbox checks it, and does not play.
  await page.focus("#show-contacts");
  await page.keyboard.press("Space");
  await expect.poll(() => page.isChecked("#show-contacts")).toBe(true);
  expect((await view.state()).playing).toBe(false);
  // Typing in a list chooses from the list.
  await page.focus("#colour");
  await page.keyboard.type("t");
  expect((await view.state()).theme).toBe("light");
  // Arrows go from tab to tab.
  await page.focus("#tab-view");
  const { number } = await view.state();
  await page.keyboard.press("ArrowRight");
  await expect.poll(() => page.getAttribute("#tab-drive", "aria-selected")).toBe("true");
  await page.keyboard.press("End");
  await expect.poll(() => page.evaluate(() => document.activeElement?.id)).toBe("tab-edit");
  expect((await view.state()).number).toBe(number);
  // The picture has a name, and the keyboard turns it.
  await page.focus("#canvas");
  expect(await page.getAttribute("#canvas", "aria-label")).toMatch(/test-scene/);
  const before = await page.evaluate(() => window.taut.camera());
  await page.keyboard.press("Shift+ArrowLeft");
  const after = await page.evaluate(() => window.taut.camera());
  expect(Math.hypot(...after.map((x, i) => x - (before[i] ?? 0)))).toBeGreaterThan(0.05);
});

test("the size is that of the scene that is shown", async () => {
  server = await serve("newtons-cradle");
  view = await open(browser, server.url);
  const { page } = view;
  const size = async (text: string, bodies: number) => {
    await page.fill("#size", text);
    await page.press("#size", "Enter");
    await expect.poll(async () => (await view.counts()).bodies).toBe(bodies);
  };
  await size("3", 3);
  // What is cut is said.
  await size("5000", 100);
  await expect.poll(() => page.textContent("#notice")).toMatch(/5000 balls.*100/);
  await page.selectOption("#scenes", "heavy-stack");
  await view.until((s) => s.scene === "heavy-stack");
  expect(await page.inputValue("#size")).toBe("");
  await expect.poll(async () => (await view.counts()).bodies).toBe(10);
});

test("plots, speeds and notices are those of the run", async () => {
  server = await serve(SCENE);
  view = await open(browser, server.url);
  const { page } = view;
  // Another page, as far as the server knows.
  await page.evaluate(() => {
    const socket = new WebSocket(new URL("socket", location.href.replace("http", "ws")));
    Object.assign(window, { other: { send: (c: unknown) => socket.send(JSON.stringify(c)), you: 0, told: "" } });
    socket.onmessage = ({ data }) => {
      const { you, status } = typeof data === "string" ? JSON.parse(data) : {};
      if (you) window.other.you = you;
      if (status?.notice_to === window.other.you) window.other.told = status.notice;
    };
  });
  await view.until((s) => s.number >= 5);
  const before = await view.pause();
  await view.tab("solver");
  await page.fill("#engine-dt", "0.5");
  await page.press("#engine-dt", "Enter");
  await page.evaluate(() => window.taut.send({ step: 2 }));
  await view.until((s) => s.time > before.time + 0.9);
  await view.tab("plots");
  await view.until((s) => s.plotted > 5);
  await expect.poll(() => page.evaluate(() => window.taut.plotted())).toBeCloseTo(before.time + 1, 2);
  // A speed that is not in the list is shown all the same.
  await page.evaluate(() => window.other.send({ speed: 0.33 }));
  await expect.poll(() => page.inputValue("#speed")).toBe("0.33");
  await page.keyboard.press("+");
  await expect.poll(() => page.inputValue("#speed")).toBe("0.5");
  // What another page is refused is told to that page.
  const grab = { grab: { body: 1, point: [0, 0, 0] as [number, number, number], target: [0, 0, 2] as [number, number, number] } };
  await page.evaluate((g) => window.taut.send(g), grab);
  await page.evaluate(() => window.taut.send({ play: true }));
  await view.until((s) => s.held !== null);
  await page.evaluate((g) => window.other.send(g), grab);
  await expect.poll(() => page.evaluate(() => window.other.told)).toMatch(/somebody else/);
  expect(await page.textContent("#notice")).not.toMatch(/somebody else/);
  await expect.poll(() => page.textContent("#line")).toMatch(/a step takes .*s · playing (in|at [\d.]+ (of|times)) real time/);
});

test("the page runs nothing but its own script, and says so where it cannot draw", async () => {
  server = await serve(SCENE);
  const response = await fetch(server.url);
  expect(response.headers.get("content-security-policy")).toMatch(/script-src 'sha256-[^']+'; style-src 'sha256-[^']+'/);
  view = await open(browser, server.url);
  await view.page.evaluate(() => {
    const script = document.createElement("script");
    script.textContent = "window.foreign = true";
    document.head.append(script);
  });
  expect(await view.page.evaluate(() => "foreign" in window)).toBe(false);
  expect(view.errors.splice(0).join()).toMatch(/Content Security Policy/);
  const blind = await chromium.launch({ executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium", args: ["--no-sandbox", "--disable-3d-apis"] });
  const page = await blind.newPage();
  await page.goto(server.url);
  await expect.poll(() => page.textContent("#lacking")).toMatch(/WebGL/);
  await blind.close();
});

test("the first view shows what matters", async () => {
  for (const scene of ["wall", "tower"]) {
    const shown = await serve(scene);
    const page = await open(browser, shown.url);
    await page.until((s) => s.number >= 1);
    const share = await page.page.evaluate(() => window.taut.spread());
    expect(share, `${scene}: share of the height or width that most bodies take`).toBeGreaterThan(0.45);
    await page.close();
    shown.stop();
  }
  server = await serve(SCENE);
  view = await open(browser, server.url);
});

test("what is hidden has no arrows, and a search is ended by Enter", async () => {
  server = await serve(SCENE);
  view = await open(browser, server.url);
  const { page } = view;
  await view.until((s) => s.number >= 15);
  await view.pause();
  await page.check("#show-contacts");
  const arrows = async () => (await view.counts()).contactArrows;
  await expect.poll(arrows).toBeGreaterThanOrEqual(6);
  const all = await arrows();
  await view.tab("body");
  await page.fill("#search", "upp");
  await page.press("#search", "Enter");
  await view.until((s) => s.selected === 1);
  await page.click("#hide");
  // What it does to the box below is still seen.
  expect(await arrows()).toBe(all);
  await page.fill("#search", "lower");
  await page.press("#search", "Enter");
  await page.click("#hide");
  await expect.poll(arrows).toBe(0);
  await page.click("#unhide");
  await expect.poll(arrows).toBe(all);
});

test("tables have every frame, contacts are plotted, and pages hold forces on request", async () => {
  server = await serve(SCENE);
  view = await open(browser, server.url);
  const { page } = view;
  await view.until((s) => s.newest >= 20);
  const { newest } = await view.pause();
  await view.tab("plots");
  const table = async () => {
    const [download] = await Promise.all([page.waitForEvent("download"), page.click("#csv")]);
    return readFileSync(await download.path(), "utf8").split("\n");
  };
  const run = await table();
  expect(run[0]).toMatch(/^frame,time \[s\],step_ms/);
  expect(run.length).toBe(newest + 2);
  await view.until((s) => s.details);
  await page.focus("#subject");
  await page.selectOption("#subject", { label: "lower on upper" });
  await expect.poll(() => page.textContent("#plots")).toMatch(/lower on upper: force, N/);
  const rows = await table();
  expect(rows[0]).toBe("frame,time [s],force [N],points that press,points that slide,least gap [m]");
  // Two kilograms rest on it.
  expect(Number(rows.at(-1)?.split(",")[2])).toBeCloseTo(2 * 9.81, 0);
  await view.tab("view");
  await page.check("#save-forces");
  const [download] = await Promise.all([page.waitForEvent("download"), page.click("#save")]);
  const file = `${await download.path()}.html`;
  copyFileSync(await download.path(), file);
  const replay = await open(browser, `file://${file}`);
  await replay.seek(15);
  await replay.tab("view");
  await replay.page.check("#show-contacts");
  await expect.poll(async () => (await replay.counts()).contactArrows).toBeGreaterThanOrEqual(6);
  expect(replay.errors).toEqual([]);
  await replay.close();
});

test("shadows are drawn anew when something moves, not when the view turns", async () => {
  server = await serve(SCENE);
  view = await open(browser, server.url);
  const { page } = view;
  await view.until((s) => s.number >= 5);
  await view.pause();
  const moving = await page.evaluate(() => window.taut.renders(1));
  const turning = await page.evaluate(() => window.taut.renders(1, true));
  expect(turning.triangles).toBeLessThan(0.8 * moving.triangles);
  const { calls } = await page.evaluate(() => window.taut.renders(1));
  expect(calls).toBe(moving.calls);
});

test("films have all pixels, and the ground one colour", async () => {
  server = await serve(SCENE);
  view = await open(browser, server.url);
  const { page } = view;
  await view.until((s) => s.number >= 5);
  await view.pause();
  const ground = () => view.pixels([{ x: 60, y: 330 }, { x: 400, y: 380 }]);
  await page.evaluate(() => window.taut.look(false));
  const rich = await ground();
  await page.evaluate(() => window.taut.look(true));
  const plain = await ground();
  rich.flat().forEach((x, i) => expect(Math.abs(x - (plain.flat()[i] ?? 0)), `${rich} ${plain}`).toBeLessThan(9));
  // As on a machine that is too slow.
  await page.evaluate(() => window.taut.coarsen());
  const width = () => page.evaluate(() => (document.getElementById("canvas") as HTMLCanvasElement).width);
  const coarse = await width();
  await page.click("#film");
  const filmed = await width();
  expect(filmed).toBe(2 * coarse);
  expect(await page.getAttribute("#film", "aria-pressed")).toBe("true");
  const [download] = await Promise.all([page.waitForEvent("download"), page.click("#film")]);
  expect(download.suggestedFilename()).toBe("test-scene.webm");
  expect(await page.getAttribute("#film", "aria-pressed")).toBe("false");
});

test("the keyboard alone reaches every control, shows where it is, and pulls a body", async () => {
  server = await serve(SCENE);
  view = await open(browser, server.url, { width: 900, height: 560 });
  const { page } = view;
  await view.until((s) => s.number >= 5);
  await view.pause();
  for (const tab of ["view", "drive", "solver", "body", "plots"]) {
    await view.tab(tab);
    // What can be seen and pressed; of the tabs one, for arrows lead to the others.
    const wanted = await page.evaluate(() => {
      const all = [...document.querySelectorAll<HTMLElement>("button, input, select, summary, #canvas, .uplot")];
      const reachable = all.filter((e) => e.checkVisibility() && !("disabled" in e && e.disabled) && e.getAttribute("role") !== "tab");
      reachable.forEach((e, i) => (e.dataset.walk = String(i)));
      return reachable.length;
    });
    const seen = new Set<string>();
    await page.focus("#canvas");
    for (let i = 0; i < wanted + 12; i += 1) {
      await page.keyboard.press("Tab");
      const at = await page.evaluate(() => {
        const e = document.activeElement;
        if (!(e instanceof HTMLElement) || e === document.body) return null;
        const style = getComputedStyle(e);
        // An outline that lies outside of the page is none.
        const [box, out] = [e.getBoundingClientRect(), parseFloat(style.outlineOffset)];
        const inside = box.left - out >= 0 && box.right + out <= innerWidth && box.bottom + out <= innerHeight;
        return { walk: e.dataset.walk, id: e.id, visible: style.outlineStyle !== "none" && parseFloat(style.outlineWidth) >= 2 && inside };
      });
      if (!at) continue;
      expect(at.visible, `${tab}: focus on ${at.id} is seen`).toBe(true);
      if (at.walk) seen.add(at.walk);
    }
    expect(seen.size, `controls reached in ${tab}`).toBe(wanted);
    await page.evaluate(() => document.querySelectorAll<HTMLElement>("[data-walk]").forEach((e) => delete e.dataset.walk));
  }
  // Plots are read along by keys, and nothing else happens.
  const { number } = await view.state();
  const plot = page.locator(".uplot").first();
  await plot.focus();
  await page.keyboard.press("Home");
  await expect.poll(() => plot.locator(".u-title").textContent()).toMatch(/^0\.\d+ s: [\d.]+, [\d.]+$/);
  const first = await plot.getAttribute("aria-valuenow");
  await page.keyboard.press("ArrowRight");
  await expect.poll(() => plot.getAttribute("aria-valuenow")).not.toBe(first);
  expect((await view.state()).number).toBe(number);
  // The list shows bodies before anything is typed.
  await view.tab("body");
  expect(await page.locator("#bodies button").count()).toBe(4);
  await page.focus("#bodies li:nth-child(2) button");
  await page.keyboard.press("Enter");
  await view.until((s) => s.selected === 1);
  await page.focus("#canvas");
  await page.keyboard.press("l");
  const { on } = await view.body(1);
  const middle = await page.evaluate(() => {
    const box = document.getElementById("canvas")?.getBoundingClientRect();
    return { x: (box?.width ?? 0) / 2, y: (box?.height ?? 0) / 2 };
  });
  expect(Math.hypot(on.x - middle.x, on.y - middle.y)).toBeLessThan(2);
  // Sideways, up and back, and without the arrows that a machine may have.
  const eye = () => page.evaluate(() => window.taut.camera());
  const moved = async (key: string) => {
    const [start] = [await eye(), await page.keyboard.press(key)];
    return (await eye()).map((x, i) => x - (start[i] ?? 0));
  };
  const [left, right] = [await moved("n"), await moved("m")];
  expect(Math.hypot(...left)).toBeGreaterThan(0.05);
  left.forEach((x, i) => expect(x + (right[i] ?? 0)).toBeCloseTo(0, 3));
  expect((await moved("Shift+M"))[2]).toBeGreaterThan(0.02);
  expect((await moved("Shift+N"))[2]).toBeLessThan(-0.02);
  expect((await moved("8"))[2]).toBeGreaterThan(0.02);
  expect((await moved("7"))[2]).toBeLessThan(-0.02);
  expect(Math.hypot(...(await moved("5")))).toBeGreaterThan(0.05);
  await moved("6");
  const before = (await view.body(1)).at[2] ?? 0;
  await page.keyboard.press("x");
  await view.until((s) => s.held?.body === 1 && s.playing);
  for (let i = 0; i < 8; i += 1) await page.keyboard.press("ArrowUp");
  await expect.poll(async () => (await view.body(1)).at[2]).toBeGreaterThan(before + 0.1);
  await page.keyboard.press("x");
  await view.until((s) => s.held === null);
  // A file is opened by a button too.
  await view.tab("view");
  const [chooser] = await Promise.all([page.waitForEvent("filechooser"), page.press("#open", "Enter")]);
  const ball = { name: "ball", shape: { ball: { radius: 0.2 } }, position: [0, 0, 1], mass: 1 };
  const file = JSON.stringify({ version: 1, name: "chosen", bodies: [ball] });
  await chooser.setFiles({ name: "chosen.json", mimeType: "application/json", buffer: Buffer.from(file) });
  await view.until((s) => s.scene === "chosen");
  await expect.poll(() => page.textContent("#line")).toMatch(/^1 body /);
});

test("who comes late, or opens the panel on a phone, still sees the machine", async () => {
  server = await serve("vehicle");
  view = await open(browser, server.url);
  await view.until((s) => s.number >= 2);
  expect(await view.page.textContent("#scenes option:checked")).toBe("vehicle (as started)");
  expect(await view.page.textContent("label:has(#follow)")).toBe("follow hull");
  const place = async (page: View) => {
    const hull = await page.page.evaluate(() => window.taut.index("hull"));
    const [{ at }, camera] = [await page.body(hull), await page.page.evaluate(() => window.taut.camera())];
    return camera.map((x, i) => x - (at[i] ?? 0));
  };
  await view.until((s) => s.time > 1.5);
  await view.pause();
  const first = await place(view);
  const late = await open(browser, server.url);
  (await place(late)).forEach((x, i) => expect(x).toBeCloseTo(first[i] ?? 0, 1));
  await late.close();
  // Opening the panel takes height, not size.
  const phone = await open(browser, server.url, { width: 390, height: 844 });
  const wide = async () => {
    const [a, b] = await phone.page.evaluate(() => [window.taut.index("hull"), 0]).then(([h]) => Promise.all([phone.body(h ?? 0), phone.body((h ?? 0) + 1)]));
    return Math.abs((a?.on.x ?? 0) - (b?.on.x ?? 0));
  };
  const closed = await wide();
  await phone.tab("solver");
  await expect.poll(async () => Math.abs((await wide()) / closed - 1)).toBeLessThan(0.05);
  await phone.close();
});

test("soft bodies show stress, with a scale while they do", async () => {
  server = await serve("soft-press");
  view = await open(browser, server.url);
  const { page } = view;
  await view.until((s) => s.number >= 2, "two frames", 120);
  await view.pause();
  expect(await page.isChecked("#stressed")).toBe(true);
  await expect.poll(() => page.textContent("#stress")).toMatch(/stress0\d.*Pa/);
  const { drawn } = await view.state();
  await page.uncheck("#stressed");
  // It is drawn anew although it stands still.
  await view.until((s) => s.drawn > drawn);
  expect(await page.isVisible("#stress .scale")).toBe(false);
});
