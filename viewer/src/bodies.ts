/** The bodies of a scene: one draw call for all parts of equal shape. */

import * as three from "three";
import { colour, SELECTED, THEMES, varied } from "./colours";
import { type Part, partsOf } from "./shapes";
import type { Header } from "./types";

interface Piece {
  body: number;
  local: three.Matrix4;
  /** The same, but not thinner than can be seen. */
  shown: three.Matrix4;
  mesh: three.InstancedMesh;
  slot: number;
}

export type Colouring = "bodies" | "islands" | "groups";

export class Bodies {
  readonly root = new three.Group();
  /** What the bodies are at, as drawn. */
  readonly position: three.Vector3[];
  readonly rotation: three.Quaternion[];
  private pieces: Piece[] = [];
  private planes: three.Mesh[] = [];
  private owners = new Map<three.Object3D, number[]>();
  private base: three.Color[] = [];
  private groups: Map<number, number>;
  private kinds: string[];
  private reach: number[];
  private matrix = new three.Matrix4();
  private planeSize = 0;

  constructor(readonly header: Header) {
    const { bodies } = header.scene;
    this.position = bodies.map(() => new three.Vector3());
    this.rotation = bodies.map(() => new three.Quaternion());
    this.kinds = bodies.map((body) => body.kind ?? "dynamic");
    this.reach = bodies.map(() => 0);
    this.groups = groupsOf(header);
    const batches = new Map<string, { part: Part; body: number }[]>();
    bodies.forEach((body, i) => {
      for (const part of partsOf(body)) {
        if (part.plane) this.addPlane(part, i);
        else {
          const batch = batches.get(part.key);
          if (batch) batch.push({ part, body: i });
          else batches.set(part.key, [{ part, body: i }]);
        }
      }
    });
    for (const members of batches.values()) this.addBatch(members);
    this.chooseColours();
  }

  private addBatch(members: { part: Part; body: number }[]) {
    const geometry = members[0]?.part.geometry() ?? new three.BufferGeometry();
    geometry.computeBoundingBox();
    geometry.computeBoundingSphere();
    const radius = geometry.boundingSphere?.radius ?? 0;
    const material = new three.MeshStandardMaterial({ roughness: 0.62, metalness: 0.05, side: three.DoubleSide });
    material.shadowSide = three.FrontSide;
    const mesh = new three.InstancedMesh(geometry, material, members.length);
    // Its bounds change with every frame; drawing what is out of sight is cheap.
    mesh.frustumCulled = false;
    mesh.castShadow = true;
    mesh.receiveShadow = true;
    mesh.instanceMatrix.setUsage(three.DynamicDrawUsage);
    members.forEach(({ part, body }, slot) => {
      this.pieces.push({ body, local: part.local, shown: part.local, mesh, slot });
      const at = new three.Vector3().setFromMatrixPosition(part.local).length();
      this.reach[body] = Math.max(this.reach[body] ?? 0, at + radius * part.local.getMaxScaleOnAxis());
    });
    this.owners.set(mesh, members.map((m) => m.body));
    this.root.add(mesh);
  }

  /** Half-spaces have no size: a large square stands for them. */
  private addPlane(part: Part, body: number) {
    const material = new three.MeshStandardMaterial({ roughness: 0.9, side: three.DoubleSide });
    const mesh = new three.Mesh(part.geometry(), material);
    mesh.receiveShadow = true;
    mesh.matrixAutoUpdate = false;
    mesh.userData = { body, local: part.local };
    this.planes.push(mesh);
    this.owners.set(mesh, [body]);
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
    for (const { body, shown, mesh, slot } of this.pieces) {
      mesh.setMatrixAt(slot, this.pose(body).multiply(shown));
      mesh.instanceMatrix.needsUpdate = true;
    }
    // The size of the scene at its start.
    if (this.planes.length > 0) this.planeSize ||= 6 * this.sphere().radius;
    for (const plane of this.planes) {
      const size = this.planeSize;
      plane.matrix.copy(this.pose(plane.userData.body)).multiply(plane.userData.local);
      plane.matrix.scale(new three.Vector3(size, size, 1));
    }
  }

