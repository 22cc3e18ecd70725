/** Renderer, camera and light. Draws only when something changed. */

import * as three from "three";
import { OrbitControls } from "three/addons/controls/OrbitControls.js";
import { THEMES } from "./colours";
import { Ground } from "./ground";
import type { Vec } from "./types";
import { shed, Sky, SUN, surroundings } from "./sky";

/** Lowers the detail where pictures take long: without a graphics card it is
 * better to see coarse motion than sharp jerks. */
class Quality {
  /** Share of the pixels in each direction. */
  detail = 1;
  /** Whether light is kept simple while it moves. */
  plain = false;
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
      if (this.plain) this.detail = this.detail === 1 ? 0.75 : 0.5;
      else this.plain = true;
    }
    const rested = (this.plain || this.detail < 1) && this.moved > 0 && now - this.moved > 400;
    if (rested) this.moved = 0;
    return { lowered, rested };
  }
}

/** How far a key moves the view, as a share of the height of the picture. */
const STEP = 0.06;

/** Of the lens, across the shorter side of the picture, in degrees. */
const LENS = 40;
/** Width over height of the pictures that scenes suggest their cameras for. */
const USUAL = 1.6;

/** How many times as far away the eye has to go to see as much of what matters as it would in a picture of the
 * usual shape. `corners`: of what matters, to the right, up and towards the eye, seen from the target; `away`: the
 * distance of the eye; `wide` and `tall`: what the picture shows to either side per distance. */
export function retreat(corners: Vec[], away: number, wide: number, tall: number): number {
  const usual = Math.tan((LENS * Math.PI) / 360);
  let times = 1;
  for (const [right, up, near] of corners) {
    // What the usual picture cuts off may be cut off here.
    const depth = away - near;
    if (depth <= 0) continue;
    const x = Math.min(Math.abs(right), USUAL * usual * depth);
    const y = Math.min(Math.abs(up), usual * depth);
    times = Math.max(times, (near + Math.max(x / wide, y / tall)) / away);
  }
  return times;
}

function cornersOf({ min, max }: three.Box3): three.Vector3[] {
  return [0, 1, 2, 3, 4, 5, 6, 7].map((i) => new three.Vector3(i & 1 ? max.x : min.x, i & 2 ? max.y : min.y, i & 4 ? max.z : min.z));
}

/** Whether a processor does the work of a graphics card. */
function isSoftware(renderer: three.WebGLRenderer): boolean {
  const gl = renderer.getContext();
  const info = gl.getExtension("WEBGL_debug_renderer_info");
  const name = info ? String(gl.getParameter(info.UNMASKED_RENDERER_WEBGL)) : "";
  return /swiftshader|llvmpipe|softpipe|software|basic render/i.test(name);
}

export class Stage {
  readonly scene = new three.Scene();
  readonly camera = new three.PerspectiveCamera(40, 1, 0.01, 1000);
  readonly renderer: three.WebGLRenderer;
  readonly controls: OrbitControls;
  readonly ground = new Ground();
  /** Told before every picture whether surfaces are to be simple. */
  readonly before: ((plain: boolean) => void)[] = [];
  /** Pictures drawn so far, and per second while it moves. */
  drawn = 0;
  rate = 0;
  private last = 0;
  private sun = new three.DirectionalLight(0xffffff, 2.3);
  private sky = new Sky();
  /** In place of the surroundings, where light is kept simple. */
  private dome = new three.HemisphereLight(0xffffff, 0x8a8478, 0);
  private surroundings: three.Texture | null = null;
  private radius = 1;
  private stale = true;
  private quality = new Quality();
  private sharp = false;
  /** Whether pictures keep all their pixels and their looks. */
  private held = false;
  /** Whether there is a scene: what is empty need not be drawn in full. */
  private filled = false;

  constructor(readonly canvas: HTMLCanvasElement) {
    this.renderer = new three.WebGLRenderer({ canvas, antialias: true });
    this.renderer.shadowMap.enabled = true;
    this.renderer.shadowMap.type = three.PCFShadowMap;
    this.renderer.shadowMap.autoUpdate = false;
    this.camera.up.set(0, 0, 1);
    this.sun.castShadow = true;
    this.sun.shadow.mapSize.set(2048, 2048);
    this.sun.shadow.radius = 2.5;
    this.renderer.toneMapping = three.NeutralToneMapping;
    this.dome.position.set(0, 0, 1);
    this.scene.add(this.sky.mesh, this.sun, this.sun.target, this.dome, this.ground.mesh);
    this.quality.plain = isSoftware(this.renderer);
    this.controls = new OrbitControls(this.camera, canvas);
    this.controls.zoomToCursor = true;
    this.controls.addEventListener("change", () => this.turned());
    new ResizeObserver(() => this.resize()).observe(canvas);
    canvas.addEventListener("webglcontextrestored", () => this.touch());
    this.resize();
  }

