/** The page: what happens when a frame comes, and when something is pressed. */

import * as three from "three";
import { Bodies, type Colouring } from "./bodies";
import { amount, button, h } from "./dom";
import { figure, type Frame, subsystemsOf } from "./frame";
import { facts, table } from "./inspect";
import { help, type Key, listen } from "./keys";
import { Driving } from "./driving";
import { Editor } from "./editor";
import { askForFile, download, Film, named, takeFiles } from "./files";
import { Levers } from "./levers";
import { linksOf, loadOf } from "./links";
import { Motion } from "./motion";
import { type Overlay, Overlays } from "./overlays";
import { Panel, type Tab } from "./panel";
import { Plots } from "./plots";
import { Pointer } from "./pointer";
import { decodeRecording } from "./recording";
import { Replay } from "./replay";
import { csv, missing } from "./series";
import { encodeLink } from "./share";
import { Stage } from "./stage";
import { Transport } from "./transport";
import { BodyList } from "./list";
import { Pace, paceWords } from "./pace";
import { TensionLegend } from "./tension";
import type { Command, FileCamera, Hello, Listener, Sample, Scene, Source, Status, Subject, Vec } from "./types";

export class App implements Listener {
  readonly stage: Stage;
  readonly overlays = new Overlays();
  readonly plots = new Plots(
    () => this.plotSubject(),
    (subject) => void this.saveTable(subject),
    () => this.frameShown?.details?.contacts,
  );
  readonly panel: Panel;
  readonly transport: Transport;
  private list = new BodyList({
    select: (body) => this.select(body),
    hide: () => this.hide(),
    showAll: () => this.showAll(),
  });
  private legend = new TensionLegend();
  private driving = new Driving((command) => this.send(command), () => this.panel.show("drive"));
  private levers = new Levers((command) => this.send(command), () => this.source?.saveScene(), this.driving.root);
  readonly editor = new Editor({
    file: () => this.source?.sceneFile() ?? Promise.resolve(""),
    schema: () => this.source?.schema() ?? Promise.resolve("{}"),
    run: (text) => this.source?.open(text) ?? Promise.resolve("nothing to run it"),
  });
  /** What follows the # of the link that was made last. */
  linked = "";
  /** Bodies that are links of chains and ropes, and whether they show what they carry. */
  private links = new Map<number, number[]>();
  private tense = true;
  private wire = false;
  private transparent = false;
  bodies: Bodies | null = null;
  frameShown: Frame | null = null;
  scene_: Scene | null = null;
  status_: Status | null = null;
  selected = -1;
  theme: "light" | "dark";
  private source: Source | null = null;
  private motion = new Motion();
  private newest: Frame | null = null;
  private colourBy: Colouring = "bodies";
  private following = false;
  /** The body that the scene wants to be followed where none is selected. */
  private chased = -1;
  private radius = 1;
  /** What a pixel covered when bodies were last fitted to it, in m. */
  private pixel = 1e-9;
  private title = h("h1", { id: "title" }, "taut");
  private line = h("p", { id: "line" });
  private notice = h("p", { id: "notice", role: "status", hidden: "" });
  private force = h("output", { id: "force", hidden: "" });
  private moved = true;
  private canvas: HTMLCanvasElement;
  private film: Film;
  private pointer: Pointer;
  private pace = new Pace();
  /** The number of this page among those of the server. */
  private me = 0;

