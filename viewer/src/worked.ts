/** Frames from the engine in a worker of this page: no server. */

import { download } from "./files";
import { Talk } from "./talk";
import type { Listener } from "./types";
import type { Answer, Ask, Failed, ToWorker } from "./worker";

/** What to start with. */
export interface Start {
  name?: string;
  size?: number;
  /** A scene file. */
  text?: string;
}

/** An engine that does not answer for so long is busy with a step. Pages feel slow beyond. */
const BUSY_MS = 500;

/** A step that takes longer is not waited for when the solver is changed: that may be why. */
const STUCK_MS = 2000;

/** What a choice of the list starts with. */
function begun({ name, size }: { name?: string; size?: number }): Start {
  return { ...(name !== undefined && { name }), ...(size !== undefined && { size }) };
}

/** A worker that loads the engine. */
export function engineWorker(): Worker {
  return new Worker(new URL("./worker.ts", import.meta.url), { type: "module" });
}

export class Worked extends Talk {
  private worker: Worker;
  private asked = new Map<number, { resolve: (value: unknown) => void; reject: (reason: Error) => void }>();
  private next = 1;
  /** The scene file that was opened last. */
  opened: string | null = null;

  /** What is shown, what the engine was started with, and whether it said something since. */
  private shown: Start = {};
  private first: Start = {};
  private heard = false;

  constructor(listener: Listener, start: Start, worker?: Worker) {
    super(listener);
    this.worker = this.begin(start, worker);
    const seen = () => this.post({ hidden: document.hidden });
    document.addEventListener("visibilitychange", seen);
    seen();
  }

  private begin(start: Start, worker = engineWorker()): Worker {
    worker.onmessage = (event) => this.hear(event.data);
    worker.onerror = (event) => this.failed(event.message || "the engine cannot be loaded");
    this.opened = start.text ?? null;
    [this.first, this.shown] = [start.name === undefined ? {} : { name: start.name }, start];
    this.heard = false;
    worker.postMessage({ start } satisfies ToWorker);
    return worker;
  }

  private post(message: ToWorker) {
    this.worker.postMessage(message);
  }

  private hear(data: string | ArrayBuffer | Answer | Failed) {
    this.heard = true;
    if (typeof data === "string" || data instanceof ArrayBuffer) return this.receive(data);
    if ("failed" in data) return this.failed(data.failed);
    const waits = this.asked.get(data.answer);
    this.asked.delete(data.answer);
    if (data.error !== undefined) waits?.reject(new Error(data.error));
    else waits?.resolve(data.value);
    return undefined;
  }

  /** A fault of the engine: it starts over with its first scene. */
  private failed(reason: string) {
    for (const { reject } of this.asked.values()) reject(new Error(reason));
    this.asked.clear();
    this.worker.terminate();
    this.listener.trouble(`The engine stopped: ${reason}. Choose a scene to start it again.`);
    this.waiting = 0;
    this.stopped = true;
  }

  private stopped = false;

  protected carry(text: string) {
    const { scene } = text.startsWith('{"scene"') ? JSON.parse(text) : { scene: null };
    // Without a name it is the scene that the engine was started with.
    const start = begun({ ...this.first, ...scene });
    if (this.stopped && (scene || text === '"reset"')) this.restart(start);
    else if (scene) void this.choose(text, start);
    else if (this.heard && text.startsWith('{"solver"')) void this.solve(text);
    else this.post({ say: text });
  }

  /** Has another scene shown. An engine that is in the middle of a long step is not waited for. */
  private async choose(text: string, start: Start) {
    this.shown = start;
    if (await this.awake(BUSY_MS)) this.post({ say: text });
    else this.restart(start);
  }

  /** Has the scene solved by another solver: from its start, where a step does not end. */
  private async solve(text: string) {
    const { worker, changed } = this;
    const awake = await this.awake(STUCK_MS);
    // (Something else may have been chosen meanwhile.)
    if (awake || worker !== this.worker || this.stopped) return this.post({ say: text });
    this.restart(this.shown);
    this.post({ say: text });
    if (changed && Object.keys(changed.settings).length > 0) this.post({ say: JSON.stringify({ settings: changed.settings }) });
    this.listener.trouble("The step under way took too long: the scene starts anew with this solver.");
    return undefined;
  }

  /** Whether the engine answers soon. */
  private awake(ms: number): Promise<boolean> {
    const busy = new Promise<boolean>((resolve) => setTimeout(() => resolve(false), ms));
    return Promise.race([busy, this.ask({ ping: true }).then(() => true, () => false)]);
  }

  private restart(start: Start) {
    this.stopped = false;
    this.worker.terminate();
    for (const { reject } of this.asked.values()) reject(new Error("the engine was started anew"));
    this.asked.clear();
    this.waiting = 0;
    this.worker = this.begin(start);
    this.send({ details: this.details });
  }

  private ask<T>(ask: Ask): Promise<T> {
    const number = this.next;
    this.next += 1;
    return new Promise((resolve, reject) => {
      this.asked.set(number, { resolve: (value) => resolve(value as T), reject });
      this.post({ number, ask });
    });
  }

  protected bytes(path: string) {
    return this.ask<ArrayBuffer>({ rows: path });
  }

  async open(text: string) {
    if (this.stopped || !(await this.awake(BUSY_MS))) this.restart({});
    try {
      await this.ask({ open: text });
      this.opened = text;
      this.shown = { text };
      return null;
    } catch (error) {
      return error instanceof Error ? error.message : String(error);
    }
  }

  sceneFile() {
    return this.ask<string>({ sceneFile: true });
  }

  schema() {
    return this.ask<string>({ schema: true });
  }

  async save(forces: boolean) {
    const page = await (await fetch("replay.html")).text();
    const saved = await this.ask<string>({ saved: { page, forces } });
    download(new Blob([saved], { type: "text/html" }), `${this.name()}.html`);
  }

  async saveScene() {
    download(new Blob([await this.sceneFile()], { type: "application/json" }), `${this.name()}.json`);
  }

  private name(): string {
    return document.getElementById("title")?.textContent?.replace(/[^\w-]/g, "") || "taut";
  }

  close() {
    this.worker.terminate();
  }
}