  /** Turns the view about what it looks at, in rad. */
  turn(right: number, up: number) {
    const way = this.camera.position.clone().sub(this.controls.target);
    const across = new three.Vector3().crossVectors(this.camera.up, way).normalize();
    const height = Math.asin(Math.max(-1, Math.min(1, way.z / way.length())));
    const raised = Math.max(-1.5, Math.min(1.5, height + up)) - height;
    way.applyAxisAngle(across, -raised).applyAxisAngle(this.camera.up, right);
    this.camera.position.copy(this.controls.target).add(way);
    this.controls.update();
    this.turned();
  }

  /** Moves the view across what it looks at, in steps. */
  shift(right: number, up: number) {
    const [x, y] = [new three.Vector3(), new three.Vector3()];
    this.camera.matrixWorld.extractBasis(x, y, new three.Vector3());
    const step = STEP * this.pixel() * this.canvas.clientHeight;
    this.centre(this.controls.target.clone().addScaledVector(x, step * right).addScaledVector(y, step * up));
  }

  /** Goes to that share of the distance. */
  zoom(share: number) {
    const way = this.camera.position.clone().sub(this.controls.target);
    const { minDistance, maxDistance } = this.controls;
    way.setLength(Math.max(minDistance, Math.min(maxDistance, share * way.length())));
    this.camera.position.copy(this.controls.target).add(way);
    this.controls.update();
    this.turned();
  }

  /** Says that the picture is out of date. */
  touch() {
    this.stale = true;
    this.renderer.shadowMap.needsUpdate = true;
  }

  /** Only the camera moved: shadows stay where they are, which is half the work. */
  private turned() {
    this.stale = true;
  }

  private resize() {
    const { clientWidth: w, clientHeight: h } = this.canvas;
    if (w === 0 || h === 0) return;
    this.renderer.setPixelRatio(Math.min(devicePixelRatio, 2) * (this.sharp || this.held ? 1 : this.quality.detail));
    this.renderer.setSize(w, h, false);
    this.camera.aspect = w / h;
    this.widen();
    this.touch();
  }

  /** The lens: so wide across the shorter side that a panel which opens below takes nothing off the width. */
  private widen() {
    const half = Math.tan((this.lens * Math.PI) / 360) / Math.min(1, this.camera.aspect);
    this.camera.fov = (360 / Math.PI) * Math.atan(half);
    this.camera.updateProjectionMatrix();
  }

  private lens = LENS;

  /** All pixels for as long as it is filmed, however long that takes. */
  hold(on: boolean) {
    this.held = on;
    this.sharp = false;
    this.resize();
    this.enlighten();
  }

  theme(name: "light" | "dark") {
    const theme = THEMES[name];
    this.sky.paint(theme);
    this.surroundings?.dispose();
    this.surroundings = null;
    this.themed = theme;
    this.scene.environmentIntensity = theme.diffuse;
    const { up, down } = shed(theme);
    this.dome.color.copy(up);
    this.dome.groundColor.copy(down);
    this.diffuse = theme.diffuse;
    this.enlighten();
    this.sun.color.set(theme.sun);
    this.sun.intensity = theme.direct;
    this.ground.paint(theme);
    this.touch();
  }

  private themed = THEMES.light;
  private diffuse = 1;

  /** Whether surfaces are to be simple now. */
  get plain(): boolean {
    return this.quality.plain && !this.sharp;
  }

  private enlighten() {
    // Made when they are needed first: the first picture of a machine without a graphics card would wait for them.
    this.scene.environment = this.plain ? null : (this.surroundings ??= surroundings(this.renderer, this.themed));
    // As bright as the surroundings: a lamp counts per area, not per angle.
    this.dome.intensity = this.plain ? Math.PI * this.diffuse : 0;
    this.ground.simplify(this.plain);
  }

  /** For tests: light as while it moves on a slow machine, or as else. */
  simple(plain: boolean) {
    this.quality.plain = plain;
    this.enlighten();
    for (const listener of this.before) listener(this.plain);
  }

  /** For tests: as few pixels as on the slowest machines. */
  coarsen() {
    this.quality.detail = 0.5;
    this.sharp = false;
    this.resize();
  }

  /** Light, shadows and depth for a scene of that size. */
  fit(sphere: three.Sphere) {
    this.filled = true;
    this.radius = Math.max(sphere.radius, 1e-3);
    this.deepen();
    this.light(sphere.center);
  }

  /** How near and far can be seen, and the camera may go. */
  private deepen() {
    const away = this.long;
    this.camera.near = away > 1 ? away * this.radius * 0.05 : this.radius / 200;
    this.camera.far = this.radius * 60 * away;
    this.camera.updateProjectionMatrix();
    this.controls.maxDistance = 25 * this.radius * away;
    this.controls.minDistance = (this.radius / 50) * away;
  }

  /** How many times as far away it is as with the usual lens. */
  private long = 1;