  constructor(root: HTMLElement) {
    const canvas = h("canvas", { id: "canvas", tabindex: "0", role: "img", "aria-label": "the scene in three dimensions" });
    this.canvas = canvas;
    const send = (command: Command) => this.send(command);
    this.transport = new Transport(send);
    this.theme = matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light";
    this.panel = new Panel(
      {
        send,
        overlay: (name, on) => this.setOverlay(name, on),
        colouring: (by) => this.setColouring(by),
        follow: (on) => (this.following = on),
        pull: (on) => (this.pointer.pull = on),
        opened: (tab) => this.opened(tab),
        scale: (scale) => {
          this.overlays.scale = scale;
          this.moved = true;
        },
        wireframe: (on) => this.setWireframe(on),
        transparent: (on) => this.setTransparent(on),
        tension: (on) => {
          this.tense = on;
          this.wantDetails();
          this.paint();
        },
        orthographic: (on) => this.stage.orthographic(on),
        open: () => askForFile((file) => void this.take(file)),
        refuse: (reason) => this.say(reason, 6000),
      },
      this.plots.root,
      this.list.root,
      this.levers.root,
      this.editor.root,
    );
    const keys = this.keys();
    const dialog = help(keys, this.driving);
    const top = h(
      "header",
      { id: "top" },
      h("div", {}, this.title, this.line),
      button("frame-all", "frame", "Show everything (a)", () => this.frameAll()),
      button("shot", "shot", "Save a picture", () => this.shoot()),
      button("film", "film", "Film it, or stop and save the film", () => this.shootFilm()),
      button("link", "link", "Copy a link to this scene", () => void this.link()),
      button("save", "save", "Save as HTML", () => this.save()),
      button("theme", "theme", "Light or dark (t)", () => this.toggleTheme()),
      button("help-open", "help", "Keys (?)", () => dialog.showModal()),
    );
    root.append(canvas, top, this.panel.root, this.legend.root, this.overlays.skins.legend, this.driving.hint, this.transport.root, this.force, this.notice, dialog);
    this.stage = new Stage(canvas);
    this.film = new Film(canvas);
    takeFiles((file) => void this.take(file));
    this.stage.scene.add(this.overlays.root);
    this.overlays.skins.changed = () => (this.moved = true);
    this.stage.before.push((plain) => this.bodies?.simplify(plain));
    canvas.addEventListener("webglcontextlost", () => this.say("The graphics card gave up; trying again …", 6000));
    this.pointer = new Pointer(this.stage, () => this.bodies, (body) => this.select(body), send);
    listen([...keys, { keys: ["?"], shown: "?", does: "this list", press: () => dialog.showModal() }], {
      key: (e, down) => this.pointer.key(e, down) || this.driving.key(e, down),
    });
    this.setTheme(this.theme);
    new ResizeObserver(() => this.plots.resize()).observe(this.plots.place);
    setInterval(() => this.plotSubject(), 1000);
    const loop = () => {
      this.driving.update();
      this.draw(performance.now());
      requestAnimationFrame(loop);
    };
    requestAnimationFrame(loop);
  }

  start(source: Source, live: boolean) {
    this.source = source;
    document.body.classList.toggle("replay", !live);
    this.wantDetails();
  }

  /** Ends what is shown, for something else to start. */
  leave() {
    this.source?.close();
    this.source = null;
  }

  send(command: Command) {
    if (typeof command === "object" && "scene" in command) this.loading(command.scene.name ?? "the scene");
    this.source?.send(command);
  }

  /** Says what is awaited, until it comes. */
  loading(what: string) {
    this.say(`loading ${what} …`);
    this.awaited = true;
  }

  private awaited = false;

  trouble(text: string) {
    this.say(text, 20_000);
  }

