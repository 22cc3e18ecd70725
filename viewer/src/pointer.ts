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

export class Pointer {
  /** Whether dragging a body pulls it. */
  pull = true;
  private press: Press | null = null;

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

  private down(e: PointerEvent) {
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
