/** The playground from a plain static server, at desktop and phone width. */

import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Browser } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { DESKTOP, launch, open, PHONE, type Server, type View } from "../browser/harness";
import { serveFolder } from "./server";

const SCENE = readFileSync(new URL("../browser/scene.json", import.meta.url), "utf8");

let [browser, server] = [null as unknown as Browser, null as unknown as Server];
let view: View;

beforeAll(async () => {
  [browser, server] = [await launch(), await serveFolder()];
});
afterAll(async () => {
  await browser?.close();
  server?.stop();
});
afterEach(async () => {
  const errors = view?.errors ?? [];
  await view?.close();
  expect(errors).toEqual([]);
});

/** Chooses a scene of the list. */
async function choose(name: string) {
  await view.tab("view");
  await view.page.selectOption("#scenes", name);
  return view.until((s) => s.scene === name && s.number >= 0 && s.settled);
}

describe.each([
  ["desktop", DESKTOP],
  ["phone", PHONE],
])("%s", (name, viewport) => {
  beforeEach(async () => {
    view = await open(browser, server.url, viewport);
  });

  test("begins with a crane, plays, and takes other scenes and solvers", async () => {
    const first = await view.until((s) => s.playing && s.number >= 3);
    expect([first.scene, first.live]).toEqual(["mobile-crane", true]);
    expect((await view.counts()).triangles).toBeGreaterThan(1000);
    await choose("loaded-chain");
    await view.until((s) => s.number >= 20 && s.time > 0.1);
    await view.page.fill("#size", "5");
    await view.page.press("#size", "Enter");
    await expect.poll(async () => (await view.counts()).bodies).toBeLessThan(10);
    await view.tab("solver");
    await view.page.selectOption("#solver", "pgs");
    await view.until((s) => s.solver === "pgs");
    const paused = await view.pause();
    await view.seek(Math.floor(paused.newest / 2));
    await view.page.click("#reset");
    await view.until((s) => s.generation > paused.generation);
    expect((await view.state()).solver).toBe("pgs");
  });

  test("bodies are pulled", async () => {
    await choose("boxes");
    await view.until((s) => s.number >= 5);
    await view.pause();
    await view.tab("view");
    if (name === "phone") await view.page.click("#tab-view");
    const body = await view.page.evaluate(() => {
      const bodies = [...Array(window.taut.counts().bodies).keys()];
      const seen = (i: number) => {
        const { x, y } = window.taut.body(i).on;
        return window.taut.under(x, y) === i;
      };
      return bodies.findLast(seen) ?? -1;
    });
    expect(body).toBeGreaterThanOrEqual(0);
    const before = await view.body(body);
    const { x, y } = before.on;
    await view.page.mouse.move(x, y);
    await view.page.mouse.down();
    await view.page.mouse.move(x, y - 40);
    await view.page.mouse.move(x, y - 90);
    await view.until((s) => s.held?.body === body && s.playing);
    await expect.poll(async () => (await view.body(body)).at[2]).toBeGreaterThan((before.at[2] ?? 0) + 0.05);
    await view.page.mouse.up();
    await view.until((s) => s.held === null);
  });

  test("a scene is edited: mistakes are shown where they are, the schema helps, and it runs", async () => {
    await view.until((s) => s.number >= 1);
    await view.tab("edit");
    await expect.poll(() => view.page.inputValue("#source")).toContain('"mobile-crane"');
    const lines = SCENE.split("\n");
    const wrong = SCENE.replace('"mass": 5', '"mass": "5"');
    await view.page.fill("#source", wrong);
    await view.page.click("#run");
    const line = lines.findIndex((l) => l.includes('"mass": 5')) + 1;
    await expect.poll(() => view.page.textContent("#wrong")).toMatch(new RegExp(`^bodies\\[2\\]\\.mass: .*line ${line}\\b`));
    const selected = await view.page.evaluate(() => {
      const text = document.getElementById("source") as HTMLTextAreaElement;
      return text.value.slice(text.selectionStart, text.selectionEnd);
    });
    expect(selected).toContain('"mass": "5"');
    await view.page.fill("#source", SCENE);
    await view.page.evaluate(() => {
      const text = document.getElementById("source") as HTMLTextAreaElement;
      const at = text.value.indexOf('"name": "bob"');
      text.setSelectionRange(at, at);
      text.click();
    });
    expect(await view.page.textContent("#advice")).toMatch(/^bodies\[2\]/);
    await view.page.click('#advice button:text-is("colour")');
    expect(await view.page.inputValue("#source")).toContain('"colour": "", "name": "bob"');
    await view.page.fill("#source", SCENE);
    await view.page.keyboard.press("Control+Enter");
    await view.until((s) => s.scene === "test-scene" && s.number >= 1);
    expect(await view.page.isVisible("#wrong")).toBe(false);
    expect(await view.counts()).toMatchObject({ bodies: 4 });
    expect(await view.page.inputValue("#source"), "what was run stays").toBe(SCENE);
  });
});