  private keys(): Key[] {
    const overlay = (name: Overlay) => () => this.setOverlay(name, !this.overlays.on.has(name));
    const colours = (by: Colouring) => () => this.setColouring(this.colourBy === by ? "bodies" : by);
    return [
      { keys: [" ", "k"], shown: "space", does: "play or pause", press: () => this.transport.toggle() },
      { keys: ["ArrowRight", "."], shown: "→", does: "one frame on", press: () => this.send({ step: 1 }) },
      { keys: ["ArrowLeft", ","], shown: "←", does: "one frame back", press: () => this.send({ step: -1 }) },
      { keys: ["r"], shown: "r", does: "start over", press: () => this.send("reset") },
      { keys: ["+", "="], shown: "+", does: "faster", press: () => this.transport.shift(1) },
      { keys: ["-"], shown: "−", does: "slower", press: () => this.transport.shift(-1) },
      // Arrows may be a machine's, and brackets need a third key on many keyboards.
      { keys: ["5", "["], shown: "5", does: "turn the view left", press: () => this.stage.turn(-0.12, 0) },
      { keys: ["6", "]"], shown: "6", does: "turn the view right", press: () => this.stage.turn(0.12, 0) },
      { keys: ["7"], shown: "7", does: "look from lower", press: () => this.stage.turn(0, -0.1) },
      { keys: ["8"], shown: "8", does: "look from higher", press: () => this.stage.turn(0, 0.1) },
      { keys: ["n"], shown: "n", does: "move the view left", press: () => this.stage.shift(-1, 0) },
      { keys: ["m"], shown: "m", does: "move the view right", press: () => this.stage.shift(1, 0) },
      { keys: ["N"], shown: "⇧ n", does: "move the view down", press: () => this.stage.shift(0, -1) },
      { keys: ["M"], shown: "⇧ m", does: "move the view up", press: () => this.stage.shift(0, 1) },
      { keys: ["ArrowLeft"], shift: true, shown: "⇧ ←", does: "turn the view left", press: () => this.stage.turn(-0.12, 0) },
      { keys: ["ArrowRight"], shift: true, shown: "⇧ →", does: "turn the view right", press: () => this.stage.turn(0.12, 0) },
      { keys: ["ArrowUp"], shift: true, shown: "⇧ ↑", does: "look from higher", press: () => this.stage.turn(0, 0.1) },
      { keys: ["ArrowDown"], shift: true, shown: "⇧ ↓", does: "look from lower", press: () => this.stage.turn(0, -0.1) },
      { keys: ["PageUp"], shown: "pg ↑", does: "come nearer", press: () => this.stage.zoom(0.85) },
      { keys: ["PageDown"], shown: "pg ↓", does: "go farther away", press: () => this.stage.zoom(1 / 0.85) },
      { keys: ["a", "Home"], shown: "a", does: "show everything", press: () => this.frameAll() },
      { keys: ["1"], shown: "1", does: "look from the front", press: () => this.lookFrom([0, -1, 0.001]) },
      { keys: ["2"], shown: "2", does: "look from the right", press: () => this.lookFrom([1, 0, 0.001]) },
      { keys: ["3"], shown: "3", does: "look from above", press: () => this.lookFrom([0, -0.001, 1]) },
      { keys: ["4"], shown: "4", does: "look from a corner", press: () => this.lookFrom([0.8, -1, 0.6]) },
      { keys: ["h"], shown: "h", does: "hide the selected body", press: () => this.hide() },
      { keys: ["H"], shown: "⇧ h", does: "show all bodies", press: () => this.showAll() },
      { keys: ["w"], shown: "w", does: "edges only, or surfaces", press: () => this.setWireframe(!this.wire) },
      { keys: ["f"], shown: "f", does: "follow the selected body, or not", press: () => this.follows(!this.following) },
      { keys: ["l"], shown: "l", does: "look at the selected body", press: () => this.lookAt() },
      { keys: ["x"], shown: "x", does: "hold the selected body, arrows pull it; or let it go", press: () => this.pointer.hold(this.selected) },
      { keys: ["c"], shown: "c", does: "contact points and forces", press: overlay("contacts") },
      { keys: ["s"], shown: "s", does: "contacts: open, stick or slip", press: overlay("states") },
      { keys: ["j"], shown: "j", does: "joint axes and forces", press: overlay("joints") },
      { keys: ["i"], shown: "i", does: "colour by island, or not", press: colours("islands") },
      { keys: ["g"], shown: "g", does: "colour by subsystem, or not", press: colours("groups") },
      { keys: ["p"], shown: "p", does: "plots", press: () => this.panel.show(this.panel.open === "plots" ? null : "plots") },
      { keys: ["t"], shown: "t", does: "light or dark", press: () => this.toggleTheme() },
      { keys: ["Escape"], shown: "esc", does: "select nothing", press: () => this.select(-1) },
    ];
  }

  // What the source says.

  hello(hello: Hello) {
    this.panel.greet(hello);
  }

  you(client: number) {
    this.me = client;
  }

  connection(up: boolean) {
    this.say(up ? "" : "The connection is lost; trying again …");
  }

