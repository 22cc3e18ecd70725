/** Renderer, camera and light. Draws only when something changed. */

import * as three from "three";
import { OrbitControls } from "three/addons/controls/OrbitControls.js";
import { THEMES } from "./colours";
import { Ground } from "./ground";

/** Lowers the detail where pictures take long: without a graphics card it is
 * better to see coarse motion than sharp jerks. */
class Quality {
  /** Share of the pixels in each direction. */
  detail = 1;
  private last = 0;
  private slow = 0;
  /** When it last moved; 0 once it was drawn in full. */
  private moved = 0;

  /** Whether the detail was lowered, and whether a picture that stands still
   * is due in full; `drawing` if a picture is due anyway. */
  tick(now: number, drawing: boolean): { lowered: boolean; rested: boolean } {
    // Only times between pictures drawn one after the other say something.
    const took = this.last > 0 && drawing ? now - this.last : 0;
    if (drawing) this.moved = now;
    this.last = drawing ? now : 0;
    this.slow = took > 70 && took < 3000 ? this.slow + 1 : Math.max(0, this.slow - 1);
    const lowered = this.slow >= 8 && this.detail > 0.5;
    if (lowered) {
      this.slow = 0;
      this.detail = this.detail === 1 ? 0.75 : 0.5;
    }
    const rested = this.detail < 1 && this.moved > 0 && now - this.moved > 400;
    if (rested) this.moved = 0;
    return { lowered, rested };
  }
}

export class Stage {
  readonly scene = new three.Scene();
  readonly camera = new three.PerspectiveCamera(40, 1, 0.01, 1000);
  readonly renderer: three.WebGLRenderer;
  readonly controls: OrbitControls;
  readonly ground = new Ground();
  /** Pictures drawn so far. */
  drawn = 0;
  private sun = new three.DirectionalLight(0xffffff, 2.3);
  private sky = new three.HemisphereLight(0xffffff, 0x8a8478, 1.5);
  private radius = 1;
  private stale = true;
  private quality = new Quality();
  private sharp = false;

  constructor(readonly canvas: HTMLCanvasElement) {
    this.renderer = new three.WebGLRenderer({ canvas, antialias: true });
    this.renderer.shadowMap.enabled = true;
    this.renderer.shadowMap.type = three.PCFShadowMap;
    this.camera.up.set(0, 0, 1);
    this.sky.position.set(0, 0, 1);
    this.sun.castShadow = true;
    this.sun.shadow.mapSize.set(2048, 2048);
    this.scene.add(this.sun, this.sun.target, this.sky, this.ground.mesh);
    this.controls = new OrbitControls(this.camera, canvas);
    this.controls.zoomToCursor = true;
    this.controls.addEventListener("change", () => this.touch());
    new ResizeObserver(() => this.resize()).observe(canvas);
    this.resize();
  }

  /** Says that the picture is out of date. */
  touch() {
    this.stale = true;
  }

  private resize() {
    const { clientWidth: w, clientHeight: h } = this.canvas;
    if (w === 0 || h === 0) return;
    this.renderer.setPixelRatio(Math.min(devicePixelRatio, 2) * (this.sharp ? 1 : this.quality.detail));
    this.renderer.setSize(w, h, false);
    this.camera.aspect = w / h;
    this.camera.updateProjectionMatrix();
    this.touch();
  }

  theme(name: "light" | "dark") {
    const theme = THEMES[name];
    this.scene.background = new three.Color(theme.background);
    this.sky.intensity = name === "dark" ? 1.1 : 1.7;
    this.sun.intensity = name === "dark" ? 1.9 : 2.2;
    this.ground.paint(theme);
    this.touch();
  }

  /** Light, shadows and depth for a scene of that size. */
  fit(sphere: three.Sphere) {
    this.radius = Math.max(sphere.radius, 1e-3);
    this.camera.near = this.radius / 200;
    this.camera.far = this.radius * 60;
    this.camera.updateProjectionMatrix();
    this.controls.maxDistance = 25 * this.radius;
    this.controls.minDistance = this.radius / 50;
    this.light(sphere.center);
  }

