/** Links that carry a scene: what follows the # of an address. */

import type { Settings } from "./types";

/** What a link says. */
export interface Shared {
  /** A built-in scene, and its size where it is not the usual one. */
  scene?: string;
  size?: number;
  /** A scene file. */
  text?: string;
  /** The solver, where it is another one, and what else was changed. */
  solver?: Record<string, Settings>;
  settings?: Settings;
}

/** Files of more bytes are not unpacked: a short link could hold gigabytes. */
const MOST_BYTES = 64 << 20;

const PARTS = ["scene", "size", "file", "solver", "settings"];
const DAMAGED = "the scene in it is damaged, or its end is missing";

export async function encodeLink({ scene, size, text, solver, settings }: Shared): Promise<string> {
  const parts: string[] = [];
  if (text !== undefined) parts.push(`file=${await pack(text)}`);
  else if (scene !== undefined) parts.push(`scene=${encodeURIComponent(scene)}`);
  if (text === undefined && size !== undefined) parts.push(`size=${size}`);
  if (solver) parts.push(`solver=${encodeURIComponent(JSON.stringify(solver))}`);
  if (settings && Object.keys(settings).length > 0) parts.push(`settings=${encodeURIComponent(JSON.stringify(settings))}`);
  return parts.join("&");
}

/** Reads a link; what cannot be read is an error that says so. */
export async function decodeLink(hash: string): Promise<Shared> {
  const said = new URLSearchParams(hash.replace(/^#/, ""));
  const shared: Shared = {};
  const [scene, size, file] = [said.get("scene"), Number(said.get("size") ?? NaN), said.get("file")];
  if (scene !== null) shared.scene = scene;
  if (Number.isInteger(size) && size > 0) shared.size = size;
  if ([...said.keys()].length > 0 && !PARTS.some((part) => said.has(part))) throw new Error("it names no scene");
  if (file !== null) shared.text = await unpack(file);
  const solver = json(said.get("solver"));
  const settings = json(said.get("settings"));
  if (solver) shared.solver = solver as Record<string, Settings>;
  if (settings) shared.settings = settings as Settings;
  return shared;
}

function json(text: string | null): object | null {
  if (text === null) return null;
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new Error("its settings are damaged, or their end is missing");
  }
  if (typeof value !== "object" || value === null) throw new Error("settings of the link are no object");
  return value;
}

async function pack(text: string): Promise<string> {
  const stream = new Blob([text]).stream().pipeThrough(new CompressionStream("deflate-raw"));
  const bytes = new Uint8Array(await new Response(stream).arrayBuffer());
  let binary = "";
  for (const byte of bytes) binary += String.fromCharCode(byte);
  return btoa(binary).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
}

async function unpack(packed: string): Promise<string> {
  const parts: Uint8Array<ArrayBuffer>[] = [];
  let size = 0;
  try {
    const bytes = Uint8Array.from(atob(packed.replaceAll("-", "+").replaceAll("_", "/")), (c) => c.charCodeAt(0));
    const reader = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate-raw")).getReader();
    while (size <= MOST_BYTES) {
      const { done, value } = await reader.read();
      if (done) return new Blob(parts).text();
      size += value.length;
      parts.push(value as Uint8Array<ArrayBuffer>);
    }
  } catch {
    // (Browsers say it in words of their own, about codes and blocks.)
    throw new Error(DAMAGED);
  }
  throw new Error("the scene of the link is too large");
}