  scene(scene: Scene) {
    // (Scenes need no name.)
    const same = !!this.scene_ && this.scene_.header.scene.name === scene.header.scene.name;
    this.scene_ = scene;
    if (this.awaited) this.say("");
    this.pointer.letGo();
    this.bodies?.dispose();
    this.bodies = new Bodies(scene.header);
    this.stage.scene.add(this.bodies.root);
    this.newest = null;
    this.frameShown = null;
    this.links = linksOf(scene.header);
    if (this.source) this.wantDetails();
    this.motion = new Motion();
    this.pixel = 1e-9;
    if (!same) {
      this.selected = -1;
      const { camera } = scene.header.scene;
      this.chased = scene.header.bodies.findIndex((b) => b.name === camera?.follow);
      this.follows(this.chased >= 0);
      this.nameLeader();
    }
    const name = scene.header.scene.name ?? "scene";
    this.title.textContent = name;
    document.title = `${name} – taut`;
    this.canvas.setAttribute("aria-label", `the scene ${name} in three dimensions; ? lists the keys`);
    this.pace = new Pace();
    this.panel.scene(scene);
    this.editor.scene(scene, this.panel.open === "edit");
    this.driving.scene(scene);
    this.levers.scene(scene);
    this.list.scene(scene.header.bodies.map((b) => b.name));
    this.list.state(this.selected, 0);
    this.bodies.wireframe(this.wire);
    if (this.transparent) this.bodies.transparent(true);
    this.plots.scene(scene.header);
    this.fresh = same ? "kept" : "new";
    this.recall();
  }

  /** Asks for the figures of frames that went by unseen. */
  private recall() {
    const { generation } = this.scene_ ?? {};
    const add = (all: Map<number, Sample>) => {
      if (generation === this.scene_?.generation) this.plots.addAll(all);
    };
    // Where the server is gone, the page says so elsewhere.
    this.source?.figures().then(add, () => undefined);
  }

  /** Asks for the values of the body, joint or cable that is plotted. */
  private plotSubject() {
    const subject = this.plots.choose(this.selected);
    if (!subject || this.panel.open !== "plots") return;
    this.source?.series(subject).then((rows) => this.plots.show(subject, rows), () => undefined);
  }

  /** Saves all frames of what is plotted. */
  private async saveTable(subject: Subject | null) {
    const rows = await this.source?.table(subject).catch(() => null);
    if (!rows) return this.say("The values did not come: is taut view still running?", 6000);
    const dt = this.scene_?.header.scene.dt ?? 1 / 60;
    download(new Blob([csv(subject, rows, dt)], { type: "text/csv" }), `${this.title.textContent}-${subject?.name ?? "run"}.csv`);
    const gone = missing(rows);
    if (gone > 0) this.say(`${gone} old frames are not kept any more: the table lacks them. Its first column is the number of the frame.`, 8000);
  }

  private fresh: "new" | "kept" | "no" = "no";

  status(status: Status) {
    const said = this.status_?.notices ?? status.notices;
    if (this.status_?.playing && !status.playing) this.recall();
    this.status_ = status;
    this.transport.status(status);
    this.panel.status(status);
    this.levers.status(status);
    if (!status.playing) this.pace = new Pace();
    // What another page asked for is none of ours.
    const mine = status.notice_to === null || status.notice_to === this.me;
    if (status.notices > said && mine) this.say(status.notice, 6000);
  }

  frame(frame: Frame) {
    if (frame.generation !== this.scene_?.generation) return this.source?.drawn();
    // Only the newest is drawn: a slow page skips, it does not fall behind.
    this.newest = frame;
    return undefined;
  }

  // Every picture.

  /** Whether the frame that came last is what the picture shows. */
  get settled() {
    return !this.newest && !this.moved;
  }

  private draw(now: number) {
    if (this.newest && this.bodies) {
      this.motion.push(this.newest, now, this.status_?.playing ?? false);
      this.arrive(this.newest);
      this.newest = null;
      this.moved = true;
    }
    this.thicken();
    const motion = this.motion.at(now);
    if (motion && this.bodies && this.moved) {
      this.moved = motion.share < 1;
      const before = this.bodies.position[this.leader]?.clone();
      this.bodies.update(motion.from, motion.to, motion.share);
      this.bodies.sea.at(motion.to.time);
      if (this.fresh !== "no") this.settle();
      else this.follow(before);
      this.overlays.update(motion.to, this.bodies, this.radius);
      this.label(motion.to);
      this.stage.touch();
    }
    this.stage.draw();
    this.source?.drawn();
  }

