/** The engine of the playground, in a worker: it is told the time and what the page says, and tells what there is to see. */

import start, { Engine, schema } from "taut-web";
import module from "taut-web-module?url";
import type { Start } from "./worked";

/** What the page wants to know or have done. */
export type Ask = { ping: true } | { rows: string } | { open: string } | { sceneFile: true } | { schema: true } | { saved: { page: string; forces: boolean } };
export type ToWorker = { start: Start } | { say: string } | { hidden: boolean } | { number: number; ask: Ask };
export interface Answer {
  answer: number;
  value?: unknown;
  error?: string;
}
export interface Failed {
  failed: string;
}

/** Timers of less than this many ms are late; messages to oneself are not. */
const TIMER_MS = 4;
/** What is shown first. */
const FIRST = "mobile-crane";

const post = (message: string | ArrayBuffer | Answer | Failed, move: Transferable[] = []) => (self as unknown as Worker).postMessage(message, move);
const soon = new MessageChannel();
let engine: Engine | null = null;
let hidden = false;
let timer: ReturnType<typeof setTimeout> | undefined;
let early: ToWorker[] = [];

/** Plays what is due, tells it, and comes back for the next. */
function play() {
  if (!engine) return;
  clearTimeout(timer);
  const wait = hidden ? undefined : engine.tick(performance.now() / 1000);
  tell();
  if (wait === undefined) return;
  if (1000 * wait > TIMER_MS) timer = setTimeout(guarded, 1000 * wait - 1);
  else soon.port2.postMessage(null);
}

function tell() {
  for (let kind = engine?.next() ?? 0; kind !== 0; kind = engine?.next() ?? 0) {
    if (kind === 1) post(engine?.text() ?? "");
    else {
      // A buffer of its own, which is handed over.
      const { buffer } = engine?.bytes() ?? new Uint8Array();
      post(buffer as ArrayBuffer, [buffer as ArrayBuffer]);
    }
  }
}

/** A fault of the engine leaves it in no state to go on. */
function guarded() {
  try {
    play();
  } catch (error) {
    engine = null;
    post({ failed: error instanceof Error ? error.message : String(error) });
  }
}

soon.port1.onmessage = guarded;

// It is compiled while the page is still being made.
const loaded = start({ module_or_path: module });
// Whoever waits for it is told.
loaded.catch(() => undefined);

async function begin({ name, size, text }: Start) {
  await loaded;
  try {
    engine = new Engine(name ?? FIRST);
  } catch (error) {
    // A link may name a scene that is no more.
    engine = new Engine(FIRST);
    post(JSON.stringify({ trouble: String(error) }));
  }
  if (name !== undefined && size !== undefined) engine.receive(JSON.stringify({ scene: { name, size } }));
  if (text !== undefined) {
    try {
      engine.open(text);
    } catch (error) {
      post(JSON.stringify({ trouble: String(error) }));
    }
  }
  early.forEach(obey);
  early = [];
}

function answer(ask: Ask): unknown {
  if (!engine) throw new Error("the engine stopped");
  if ("ping" in ask) return true;
  if ("rows" in ask) return engine.rows(ask.rows)?.buffer ?? new ArrayBuffer(0);
  if ("open" in ask) return engine.open(ask.open);
  if ("sceneFile" in ask) return engine.scene_file();
  if ("saved" in ask) return engine.saved(ask.saved.page, ask.saved.forces);
  return schema();
}

function obey(message: ToWorker) {
  if ("hidden" in message) hidden = message.hidden;
  else if ("say" in message) engine?.receive(message.say);
  else if ("ask" in message) {
    try {
      post({ answer: message.number, value: answer(message.ask) });
    } catch (error) {
      // A trap is no answer: the engine is broken.
      if (error instanceof WebAssembly.RuntimeError) throw error;
      post({ answer: message.number, error: error instanceof Error ? error.message : String(error) });
    }
  }
}

self.onmessage = async ({ data }: MessageEvent<ToWorker>) => {
  try {
    if ("start" in data) await begin(data.start);
    else if (!engine) early.push(data);
    else obey(data);
  } catch (error) {
    engine = null;
    post({ failed: error instanceof Error ? error.message : String(error) });
  }
  guarded();
};