  /** Parallels stay parallel, to the eye: a lens of 1° from far away. */
  orthographic(on: boolean) {
    const before = this.long;
    this.lens = on ? 1 : LENS;
    this.widen();
    this.long = on ? Math.tan((LENS * Math.PI) / 360) / Math.tan(Math.PI / 360) : 1;
    this.deepen();
    this.zoom(this.long / before);
  }

  /** The sun shines on a place. */
  light(centre: three.Vector3) {
    const [r, shadow] = [this.radius, this.sun.shadow];
    this.sun.target.position.copy(centre);
    this.sun.position.copy(centre).addScaledVector(SUN, 4.5 * r);
    this.sun.target.updateMatrixWorld();
    const reach = 1.35 * r;
    Object.assign(shadow.camera, { left: -reach, right: reach, top: reach, bottom: -reach, near: 0.1 * r, far: 9 * r });
    shadow.camera.updateProjectionMatrix();
    // Coarse texels and grazing light would shade surfaces by themselves.
    shadow.normalBias = (2.5 * 2 * reach) / shadow.mapSize.x;
    shadow.bias = -0.0004;
    this.touch();
  }

  /** Looks from a place at another; from farther away where a box would be cut off by the shape of the picture. */
  look(eye: Vec, target: Vec, box?: three.Box3) {
    this.controls.target.set(...target);
    const way = new three.Vector3(...eye).sub(this.controls.target);
    // A little farther away where the picture is narrow.
    let away = Math.max(1, 1.1 / Math.max(1, this.camera.aspect));
    if (box) {
      const { towards, right, up } = this.axes(way);
      const corners = cornersOf(box).map((corner): Vec => {
        const at = corner.sub(this.controls.target);
        return [at.dot(right), at.dot(up), at.dot(towards)];
      });
      const tall = Math.tan((LENS * Math.PI) / 360) / Math.min(1, this.camera.aspect);
      away = retreat(corners, way.length(), tall * this.camera.aspect, tall);
    }
    this.camera.position.copy(way).multiplyScalar(away * this.long).add(this.controls.target);
    this.controls.update();
    this.touch();
  }

  /** Looks at a place, from as far away as before. */
  centre(place: three.Vector3) {
    this.camera.position.add(place).sub(this.controls.target);
    this.controls.target.copy(place);
    this.controls.update();
    this.turned();
  }

  /** A picture of the view, in full. */
  shot(): Promise<Blob | null> {
    this.renderer.render(this.scene, this.camera);
    return new Promise((resolve) => this.canvas.toBlob(resolve));
  }

  /** Looks at all of a box, from where it is told or else from the side it is widest from. */
  frame(box: three.Box3, from?: Vec) {
    const [centre, size] = [box.getCenter(new three.Vector3()), box.getSize(new three.Vector3())];
    const towards = size.x >= size.y ? new three.Vector3(0.5, -1, 0.42) : new three.Vector3(1, -0.5, 0.42);
    if (from) towards.set(...from);
    const { right, up } = this.axes(towards.normalize());
    // The bars at top and bottom cover a part of the height.
    const tall = Math.tan((this.camera.fov * Math.PI) / 360);
    const [h, w] = [0.8 * tall, 0.92 * tall * this.camera.aspect];
    let distance = 0;
    for (const corner of cornersOf(box)) {
      corner.sub(centre);
      const aside = Math.max(Math.abs(corner.dot(right)) / w, Math.abs(corner.dot(up)) / h);
      distance = Math.max(distance, corner.dot(towards) + aside);
    }
    this.controls.target.copy(centre);
    this.camera.position.copy(centre).addScaledVector(towards, distance);
    this.controls.update();
    this.touch();
  }

  /** The way to the eye, and what is to the right and up as it sees it, all of length 1. */
  private axes(way: three.Vector3) {
    const towards = way.clone().normalize();
    const right = new three.Vector3().crossVectors(this.camera.up, towards).normalize();
    return { towards, right, up: new three.Vector3().crossVectors(towards, right) };
  }

  /** Draws if needed; says whether it did. */
  draw(): boolean {
    this.controls.update();
    const { lowered, rested } = this.held || !this.filled ? { lowered: false, rested: false } : this.quality.tick(performance.now(), this.stale);
    if (!this.stale && !rested) return false;
    if (lowered) this.simplify();
    // Sharp while it stands still, coarse again as soon as it moves.
    if (this.sharp !== rested) {
      this.sharp = rested;
      this.resize();
      this.enlighten();
    }
    for (const listener of this.before) listener(this.plain);
    this.stale = false;
    this.renderer.render(this.scene, this.camera);
    this.drawn += 1;
    const now = performance.now();
    const took = now - this.last;
    this.last = now;
    if (took < 2000) this.rate += 0.1 * (1000 / Math.max(took, 1) - this.rate);
    return true;
  }

  private simplify() {
    this.enlighten();
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
