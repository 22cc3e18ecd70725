import { App } from "./app";
import { debug } from "./debug";
import { Live } from "./live";
import { decodeRecording } from "./recording";
import { Replay } from "./replay";
import { h } from "./dom";
import "./style.css";

/** The recording that was put into the page, if one was. */
async function embedded() {
  const text = document.getElementById("recording")?.textContent;
  if (!text) return null;
  return decodeRecording(Uint8Array.from(atob(text), (c) => c.charCodeAt(0)));
}

/** The page, or a word on what it lacks. */
function begin(root: HTMLElement): App | null {
  try {
    return new App(root);
  } catch (error) {
    const hint = "This page draws with WebGL 2, and this browser does not offer it. Turn on hardware acceleration, or try another browser.";
    root.replaceChildren(h("p", { id: "lacking", role: "alert" }, hint, h("br"), String(error)));
    return null;
  }
}

const root = document.getElementById("app");
const app = root && begin(root);
if (app) {
  Object.assign(window, { taut: debug(app) });
  try {
    const recording = await embedded();
    app.start(recording ? new Replay(recording, app) : new Live(app), recording === null);
  } catch (error) {
    root?.append(`This recording cannot be played: ${String(error)}`);
  }
}
