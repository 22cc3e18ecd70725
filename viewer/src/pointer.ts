/** Mouse and fingers: select, pull, and otherwise move the camera. */

import * as three from "three";
import type { Bodies } from "./bodies";
import type { Stage } from "./stage";
import type { Command, Vec } from "./types";

/** Movement in px that makes a press a drag. */
const SLACK = 4;

interface Press {
  id: number;
  x: number;
  y: number;
  hit: { body: number; point: three.Vector3 } | null;
  pulling: boolean;
  /** The plane in which the mouse moves the target. */
  plane: three.Plane;
}

/** How far a key moves what it holds, as a share of the height of the picture. */
const NUDGE = 0.03;
const WAYS: Record<string, [number, number]> = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowDown: [0, -1], ArrowUp: [0, 1] };

export class Pointer {
  /** Whether dragging a body pulls it. */
  pull = true;
  private press: Press | null = null;
  /** Where keys pull a body to. */
  private held: three.Vector3 | null = null;

  constructor(
    private stage: Stage,
    private bodies: () => Bodies | null,
    private select: (body: number) => void,
    private send: (command: Command) => void,
  ) {
    const { canvas } = stage;
    // Before the camera's own listeners, which a pull switches off.
    canvas.addEventListener("pointerdown", (e) => this.down(e), { capture: true });
    canvas.addEventListener("pointermove", (e) => this.move(e));
    canvas.addEventListener("pointerup", (e) => this.up(e));
    canvas.addEventListener("pointercancel", (e) => this.up(e));
  }

  /** Holds the middle of a body, for arrow keys to pull it; or lets go of what is held so. */
  hold(body: number) {
    const [bodies, at] = [this.bodies(), this.bodies()?.position[body]];
    if (this.held) return this.letGo();
    if (!bodies?.isDynamic(body) || !at) return;
    this.held = at.clone();
    this.send({ grab: { body, point: [0, 0, 0], target: at.toArray() as Vec } });
    this.send({ play: true });
  }

  letGo() {
    if (this.held) this.send("release");
    this.held = null;
  }

  /** Whether a key pulls what is held: before all else that arrows mean. */
  key(e: KeyboardEvent, down: boolean): boolean {
    const way = WAYS[e.key];
    if (!this.held || !way || e.shiftKey) return false;
    if (!down) return true;
    const { camera, canvas } = this.stage;
    const reach = NUDGE * this.stage.pixel() * canvas.clientHeight;
    const [right, up] = [new three.Vector3(), new three.Vector3()];
    camera.matrixWorld.extractBasis(right, up, new three.Vector3());
    this.held.addScaledVector(right, reach * way[0]).addScaledVector(up, reach * way[1]);
    this.send({ drag: this.held.toArray() as Vec });
    return true;
  }

  private down(e: PointerEvent) {
    this.letGo();
    if (this.press) return this.cancel();
    if (e.button !== 0) return;
    const hit = this.bodies()?.hit(this.stage.ray(e.clientX, e.clientY)) ?? null;
    const normal = this.stage.camera.getWorldDirection(new three.Vector3());
    const plane = new three.Plane().setFromNormalAndCoplanarPoint(normal, hit?.point ?? new three.Vector3());
    this.press = { id: e.pointerId, x: e.clientX, y: e.clientY, hit, pulling: false, plane };
    const holds = this.pull && hit && this.bodies()?.isDynamic(hit.body) && !e.shiftKey && !e.altKey;
    this.stage.controls.enabled = !holds;
    if (holds) this.stage.canvas.setPointerCapture(e.pointerId);
  }

  private move(e: PointerEvent) {
    const { press } = this;
    if (!press || press.id !== e.pointerId || this.stage.controls.enabled || !press.hit) return;
    const target = this.target(e, press.plane);
    if (!target) return;
    if (press.pulling) return this.send({ drag: target });
    if (Math.hypot(e.clientX - press.x, e.clientY - press.y) < SLACK) return;
    const bodies = this.bodies();
    if (!bodies) return;
    const { body, point } = press.hit;
    const local = point.clone().applyMatrix4(bodies.pose(body).clone().invert());
    press.pulling = true;
    this.select(body);
    this.send({ grab: { body, point: local.toArray() as Vec, target } });
    this.send({ play: true });
  }

  private up(e: PointerEvent) {
    const { press } = this;
    if (!press || press.id !== e.pointerId) return;
    const still = Math.hypot(e.clientX - press.x, e.clientY - press.y) < SLACK;
    if (!press.pulling && still) this.select(press.hit?.body ?? -1);
    this.cancel();
  }

  private cancel() {
    if (this.press?.pulling) this.send("release");
    this.press = null;
    this.stage.controls.enabled = true;
  }

  private target(e: PointerEvent, plane: three.Plane): Vec | null {
    const at = this.stage.ray(e.clientX, e.clientY).ray.intersectPlane(plane, new three.Vector3());
    return at ? (at.toArray() as Vec) : null;
  }
}
