/** The page of a running scene, at desktop and phone width. */

import { fileURLToPath } from "node:url";
import type { Browser } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { DESKTOP, launch, open, PHONE, type Server, serve, type View } from "./harness";

const SCENE = fileURLToPath(new URL("scene.json", import.meta.url));
const SHAPES = fileURLToPath(new URL("shapes.json", import.meta.url));
const [UPPER, BOB] = [1, 2];

let browser: Browser;
beforeAll(async () => {
  browser = await launch();
});
afterAll(() => browser?.close());

const difference = (a: number[] = [], b: number[] = []) => Math.max(...a.map((x, i) => Math.abs(x - (b[i] ?? 0))));

describe.each([
  ["desktop", DESKTOP],
  ["phone", PHONE],
])("%s", (name, viewport) => {
  let server: Server;
  let view: View;

  beforeEach(async () => {
    server = await serve(SCENE);
    view = await open(browser, server.url, viewport);
  });
  afterEach(async () => {
    const errors = view?.errors ?? [];
    await view?.close();
    server?.stop();
    expect(errors).toEqual([]);
  });

  test("plays, pauses, steps, scrubs and starts over", async () => {
    const { scene, live } = await view.until((s) => s.playing && s.number >= 10);
    expect([scene, live]).toEqual(["test-scene", true]);
    expect(await view.counts()).toMatchObject({ bodies: 4 });
    const paused = await view.pause();
    const still = await view.body(BOB);
    await view.page.click("#step");
    await view.until((s) => s.number > paused.number && s.settled);
    expect(difference((await view.body(BOB)).at, still.at)).toBeGreaterThan(1e-4);
    await view.seek(0);
    expect((await view.body(BOB)).at[0]).toBeCloseTo(-1.2, 4);
    expect((await view.state()).newest).toBeGreaterThanOrEqual(10);
    await view.page.keyboard.press("Space");
    await view.until((s) => s.playing && s.number > 0);
    const { generation } = await view.state();
    await view.page.click("#reset");
    await view.until((s) => s.generation > generation && s.newest < 1000);
    await view.page.selectOption("#speed", "0.25");
    await view.until((s) => s.speed === 0.25);
  });

  test("draws bodies, overlays and colours", async () => {
    await view.until((s) => s.number >= 15);
    await view.pause();
    // The bob is orange where the ground is grey.
    const on = (await view.body(BOB)).on;
    const [orange, grey] = await view.pixels([on, { x: 60, y: viewport.height / 2 }]);
    expect((orange?.[0] ?? 0) - (orange?.[2] ?? 0)).not.toBe(0);
    expect(difference(orange, grey)).toBeGreaterThan(30);
    expect(await view.counts()).toMatchObject({ contactDots: 0, contactArrows: 0, jointArrows: 0, pullArrows: 0 });
    await view.tab("view");
    await view.page.check("#show-contacts");
    await view.until((s) => s.details);
    await expect.poll(async () => (await view.counts()).contactArrows).toBeGreaterThanOrEqual(6);
    await view.page.check("#show-joints");
    await expect.poll(async () => (await view.counts()).jointAxes).toBe(1);
    await expect.poll(async () => (await view.counts()).jointArrows).toBe(1);
    await view.page.uncheck("#show-contacts");
    await view.page.uncheck("#show-joints");
    await view.page.check("#show-states");
    await expect.poll(async () => (await view.counts()).contactDots).toBeGreaterThanOrEqual(8);
    expect((await view.counts()).contactArrows).toBe(0);
    // Two boxes in contact are one island, the bob another.
    await view.page.selectOption("#colour", "islands");
    const colours = async () => Promise.all([0, UPPER, BOB].map(async (i) => (await view.body(i)).colour));
    await expect.poll(async () => new Set(await colours()).size).toBe(2);
    const [lower, upper] = await colours();
    expect(lower).toBe(upper);
    await view.page.selectOption("#colour", "groups");
    await expect.poll(async () => (await colours())[0]).toBe((await colours())[1]);
    if (name === "desktop") {
      const light = await view.pixels([{ x: 300, y: 8 }]);
      await view.page.keyboard.press("t");
      await view.until((s) => s.theme === "dark");
      const dark = await view.pixels([{ x: 300, y: 8 }]);
      expect((light[0]?.[0] ?? 0) - (dark[0]?.[0] ?? 0)).toBeGreaterThan(100);
    }
  });

  test("a body is picked, pulled and released", async () => {
    await view.until((s) => s.number >= 5);
    await view.pause();
    await view.tab("body");
    const { x, y } = (await view.body(UPPER)).on;
    await view.page.mouse.click(x, y);
    await view.until((s) => s.selected === UPPER);
    await expect.poll(() => view.page.textContent("#facts")).toMatch(/upper.*mass2 kg.*on lower.*points/);
    const before = (await view.body(UPPER)).at;
    const camera = await view.page.evaluate(() => window.taut.camera());
    await view.page.mouse.move(x, y);
    await view.page.mouse.down();
    await view.page.mouse.move(x, y - 40);
    await view.page.mouse.move(x, y - 120);
    await view.until((s) => s.held?.body === UPPER && s.playing);
    await expect.poll(async () => (await view.counts()).pullArrows).toBe(1);
    await expect.poll(() => view.page.textContent("#force")).toMatch(/\d N$|kN$|mN$/);
    await expect.poll(async () => (await view.body(UPPER)).at[2]).toBeGreaterThan((before[2] ?? 0) + 0.1);
    await view.page.mouse.up();
    await view.until((s) => s.held === null);
    await expect.poll(async () => (await view.counts()).pullArrows).toBe(0);
    expect(difference(await view.page.evaluate(() => window.taut.camera()), camera)).toBeLessThan(1e-6);
    // The camera goes along with a body that is followed, and falls.
    await view.seek(6);
    await view.page.keyboard.press("f");
    await view.seek((await view.state()).newest - 2);
    expect(difference(await view.page.evaluate(() => window.taut.camera()), camera)).toBeGreaterThan(1e-3);
  });

  test("solver, settings and scene change while it runs", async () => {
    await view.until((s) => s.number >= 5 && s.solver === "auto");
    await view.tab("solver");
    await view.page.selectOption("#solver", "pgs");
    await view.until((s) => s.solver === "pgs");
    await view.page.fill("#solver-max_iterations", "30");
    await view.page.press("#solver-max_iterations", "Enter");
    await expect.poll(() => view.page.inputValue("#solver-max_iterations")).toBe("30");
    await view.page.fill("#engine-substeps", "0");
    await view.page.press("#engine-substeps", "Enter");
    await expect.poll(() => view.page.textContent("#notice")).toMatch(/substeps/);
    await expect.poll(() => view.page.inputValue("#engine-substeps")).toBe("1");
    expect(await view.page.inputValue("#solver-max_iterations")).toBe("30");
    const { number } = await view.state();
    await view.until((s) => s.number > number + 5);
    await view.tab("plots");
    await view.until((s) => s.plotted > 5);
    await view.tab("view");
    await view.page.selectOption("#scenes", "newtons-cradle");
    await view.until((s) => s.scene === "newtons-cradle");
    await expect.poll(async () => (await view.counts()).bodies).toBe(5);
  });

  test("what was seen is saved and replays elsewhere", async () => {
    await view.until((s) => s.newest >= 30);
    await view.pause();
    await view.seek(20);
    const seen = await Promise.all([0, UPPER, BOB].map(async (i) => (await view.body(i)).at));
    const [download] = await Promise.all([view.page.waitForEvent("download"), view.page.click("#save")]);
    expect(download.suggestedFilename()).toBe("test-scene.html");
    const file = await download.path();
    server.stop();
    const { copyFileSync } = await import("node:fs");
    copyFileSync(file, `${file}.html`);
    const replay = await open(browser, `file://${file}.html`, viewport);
    expect(await replay.state()).toMatchObject({ scene: "test-scene", live: false });
    await replay.until((s) => s.number >= 3 && s.newest >= 30);
    await replay.seek(20);
    for (const [i, body] of [0, UPPER, BOB].entries()) {
      expect(difference((await replay.body(body)).at, seen[i])).toBeLessThan(2e-5);
    }
    const [there, beside] = await replay.pixels([(await replay.body(BOB)).on, { x: 60, y: viewport.height / 2 }]);
    expect(difference(there, beside)).toBeGreaterThan(30);
    await replay.page.click("#play");
    await replay.until((s) => s.number > 22);
    expect(replay.errors).toEqual([]);
    await replay.close();
    // The page of the server that is gone says so, and nothing else breaks.
    await expect.poll(() => view.page.textContent("#notice")).toMatch(/connection/);
    await view.close();
    view.errors.length = 0;
  });
});

