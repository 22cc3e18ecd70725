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
  jpeg?: boolean;
}

const SCENES: Picture[] = [
  { name: "log-tower", args: ["log-tower"], frame: 10 },
  { name: "net-truck", args: ["net-truck", "--size", "3"], frame: 30 },
  { name: "tandem-cranes", args: ["tandem-cranes", "--size", "8"], frame: 20, keys: "j" },
  { name: "chain-wrap", args: ["chain-wrap"], frame: 40 },
  { name: "newtons-cradle", args: ["newtons-cradle"], frame: 200 },
  { name: "tackle", args: ["block-and-tackle"], frame: 60 },
  { name: "tower-crane", args: ["tower-crane"], frame: 300 },
  { name: "belt-drive", args: ["belt-drive"], frame: 120 },
  { name: "cable-car", args: ["cable-car"], frame: 300 },
];

/** For the README: small, and as a photograph, for they are committed. */
const README: Picture[] = [
  { name: "readme-cranes", args: ["tandem-cranes", "--size", "8"], frame: 20, keys: "jc", tab: "plots", jpeg: true },
  { name: "readme-tower", args: ["log-tower"], frame: 345, keys: "a", jpeg: true, dark: true },
];

/** Each scene at two widths, one of them dark. */
function all(): Picture[] {
  const scenes: Picture[] = SCENES.flatMap((scene, i) => [
    { ...scene, name: `${scene.name}-desktop`, dark: i % 2 === 1 },
    { ...scene, name: `${scene.name}-phone`, phone: true, dark: i % 2 === 0 },
  ]);
  return [...scenes, ...README];
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
  const viewport = picture.phone ? { width: 390, height: 780 } : picture.jpeg ? { width: 1000, height: 620 } : { width: 1280, height: 800 };
  const view = await open(browser, server.url, viewport, picture.dark ? "dark" : "light");
  await view.until((s) => s.newest >= picture.frame, "the frame", 300);
  await view.pause();
  if (picture.tab) await view.tab(picture.tab);
  await view.seek(picture.frame);
  await view.page.keyboard.type(picture.keys ?? "");
  // Pictures that stand still are drawn once more, in full.
  await new Promise((resolve) => setTimeout(resolve, 4000));
  const path = `${folder}/${picture.name}`;
  if (picture.jpeg) await view.page.screenshot({ path: `${path}.jpg`, type: "jpeg", quality: 82 });
  else await view.page.screenshot({ path: `${path}.png` });
  if (view.errors.length > 0) throw new Error(view.errors.join("; "));
  await view.close();
  server.stop();
}