test("machines are driven", async () => {
  view = await open(browser, server.url);
  await view.until((s) => s.number >= 5);
  await view.tab("drive");
  const key = view.page.locator("#controls button.drive").first();
  await key.hover();
  await view.page.mouse.down();
  await view.until((s) => s.playing);
  await view.page.mouse.up();
  // What was driven is part of the scene file.
  const saved = view.page.waitForEvent("download");
  await view.page.click("#save-scene");
  const file = JSON.parse(readFileSync((await (await saved).path()) ?? "", "utf8"));
  expect(file.name).toBe("mobile-crane");
  expect(file.drives.length).toBeGreaterThan(0);
});

test("files are taken, and links carry scenes and settings", async () => {
  view = await open(browser, server.url);
  await view.until((s) => s.number >= 1);
  await view.tab("view");
  const path = join(mkdtempSync(join(tmpdir(), "taut-")), "mine.json");
  writeFileSync(path, SCENE.replace("test-scene", "größer"));
  const chooser = view.page.waitForEvent("filechooser");
  await view.page.click("#open");
  await (await chooser).setFiles(path);
  await view.until((s) => s.scene === "größer" && s.number >= 1);
  await view.tab("solver");
  await view.page.fill("#engine-substeps", "2");
  await view.page.press("#engine-substeps", "Enter");
  await expect.poll(() => view.page.inputValue("#engine-substeps")).toBe("2");
  await view.page.click("#link");
  await expect.poll(() => view.page.evaluate(() => location.hash)).toMatch(/^#file=[\w-]+&settings=/);
  const address = view.page.url();
  await view.close();
  view = await open(browser, address);
  await view.until((s) => s.scene === "größer" && s.number >= 1);
  await view.tab("solver");
  await expect.poll(() => view.page.inputValue("#engine-substeps")).toBe("2");
  // In the same page, too: people paste links.
  await view.page.evaluate(() => (location.hash = "#scene=loaded-chain&size=4&solver=" + encodeURIComponent('{"pgs": {}}')));
  await view.until((s) => s.scene === "loaded-chain" && s.solver === "pgs" && s.number >= 1);
  expect((await view.counts()).bodies).toBeLessThan(10);
});

test("nobody waits for the step of a slow scene to choose another one", async () => {
  view = await open(browser, `${server.url}#scene=jelly-stack`);
  await view.until((s) => s.scene === "jelly-stack" && s.number >= 0);
  await choose("boxes");
  await view.until((s) => s.number >= 3);
  expect(await view.page.isVisible("#notice")).toBe(false);
});

test("links that say nonsense are said to", async () => {
  view = await open(browser, `${server.url}#scene=no-such-thing`);
  await expect.poll(() => view.page.textContent("#notice")).toMatch(/no-such-thing/);
  expect((await view.state()).scene).toBe("mobile-crane");
  await view.page.evaluate(() => (location.hash = "#file=%%%"));
  await expect.poll(() => view.page.textContent("#notice")).toMatch(/link cannot be read/);
});

test("nothing comes from elsewhere, and without a network it goes on", async () => {
  view = await open(browser, server.url);
  const asked: string[] = [];
  view.page.on("request", (request) => asked.push(request.url()));
  await view.page.evaluate(async () => void (await navigator.serviceWorker.ready));
  await view.page.reload();
  await view.until((s) => s.number >= 3);
  const foreign = asked.filter((url) => !url.startsWith(server.url) && !url.startsWith("data:") && !url.startsWith("blob:"));
  expect(foreign).toEqual([]);
  await view.page.context().setOffline(true);
  await view.page.reload();
  await view.until((s) => s.number >= 3 && s.drawn > 0);
  // A saved page is whole.
  const saved = view.page.waitForEvent("download");
  await view.page.click("#save");
  const html = readFileSync((await (await saved).path()) ?? "", "utf8");
  expect(html).toContain('id="recording"');
  expect(html.length).toBeLessThan(5_500_000);
});