  /** Draws what is thinner than this as if it were not: ropes seen from afar
   * would be lost between pixels. */
  thicken(least: number) {
    const [scale, size] = [new three.Vector3(), new three.Vector3()];
    for (const piece of this.pieces) {
      piece.mesh.geometry.boundingBox?.getSize(size);
      size.multiply(scale.setFromMatrixScale(piece.local));
      const more = size.toArray().map((x) => (x > 0 && x < least ? least / x : 1));
      piece.shown = piece.local.clone().scale(new three.Vector3().fromArray(more));
    }
  }

  /** The pose of a body, in a matrix that is used again. */
  pose(body: number): three.Matrix4 {
    const one = new three.Vector3(1, 1, 1);
    return this.matrix.compose(this.position[body] ?? new three.Vector3(), this.rotation[body] ?? new three.Quaternion(), one);
  }

  /** `subsystems`: as the solver has them; where it has none, those the scene names. */
  paint(by: Colouring, islands: Int32Array | null, subsystems: Int32Array | null, selected: number) {
    const grey = new three.Color(THEMES.light.fixed);
    // Numbers of islands change from step to step; their first body does less.
    const first = new Map<number, number>();
    islands?.forEach((island, body) => {
      if (!first.has(island)) first.set(island, body);
    });
    const ranks = rank(subsystems ?? []);
    const choose = (body: number): three.Color => {
      if (body === selected) return SELECTED;
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
      return this.base[body] ?? grey;
    };
    for (const { body, mesh, slot } of this.pieces) {
      mesh.setColorAt(slot, choose(body));
      if (mesh.instanceColor) mesh.instanceColor.needsUpdate = true;
    }
    for (const plane of this.planes) {
      (plane.material as three.MeshStandardMaterial).color.copy(choose(plane.userData.body));
    }
  }

  /** The colour a body has now. */
  colourOf(body: number): string | null {
    const piece = this.pieces.find((p) => p.body === body);
    if (!piece?.mesh.instanceColor) return null;
    const c = new three.Color();
    piece.mesh.getColorAt(piece.slot, c);
    return c.getHexString();
  }

  /** Distance of its farthest point from its origin. */
  reachOf(body: number): number {
    return this.reach[body] ?? 0;
  }

  isDynamic(body: number): boolean {
    return this.kinds[body] === "dynamic";
  }

  /** The first body under a ray, and where. */
  hit(ray: three.Raycaster): { body: number; point: three.Vector3 } | null {
    for (const mesh of this.owners.keys()) {
      if (mesh instanceof three.InstancedMesh) mesh.computeBoundingSphere();
    }
    const hit = ray.intersectObjects([...this.owners.keys()], false)[0];
    if (!hit) return null;
    const body = this.owners.get(hit.object)?.[hit.instanceId ?? 0];
    return body === undefined ? null : { body, point: hit.point };
  }

  /** Around all bodies but planes, and what they hang on. */
  box(): three.Box3 {
    const [box, one] = [new three.Box3(), new three.Box3()];
    for (const { body, local, mesh } of this.pieces) {
      if (mesh.geometry.boundingBox) box.union(one.copy(mesh.geometry.boundingBox).applyMatrix4(this.pose(body).multiply(local)));
    }
    for (const joint of this.header.joints) {
      if (joint.kind === "gear") continue;
      if (joint.a === null) box.expandByPoint(new three.Vector3(...joint.anchor_a));
      if (joint.b === null) box.expandByPoint(new three.Vector3(...joint.anchor_b));
    }
    if (box.isEmpty()) box.set(new three.Vector3(-1, -1, -1), new three.Vector3(1, 1, 1));
    return box;
  }

  sphere(): three.Sphere {
    return this.box().getBoundingSphere(new three.Sphere());
  }

  dispose() {
    this.root.traverse((o) => {
      if (!(o instanceof three.Mesh)) return;
      o.geometry.dispose();
      (o.material as three.Material).dispose();
      if (o instanceof three.InstancedMesh) o.dispose();
    });
    this.root.removeFromParent();
  }
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
