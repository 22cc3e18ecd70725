/** The bodies of a scene: one draw call for all parts of equal shape. */

import * as three from "three";
import { Batches, type Piece } from "./batches";
import { colour, SELECTED, THEMES, varied } from "./colours";
import { colourOf, material } from "./looks";
import { Sea } from "./sea";
import { type Part, partsOf } from "./shapes";
import type { Header, Look, Vec } from "./types";

/** In place of the number of a body: what stands around is of none. */
const SCENERY = -1;

/** The place of what is not drawn. */
const NOTHING = new three.Matrix4().makeScale(0, 0, 0);

export type Colouring = "bodies" | "islands" | "groups";

export class Bodies {
  readonly root = new three.Group();
  /** What the bodies are at, as drawn. */
  readonly position: three.Vector3[];
  readonly rotation: three.Quaternion[];
  /** Bodies that are not drawn. */
  readonly hidden = new Set<number>();
  private batches: Batches;
  readonly sea: Sea;
  private planes: three.Mesh<three.PlaneGeometry, three.MeshStandardMaterial>[] = [];
  private base: three.Color[] = [];
  private groups: Map<number, number>;
  private kinds: string[];
  private reach: number[];
  private matrix = new three.Matrix4();
  private placed = new three.Matrix4();
  private planeSize = 0;
  private parts = new Map<number, Piece[]>();

  constructor(readonly header: Header) {
    const { bodies } = header.scene;
    this.position = bodies.map(() => new three.Vector3());
    this.rotation = bodies.map(() => new three.Quaternion());
    this.kinds = bodies.map((body) => body.kind ?? "dynamic");
    this.reach = bodies.map(() => 0);
    this.groups = groupsOf(header);
    const all = bodies.flatMap((body, i) => partsOf(body).map((part) => ({ part, body: i })));
    const scenery = (header.scene.scenery ?? []).filter((v) => v.finish !== "water");
    this.sea = new Sea(header.scene.scenery ?? []);
    this.root.add(this.sea.root);
    if (scenery.length > 0) all.push(...partsOf({ name: "", visual: scenery }).map((part) => ({ part, body: SCENERY })));
    for (const { part, body } of all) if (part.plane) this.addPlane(part, body);
    this.batches = new Batches(all.filter(({ part }) => !part.plane));
    this.root.add(this.batches.root);
    const sphere = new three.Sphere();
    for (const { body, part, box } of this.batches.pieces) {
      if (body === SCENERY) continue;
      box.getBoundingSphere(sphere).applyMatrix4(part.local);
      this.reach[body] = Math.max(this.reach[body] ?? 0, sphere.center.length() + sphere.radius);
    }
    this.chooseColours();
  }

  /** Half-spaces have no size: a large square stands for them. */
  private addPlane(part: Part, body: number) {
    const mesh = new three.Mesh(part.geometry() as three.PlaneGeometry, material(part.look.finish ?? "concrete"));
    mesh.receiveShadow = true;
    mesh.matrixAutoUpdate = false;
    mesh.userData = { body, part };
    this.planes.push(mesh);
    this.root.add(mesh);
  }

  /** Bodies of equal make have the same hue. */
  private chooseColours() {
    const makes = new Map<string, number>();
    this.header.scene.bodies.forEach((body, i) => {
      // Places of shapes, and the last digits of sizes, make no difference.
      const round = (name: string, value: unknown) => {
        if (name === "points" || name === "position" || name === "orientation") return undefined;
        return typeof value === "number" ? +value.toPrecision(2) : value;
      };
      const key = JSON.stringify([body.shape, body.colliders], round);
      if (!makes.has(key)) makes.set(key, makes.size);
      const fixed = this.kinds[i] === "fixed";
      this.base.push(fixed ? new three.Color(THEMES.light.fixed) : varied(colour(makes.get(key) ?? 0), i));
    });
  }

  /** Moves the bodies; `share` of the way from one frame to the next. */
  update(from: Poses, to: Poses, share: number) {
    const [a, b] = [new three.Quaternion(), new three.Vector3()];
    this.position.forEach((position, i) => {
      position.fromArray(from.positions, 3 * i).lerp(b.fromArray(to.positions, 3 * i), share);
      this.rotation[i]?.fromArray(from.rotations, 4 * i).slerp(a.fromArray(to.rotations, 4 * i), share);
    });
    let [last, pose] = [NaN, this.matrix];
    for (const { body, shown, mesh, slot } of this.batches.pieces) {
      // Parts of a body follow one another.
      if (body !== last) [last, pose] = [body, this.pose(body)];
      mesh.setMatrixAt(slot, this.hidden.has(body) ? NOTHING : this.placed.multiplyMatrices(pose, shown));
    }
    for (const mesh of this.batches.owners.keys()) {
      if (mesh instanceof three.InstancedMesh) mesh.instanceMatrix.needsUpdate = true;
    }
    // The size of the scene at its start.
    if (this.planes.length > 0) this.planeSize ||= 6 * this.box().getBoundingSphere(new three.Sphere()).radius;
    for (const plane of this.planes) {
      const size = this.planeSize;
      plane.matrix.copy(this.pose(plane.userData.body)).multiply(plane.userData.part.local);
      plane.matrix.scale(new three.Vector3(size, size, 1));
    }
  }

