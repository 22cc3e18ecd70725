/** What goes out of the page and comes into it as files: pictures, films, tables, scenes. */

import { h } from "./dom";

/** Offers something as a download. */
export function download(what: Blob, name: string) {
  const href = URL.createObjectURL(what);
  h("a", { href, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(href), 1000);
}

/** Films what is drawn, as WebM. */
export class Film {
  private recorder: MediaRecorder | null = null;

  constructor(private canvas: HTMLCanvasElement) {}

  get running(): boolean {
    return this.recorder !== null;
  }

  /** Starts, or ends and saves; throws where the browser cannot. */
  toggle(name: string) {
    if (this.recorder) {
      this.recorder.stop();
      this.recorder = null;
      return;
    }
    const parts: Blob[] = [];
    const recorder = new MediaRecorder(this.canvas.captureStream(60), { mimeType: "video/webm", videoBitsPerSecond: 8e6 });
    recorder.ondataavailable = (e) => parts.push(e.data);
    recorder.onstop = () => download(new Blob(parts, { type: "video/webm" }), `${name}.webm`);
    recorder.start();
    this.recorder = recorder;
  }
}

/** The text of a scene file with the name of the file, where it says none; the lines of its mistakes stay. */
export function named(text: string, file: string): string {
  let scene: unknown;
  try {
    scene = JSON.parse(text);
  } catch {
    return text;
  }
  if (typeof scene !== "object" || scene === null || Array.isArray(scene) || "name" in scene || Object.keys(scene).length === 0) return text;
  return text.replace("{", () => `{"name": ${JSON.stringify(file.replace(/\.json$/i, ""))}, `);
}

/** Asks for a file, for those who cannot drop one. */
export function askForFile(take: (file: File) => void) {
  const input = h("input", { type: "file" });
  input.onchange = () => {
    const file = input.files?.[0];
    if (file) take(file);
  };
  input.click();
}

/** Takes files that are dropped on the page. */
export function takeFiles(take: (file: File) => void) {
  addEventListener("dragover", (e) => e.preventDefault());
  addEventListener("drop", (e) => {
    e.preventDefault();
    const file = e.dataTransfer?.files[0];
    if (file) take(file);
  });
}