  /** The sun shines on a place. */
  light(centre: three.Vector3) {
    const [r, shadow] = [this.radius, this.sun.shadow];
    this.sun.target.position.copy(centre);
    this.sun.position.copy(centre).add(new three.Vector3(-0.9, -1.3, 2.4).multiplyScalar(1.6 * r));
    this.sun.target.updateMatrixWorld();
    const reach = 1.35 * r;
    Object.assign(shadow.camera, { left: -reach, right: reach, top: reach, bottom: -reach, near: 0.1 * r, far: 9 * r });
    shadow.camera.updateProjectionMatrix();
    // Coarse texels and grazing light would shade surfaces by themselves.
    shadow.normalBias = (2.5 * 2 * reach) / shadow.mapSize.x;
    shadow.bias = -0.0004;
    this.touch();
  }

  /** Looks at all of a box, from the side it is widest from. */
  frame(box: three.Box3) {
    const [centre, size] = [box.getCenter(new three.Vector3()), box.getSize(new three.Vector3())];
    const towards = size.x >= size.y ? new three.Vector3(0.5, -1, 0.42) : new three.Vector3(1, -0.5, 0.42);
    towards.normalize();
    const right = new three.Vector3().crossVectors(this.camera.up, towards).normalize();
    const up = new three.Vector3().crossVectors(towards, right);
    // The bars at top and bottom cover a part of the height.
    const tall = Math.tan((this.camera.fov * Math.PI) / 360);
    const [h, w] = [0.8 * tall, 0.92 * tall * this.camera.aspect];
    let distance = 0;
    for (let i = 0; i < 8; i += 1) {
      const corner = size.clone().multiply(new three.Vector3(i & 1 ? 0.5 : -0.5, i & 2 ? 0.5 : -0.5, i & 4 ? 0.5 : -0.5));
      const aside = Math.max(Math.abs(corner.dot(right)) / w, Math.abs(corner.dot(up)) / h);
      distance = Math.max(distance, corner.dot(towards) + aside);
    }
    this.controls.target.copy(centre);
    this.camera.position.copy(centre).addScaledVector(towards, distance);
    this.controls.update();
    this.touch();
  }

  /** Draws if needed; says whether it did. */
  draw(): boolean {
    this.controls.update();
    const { lowered, rested } = this.quality.tick(performance.now(), this.stale);
    if (!this.stale && !rested) return false;
    if (lowered) this.simplify();
    // Sharp while it stands still, coarse again as soon as it moves.
    if (this.sharp !== rested) {
      this.sharp = rested;
      this.resize();
    }
    this.stale = false;
    this.renderer.render(this.scene, this.camera);
    this.drawn += 1;
    return true;
  }

  private simplify() {
    this.sun.shadow.mapSize.setScalar(1024 * this.quality.detail);
    this.sun.shadow.map?.dispose();
    this.sun.shadow.map = null;
    this.resize();
  }

  /** What a pixel covers in the middle of the view, in m. */
  pixel(): number {
    const distance = this.camera.position.distanceTo(this.controls.target);
    return (2 * distance * Math.tan((this.camera.fov * Math.PI) / 360)) / Math.max(this.canvas.clientHeight, 1);
  }

  /** Where a point is on the page, in px. */
  project(point: three.Vector3): { x: number; y: number } {
    const p = point.clone().project(this.camera);
    const box = this.canvas.getBoundingClientRect();
    return { x: box.left + ((p.x + 1) / 2) * box.width, y: box.top + ((1 - p.y) / 2) * box.height };
  }

  /** The ray under a place on the page. */
  ray(x: number, y: number): three.Raycaster {
    const box = this.canvas.getBoundingClientRect();
    const at = new three.Vector2(((x - box.left) / box.width) * 2 - 1, 1 - ((y - box.top) / box.height) * 2);
    const ray = new three.Raycaster();
    ray.setFromCamera(at, this.camera);
    return ray;
  }
}