  /** Edges of triangles alone, or surfaces. */
  wireframe(on: boolean) {
    this.batches.wireframe(on);
  }

  /** Seen through, or not. */
  transparent(on: boolean) {
    this.batches.transparent(on);
  }

  /** Simple surfaces for slow machines. */
  simplify(plain: boolean) {
    this.batches.simplify(plain);
  }

  /** Fits what is drawn to what a pixel covers, in m. */
  fit(pixel: number) {
    this.batches.fit(pixel);
  }

  /** The pose of a body, in a matrix that is used again. */
  pose(body: number): three.Matrix4 {
    const one = new three.Vector3(1, 1, 1);
    return this.matrix.compose(this.position[body] ?? new three.Vector3(), this.rotation[body] ?? new three.Quaternion(), one);
  }

  /** `subsystems`: as the solver has them; where it has none, those the scene names. `carried`: the
   * colours of links of chains. */
  paint(by: Colouring, islands: Int32Array | null, subsystems: Int32Array | null, selected: number, carried: Map<number, three.Color>) {
    const grey = new three.Color(THEMES.light.fixed);
    // Numbers of islands change from step to step; their first body does less.
    const first = new Map<number, number>();
    islands?.forEach((island, body) => {
      if (!first.has(island)) first.set(island, body);
    });
    const ranks = rank(subsystems ?? []);
    const choose = (body: number, look: Look): three.Color => {
      if (body === selected && body !== SCENERY) return SELECTED;
      if (by === "islands" && islands) {
        const island = islands[body] ?? -1;
        return island < 0 ? grey : colour(first.get(island) ?? 0);
      }
      if (by === "groups" && subsystems) {
        const first = subsystems[body] ?? -1;
        return first < 0 ? grey : colour(ranks.get(first) ?? 0);
      }
      if (by === "groups") {
        const group = this.groups.get(body);
        return group === undefined ? grey : colour(group);
      }
      const load = carried.get(body);
      if (load) return load;
      if (look.colour) return new three.Color(look.colour);
      return colourOf(look.finish) ?? this.base[body] ?? grey;
    };
    for (const { body, part, mesh, slot } of this.batches.pieces) mesh.setColorAt(slot, choose(body, part.look));
    for (const mesh of this.batches.owners.keys()) {
      if (mesh instanceof three.InstancedMesh && mesh.instanceColor) mesh.instanceColor.needsUpdate = true;
    }
    for (const plane of this.planes) plane.material.color.copy(choose(plane.userData.body, plane.userData.part.look));
  }

  /** The colour a body has now. */
  colourOf(body: number): string | null {
    const piece = this.batches.pieces.find((p) => p.body === body);
    if (!piece || (piece.mesh instanceof three.InstancedMesh && !piece.mesh.instanceColor)) return null;
    const c = new three.Color();
    piece.mesh.getColorAt(piece.slot, c as never);
    return c.getHexString();
  }

  /** The box around it, along the axes of the world. */
  boundsOf(body: number): three.Box3 {
    if (this.parts.size === 0) for (const piece of this.batches.pieces) this.parts.set(piece.body, [...(this.parts.get(piece.body) ?? []), piece]);
    const [box, one] = [new three.Box3(), new three.Box3()];
    for (const { part, box: own } of this.parts.get(body) ?? []) box.union(one.copy(own).applyMatrix4(this.pose(body).multiply(part.local)));
    return box;
  }

  /** Distance of its farthest point from its origin. */
  reachOf(body: number): number {
    return this.reach[body] ?? 0;
  }

  /** Whether what is between two bodies is seen: one of them is, or none was hidden. */
  sees(a: number, b: number): boolean {
    if (this.hidden.size === 0) return true;
    const own = [a, b].filter((body) => body >= 0);
    return own.length === 0 || own.some((body) => !this.hidden.has(body));
  }

  /** The height on which what stands around stands; null where nothing does. */
  floor(): number | null {
    const [box, one] = [new three.Box3(), new three.Box3()];
    for (const piece of this.batches.pieces) if (piece.body === SCENERY) box.union(one.copy(piece.box).applyMatrix4(piece.part.local));
    return box.isEmpty() ? null : box.min.z;
  }