  /** Keeps thin bodies visible, and small ones simple, when the camera comes nearer or goes away. */
  private thicken() {
    const pixel = this.stage.pixel();
    if (!this.bodies || Math.abs(Math.log(pixel / this.pixel)) < 0.2) return;
    this.pixel = pixel;
    this.bodies.fit(pixel);
    this.moved = true;
  }

  private arrive(frame: Frame) {
    this.frameShown = frame;
    this.transport.frame(frame);
    if (this.panel.open === "drive") this.levers.frame(frame);
    this.plots.add(frame.number, frame.newest, frame);
    this.pace.push(frame.time, performance.now());
    if (this.colourBy !== "bodies" || this.fresh !== "no" || (this.tense && this.links.size > 0)) this.paint();
    this.report(frame);
    this.inspect();
  }

  /** The first frame of a scene: camera, light and ground fit it. */
  private settle() {
    if (!this.bodies) return;
    const box = this.bodies.heart();
    const sphere = box.getBoundingSphere(new three.Sphere());
    this.radius = sphere.radius;
    const ground = this.scene_?.header.scene.ground;
    // Without a ground a grid still gives scale, below all that may swing.
    const size = box.getSize(new three.Vector3());
    const below = box.min.z - 0.5 * Math.max(size.x, size.y);
    const floor = this.bodies.floor() ?? Infinity;
    const height = ground ? (ground.height ?? 0) : floor <= box.min.z ? floor : below;
    this.stage.ground.place(height, sphere.center, Math.max(sphere.radius, 1e-3));
    this.stage.fit(sphere);
    const { camera } = this.scene_?.header.scene ?? {};
    if (this.fresh === "new" && camera) this.stage.look(...this.along(camera), this.chased < 0 ? box : undefined);
    else if (this.fresh === "new") this.stage.frame(box);
    this.fresh = "no";
  }

  /** Where a camera that follows is by now: who comes late finds the machine elsewhere. */
  private along({ eye, target }: FileCamera): [Vec, Vec] {
    const [now, start] = [this.bodies?.position[this.chased], this.scene_?.header.scene.bodies[this.chased]];
    if (!now || !start) return [eye, target];
    const way = now.clone().sub(new three.Vector3(...(start.position ?? [0, 0, 0])));
    const shift = (place: Vec) => new three.Vector3(...place).add(way).toArray() as Vec;
    return [shift(eye), shift(target)];
  }

  private follow(before: three.Vector3 | undefined) {
    const after = this.bodies?.position[this.leader];
    if (!this.following || !before || !after) return;
    const way = after.clone().sub(before);
    this.stage.camera.position.add(way);
    this.stage.controls.target.add(way);
    this.stage.light(after);
  }

  /** One line of figures under the title. */
  private report(frame: Frame) {
    const f = frame.figures;
    const { bodies } = this.scene_?.header ?? { bodies: [] };
    const soft = this.scene_?.header.scene.soft_bodies?.length ?? 0;
    const parts = [bodies.length === 1 ? "1 body" : `${bodies.length} bodies`];
    if (soft > 0) parts.push(`${soft} soft`);
    if (Number.isFinite(f[0])) {
      parts.push(`${figure(f, "rows")} rows`, `a step takes ${amount(figure(f, "step_ms") / 1000, "s")}`);
      if (figure(f, "unconverged") > 0) parts.push("not converged");
    }
    // Nothing is played faster than asked for; frames that come late in a row only look so.
    const pace = Math.min(this.pace.share, this.status_?.speed ?? Infinity);
    if (this.status_?.playing && pace > 0) parts.push(paceWords(pace));
    if (this.stage.rate > 0) parts.push(`${Math.round(this.stage.rate)} pictures/s`);
    parts.push(`grid ${amount(this.stage.ground.cell, "m")}`.replaceAll(" ", "\u00a0"));
    this.line.textContent = parts.join(" · ");
    this.line.classList.toggle("bad", figure(f, "unconverged") > 0);
  }