test("every shape is drawn where it is", async () => {
  const server = await serve(SHAPES);
  const view = await open(browser, server.url, { width: 900, height: 500 });
  await view.until((s) => s.number >= 1);
  await view.pause();
  expect(await view.counts()).toMatchObject({ bodies: 10 });
  for (let body = 0; body < 9; body += 1) {
    const { on } = await view.body(body);
    const under = await view.page.evaluate(({ x, y }) => window.taut.under(x, y), on);
    expect(under, `body ${body}`).toBe(body);
  }
  expect(view.errors).toEqual([]);
  await view.close();
  server.stop();
});

test("the solver's own subsystems are shown, live and replayed", async () => {
  const server = await serve("loaded-chain", "--size", "40", "--solver", "schur_bpp");
  const view = await open(browser, server.url);
  /** Colours by subsystem: those of the ends of the chain, and how many the legend counts. */
  const split = async (page: View) => {
    await page.tab("view");
    await page.page.selectOption("#colour", "groups");
    await expect.poll(() => page.page.textContent("#groups")).toMatch(/works on \d+ subsystems/);
    const text = (await page.page.textContent("#groups")) ?? "";
    const [first, second, last] = await Promise.all([0, 1, 39].map(async (i) => (await page.body(i)).colour));
    return { count: Number(/\d+/.exec(text)?.[0]), first, second, last };
  };
  await view.until((s) => s.newest >= 12);
  await view.pause();
  await view.seek(10);
  const seen = await split(view);
  expect(seen.count).toBeGreaterThan(1);
  expect(seen.first).toBe(seen.second);
  expect(seen.first).not.toBe(seen.last);
  const [download] = await Promise.all([view.page.waitForEvent("download"), view.page.click("#save")]);
  const file = `${await download.path()}.html`;
  (await import("node:fs")).copyFileSync(await download.path(), file);
  const replay = await open(browser, `file://${file}`);
  await replay.seek(10);
  expect(await split(replay)).toEqual(seen);
  expect([...view.errors, ...replay.errors]).toEqual([]);
  await Promise.all([view.close(), replay.close()]);
  server.stop();
});

test("nothing overlaps on a phone", async () => {
  const server = await serve(SCENE);
  const view = await open(browser, server.url, PHONE);
  for (const tab of ["view", "solver", "body", "plots"]) {
    await view.tab(tab);
    const boxes = await view.page.evaluate(() => {
      const ids = ["top", "transport", "panel", "tabs"];
      return ids.map((id) => document.getElementById(id)?.getBoundingClientRect().toJSON());
    });
    const [top, transport, panel, tabs] = boxes;
    expect(top.bottom).toBeLessThanOrEqual(transport.top);
    expect(transport.bottom).toBeLessThanOrEqual(panel.top);
    expect(Math.max(top.right, transport.right, panel.right, tabs.right)).toBeLessThanOrEqual(PHONE.width);
    expect(await view.page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(PHONE.width);
  }
  await view.close();
  server.stop();
});