  isDynamic(body: number): boolean {
    return this.kinds[body] === "dynamic";
  }

  /** The first body under a ray, and where. */
  hit(ray: three.Raycaster): { body: number; point: three.Vector3 } | null {
    const hit = this.batches.hit(ray);
    const plane = ray.intersectObjects(this.planes, false)[0];
    if (!plane || (hit && hit.distance <= plane.distance)) return hit && hit.body !== SCENERY ? hit : null;
    return { body: plane.object.userData.body, point: plane.point };
  }

  /** Around all bodies but planes, and what they hang on. */
  box(): three.Box3 {
    const [box, one] = [new three.Box3(), new three.Box3()];
    for (const piece of this.batches.pieces) if (piece.body !== SCENERY) box.union(one.copy(piece.box).applyMatrix4(this.pose(piece.body).multiply(piece.part.local)));
    for (const joint of this.header.joints) {
      if (joint.kind === "gear") continue;
      if (joint.a === null) box.expandByPoint(new three.Vector3(...joint.anchor_a));
      if (joint.b === null) box.expandByPoint(new three.Vector3(...joint.anchor_b));
    }
    if (box.isEmpty()) box.set(new three.Vector3(-1, -1, -1), new three.Vector3(1, 1, 1));
    return box;
  }

  /** Around what matters: most of what moves, without what is far away or much larger. */
  heart(): three.Box3 {
    const boxes = this.position.map(() => new three.Box3());
    const one = new three.Box3();
    for (const { body, part, box } of this.batches.pieces) {
      if (body === SCENERY) boxes.push(box.clone().applyMatrix4(part.local));
      else boxes[body]?.union(one.copy(box).applyMatrix4(this.pose(body).multiply(part.local)));
    }
    const anchors = this.header.joints.flatMap(({ kind, a, b, anchor_a, anchor_b }) => {
      if (kind === "gear") return [];
      return [a === null ? [anchor_a] : [], b === null ? [anchor_b] : []].flat();
    });
    return heartOf(boxes, boxes.map((_, i) => this.isDynamic(i)), anchors) ?? this.box();
  }

  dispose() {
    this.batches.dispose();
    this.sea.dispose();
    for (const plane of this.planes) {
      plane.geometry.dispose();
      plane.material.dispose();
    }
    this.root.removeFromParent();
  }
}

/** A body farther from the middle than so many times the reach of most is left out. */
const FAR = 1.6;
/** As is one so many times as large. */
const LARGE = 3;

/** The box of what matters among boxes, of which some move, and anchors in the world; null where that is nothing. */
export function heartOf(boxes: three.Box3[], moves: boolean[], anchors: Vec[] = []): three.Box3 | null {
  const all = boxes.flatMap((box, i) => {
    if (box.isEmpty()) return [];
    const sphere = box.getBoundingSphere(new three.Sphere());
    return [{ box, at: sphere.center, reach: sphere.radius, moves: moves[i] ?? false }];
  });
  const moving = all.filter((one) => one.moves);
  const main = moving.length > 0 ? moving : all;
  const part = (values: number[], share: number) => values.sort((a, b) => a - b)[Math.round(share * (values.length - 1))] ?? 0;
  const middle = new three.Vector3(...(["x", "y", "z"] as const).map((k) => part(main.map((one) => one.at[k]), 0.5)));
  const most = part(main.map((one) => one.at.distanceTo(middle) + one.reach), 0.9);
  const kept = new three.Box3();
  for (const { box, at, reach } of all) {
    if (reach <= LARGE * most && at.distanceTo(middle) - reach <= FAR * most) kept.union(box);
  }
  if (kept.isEmpty()) return null;
  // What things hang on, where that is not too far up.
  for (const anchor of anchors.map((at) => new three.Vector3(...at))) if (anchor.distanceTo(middle) <= LARGE * most) kept.expandByPoint(anchor);
  return kept;
}

export interface Poses {
  positions: Float32Array;
  rotations: Float32Array;
}

/** The group of each body that is in one; of several the first. */
function groupsOf(header: Header): Map<number, number> {
  const index = new Map(header.bodies.map((body, i) => [body.name, i]));
  const groups = new Map<number, number>();
  Object.values(header.scene.groups ?? {}).forEach((names, group) => {
    for (const name of names) {
      const body = index.get(name);
      if (body !== undefined && !groups.has(body)) groups.set(body, group);
    }
  });
  return groups;
}

/** Place of each subsystem among them, in the order of their first bodies. */
function rank(subsystems: ArrayLike<number>): Map<number, number> {
  const firsts = new Set(Array.from(subsystems).filter((first) => first >= 0));
  return new Map([...firsts].sort((a, b) => a - b).map((first, k) => [first, k]));
}