  /** What arrows mean, and the force of the pull beside its arrow. */
  private label(frame: Frame) {
    const scale = document.getElementById("scale");
    if (scale) scale.textContent = this.overlays.meaning;
    this.legend.show(this.overlays.cables.scale);
    const { held } = frame;
    this.force.toggleAttribute("hidden", !held);
    if (!held) return;
    const at = this.stage.project(new three.Vector3(...held.target));
    this.force.value = amount(Math.hypot(...held.force), "N");
    this.force.style.translate = `${Math.round(at.x + 14)}px ${Math.round(at.y - 10)}px`;
  }

  inspect() {
    const frame = this.frameShown;
    if (this.panel.open !== "body" || !frame || !this.bodies) return;
    const name = this.bodies.header.bodies[this.selected]?.name;
    const body = this.list.facts;
    if (name === undefined) body.replaceChildren(h("p", { class: "about" }, "Click a body, or search for it, to see what acts on it."));
    else body.replaceChildren(h("h2", {}, name), table(facts(this.selected, frame, this.bodies)));
  }

  // What is pressed.

  private opened(tab: Tab | null) {
    if (tab === "plots") queueMicrotask(() => this.plots.build());
    if (tab === "plots" && this.source) this.recall();
    document.getElementById("app")?.classList.toggle("editing", tab === "edit");
    if (tab === "edit" && this.scene_) void this.editor.fill();
    if (this.source) this.wantDetails();
    if (this.bodies) this.inspect();
  }

  /** Details are sent only while something shows them. */
  private wantDetails() {
    const details = this.overlays.any || this.colourBy !== "bodies" || this.panel.open === "body" || this.panel.open === "plots" || (this.tense && this.links.size > 0);
    this.send({ details });
    // A frame that stands still comes again, with them.
    if (details && this.frameShown && !this.frameShown.details && !this.status_?.playing) {
      this.send({ seek: this.frameShown.number });
    }
  }

  setOverlay(name: Overlay, on: boolean) {
    if (on) this.overlays.on.add(name);
    else this.overlays.on.delete(name);
    const box = document.getElementById(`show-${name}`);
    if (box instanceof HTMLInputElement) box.checked = on;
    if (name === "states") document.getElementById("legend")?.toggleAttribute("hidden", !on);
    this.wantDetails();
    this.moved = true;
  }

  setColouring(by: Colouring) {
    this.colourBy = by;
    const box = document.getElementById("colour");
    if (box instanceof HTMLSelectElement) box.value = by;
    document.getElementById("groups")?.toggleAttribute("hidden", by !== "groups");
    this.wantDetails();
    this.paint();
  }

  private paint() {
    const subsystems = subsystemsOf(this.frameShown);
    this.bodies?.paint(this.colourBy, this.frameShown?.details?.islands ?? null, subsystems, this.selected, this.carried());
    this.panel.split(subsystems);
    this.stage.touch();
  }

  /** Colours of links by what they carry, where that is asked for and known. */
  private carried(): Map<number, three.Color> {
    const frame = this.frameShown;
    if (!this.tense || !frame?.details || !this.bodies) return new Map();
    const loads = [...this.links].map(([body, held]) => [body, loadOf(held, frame)] as const);
    const { scale } = this.overlays.cables;
    scale.widen(this.bodies.header, frame, loads.map(([, load]) => load));
    return new Map(loads.map(([body, load]) => [body, scale.colour(load)]));
  }

  private lookFrom(way: Vec) {
    if (this.bodies) this.stage.frame(this.bodies.heart(), way);
  }

  private lookAt() {
    const at = this.bodies?.position[this.selected];
    if (at) this.stage.centre(at);
  }

  private hide() {
    if (!this.bodies || this.selected < 0) return;
    this.bodies.hidden.add(this.selected);
    this.moved = true;
    this.select(-1);
  }

  private showAll() {
    this.bodies?.hidden.clear();
    this.moved = true;
    this.list.state(this.selected, 0);
  }

  private setWireframe(on: boolean) {
    this.wire = on;
    const box = document.getElementById("wireframe");
    if (box instanceof HTMLInputElement) box.checked = on;
    this.bodies?.wireframe(on);
    this.stage.touch();
  }

  private setTransparent(on: boolean) {
    this.transparent = on;
    this.bodies?.transparent(on);
    this.stage.touch();
  }

