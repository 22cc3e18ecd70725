/** Pictures of scenes to look at: `npm run pictures`; PICTURES names the
 * folder, ONLY a part of the names. */

import { mkdirSync } from "node:fs";
import { test } from "vitest";
import type { Browser } from "playwright-core";
import { launch, open, serve } from "./harness";

interface Picture {
  name: string;
  args: string[];
  frame: number;
  keys?: string;
  tab?: string;
  phone?: boolean;
  dark?: boolean;
  width?: number;
}

const SCENES: Picture[] = [
  { name: "log-tower", args: ["log-tower"], frame: 10 },
  { name: "net-truck", args: ["net-truck", "--size", "6"], frame: 60 },
  { name: "tandem-cranes", args: ["tandem-cranes", "--size", "12"], frame: 30 },
  { name: "chain-wrap", args: ["chain-wrap"], frame: 60 },
  { name: "newtons-cradle", args: ["newtons-cradle"], frame: 20 },
];

/** Each scene at two widths, one of them dark. */
function all(): Picture[] {
  return SCENES.flatMap((scene, i) => [
    { ...scene, name: `${scene.name}-desktop`, dark: i % 2 === 1 },
    { ...scene, name: `${scene.name}-phone`, phone: true, dark: i % 2 === 0 },
  ]);
}

const folder = process.env.PICTURES || "pictures";
const only = process.env.ONLY ?? "";

test("pictures", { timeout: 1_800_000 }, async () => {
  mkdirSync(folder, { recursive: true });
  const browser = await launch();
  for (const picture of all().filter((p) => p.name.includes(only))) await take(browser, picture);
  await browser.close();
});

async function take(browser: Browser, picture: Picture) {
  const server = await serve(...picture.args);
  const viewport = picture.phone ? { width: 390, height: 780 } : { width: 1280, height: 800 };
  const view = await open(browser, server.url, viewport, picture.dark ? "dark" : "light");
  await view.until((s) => s.newest >= picture.frame);
  await view.pause();
  if (picture.tab) await view.tab(picture.tab);
  await view.page.keyboard.type(picture.keys ?? "");
  await view.seek(picture.frame);
  await view.page.screenshot({ path: `${folder}/${picture.name}.png` });
  if (view.errors.length > 0) throw new Error(view.errors.join("; "));
  await view.close();
  server.stop();
}
