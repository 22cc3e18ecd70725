/** The playground: the same page as that of `taut view`, with the engine in a worker of the browser. */

import { App } from "./app";
import { debug } from "./debug";
import { h } from "./dom";
import { decodeLink, type Shared } from "./share";
import { engineWorker, Worked } from "./worked";
import "./style.css";

// The engine loads while the page is made.
const worker = engineWorker();

/** What the address asks for; a link that cannot be read is said to be so. */
async function asked(app: App): Promise<Shared> {
  try {
    return await decodeLink(location.hash);
  } catch (error) {
    app.trouble(`This link cannot be read: ${error instanceof Error ? error.message : String(error)}`);
    return {};
  }
}

function play(app: App, first: Worker | undefined, { scene, size, text, solver, settings }: Shared) {
  const start = { ...(scene !== undefined && { name: scene }), ...(size !== undefined && { size }), ...(text !== undefined && { text }) };
  app.start(new Worked(app, start, first), true);
  if (solver) app.send({ solver });
  if (settings) app.send({ settings });
}

async function begin(root: HTMLElement) {
  let app: App;
  try {
    app = new App(root);
  } catch (error) {
    const hint = "This page draws with WebGL 2, and this browser does not offer it. Turn on hardware acceleration, or try another browser.";
    root.replaceChildren(h("p", { id: "lacking", role: "alert" }, hint, h("br"), String(error)));
    return;
  }
  document.body.classList.add("playground");
  app.loading("the engine");
  Object.assign(window, { taut: debug(app) });
  play(app, worker, await asked(app));
  addEventListener("hashchange", async () => {
    if (location.hash === app.linked) return;
    app.leave();
    play(app, undefined, await asked(app));
  });
}

const root = document.getElementById("app");
if (root) await begin(root);
// Kept for when there is no network. (Only https and localhost have it.)
if ("serviceWorker" in navigator) navigator.serviceWorker.register("sw.js").catch(() => undefined);