  /** Saves what is seen as a picture. */
  private async shoot() {
    const picture = await this.stage.shot();
    if (picture) download(picture, `${this.title.textContent}-${this.frameShown?.number ?? 0}.png`);
  }

  private shootFilm() {
    try {
      this.stage.hold(!this.film.running);
      this.film.toggle(this.title.textContent ?? "taut");
    } catch {
      this.stage.hold(false);
      this.say("This browser cannot make films.", 6000);
    }
    document.getElementById("film")?.setAttribute("aria-pressed", String(this.film.running));
  }

  /** A scene or a recording that was dropped on the page. */
  private async take(file: File) {
    const bytes = new Uint8Array(await file.arrayBuffer());
    if (file.name.toLowerCase().endsWith(".json")) {
      this.editor.mine = false;
      const wrong = await this.source?.open(named(new TextDecoder().decode(bytes), file.name));
      if (wrong) this.say(`${file.name}: ${wrong}`, 8000);
      return;
    }
    try {
      const recording = await decodeRecording(bytes);
      this.source?.close();
      this.start(new Replay(recording, this), false);
    } catch {
      const robot = /\.(urdf|xml|sdf)$/i.test(file.name) ? ` The command makes a scene file of a robot: taut export ${file.name} --out scene.json` : "";
      this.say(`${file.name} is neither a scene file (.json) nor a recording.${robot}`, 6000);
    }
  }

  select(body: number) {
    if (body !== this.selected) this.pointer.letGo();
    this.selected = body;
    this.nameLeader();
    this.list.state(body, this.bodies?.hidden.size ?? 0);
    if (body >= 0 && this.panel.open !== null) this.panel.show("body");
    this.paint();
    this.inspect();
  }

  /** The body that the camera goes along with, if it does. */
  private get leader(): number {
    return this.selected >= 0 ? this.selected : this.chased;
  }

  /** Says whom the camera would go along with. */
  private nameLeader() {
    const name = this.scene_?.header.bodies[this.leader]?.name;
    const words = document.querySelector("label:has(#follow)")?.lastChild;
    if (words) words.textContent = name === undefined ? "follow the selected body" : `follow ${name}`;
  }

  private follows(on: boolean) {
    this.following = on;
    const box = document.getElementById("follow");
    if (box instanceof HTMLInputElement) box.checked = this.following;
  }

  frameAll() {
    if (this.bodies) this.stage.frame(this.bodies.box().union(this.bodies.heart()));
  }

  private toggleTheme() {
    this.setTheme(this.theme === "dark" ? "light" : "dark");
  }

  private setTheme(theme: "light" | "dark") {
    this.theme = theme;
    document.documentElement.dataset.theme = theme;
    this.stage.theme(theme);
    this.plots.build();
  }

  private save() {
    const forces = document.getElementById("save-forces");
    this.source?.save(forces instanceof HTMLInputElement && forces.checked);
  }

  /** Makes a link that shows this scene, with its settings, to others. */
  private async link() {
    const { scene_: scene, status_: status } = this;
    if (!scene) return;
    const { solver = null, settings = {} } = status?.changed ?? {};
    const name = typeof scene.chosen === "object" ? scene.chosen.named : scene.header.scene.name;
    const dropped = scene.chosen === "dropped";
    const file = dropped ? { text: JSON.stringify(JSON.parse(await (this.source?.sceneFile() ?? "{}"))) } : {};
    const sized = typeof scene.size === "number" ? { size: scene.size } : {};
    this.linked = `#${await encodeLink({ ...(name !== undefined && { scene: name }), ...sized, ...file, ...(solver && { solver }), settings })}`;
    history.replaceState(null, "", this.linked);
    const copied = await navigator.clipboard?.writeText(location.href).then(() => true, () => false);
    this.say(copied ? "The link was copied." : "The link is in the address bar.", 4000);
  }

  private quiet = 0;

  private say(text: string, ms = 0) {
    this.awaited = false;
    clearTimeout(this.quiet);
    this.notice.textContent = text;
    this.notice.toggleAttribute("hidden", text === "");
    if (ms > 0) this.quiet = window.setTimeout(() => this.say(""), ms);
  }
}
