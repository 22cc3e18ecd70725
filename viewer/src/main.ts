import { App } from "./app";
import { debug } from "./debug";
import { Live } from "./live";
import { decodeRecording } from "./recording";
import { Replay } from "./replay";
import "./style.css";

/** The recording that was put into the page, if one was. */
async function embedded() {
  const text = document.getElementById("recording")?.textContent;
  if (!text) return null;
  return decodeRecording(Uint8Array.from(atob(text), (c) => c.charCodeAt(0)));
}

const root = document.getElementById("app");
if (root) {
  const app = new App(root);
  Object.assign(window, { taut: debug(app) });
  try {
    const recording = await embedded();
    app.start(recording ? new Replay(recording, app) : new Live(app), recording === null);
  } catch (error) {
    root.append(`This recording cannot be played: ${String(error)}`);
  }
}
