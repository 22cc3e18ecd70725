/** Many pieces in few draw calls: instances of one geometry, or different geometries in one buffer,
 * with fewer triangles for what is small on the screen. */

import * as three from "three";
import { BEVEL, edgesOfShadow, material, plainMaterial } from "./looks";
import type { Part } from "./shapes";

/** Fewer pieces of equal shape than this share a call with others. */
const FEW = 8;

/** Radius in px from which on round pieces have the triangles of a level. */
const ROUND = [60, 16, 5, 0];

type Drawn = three.InstancedMesh | three.BatchedMesh;

/** A part of a body, and where it is in which mesh. */
export interface Piece {
  part: Part;
  body: number;
  mesh: Drawn;
  slot: number;
  /** Its size with the scale taken out. */
  box: three.Box3;
  /** Its place, but not thinner than can be seen. */
  shown: three.Matrix4;
}

type Member = { part: Part; body: number };

/** A mesh whose triangles depend on how large it is on the screen. */
class Levels {
  private made = new Map<number, three.BufferGeometry>();
  private now = 0;

  constructor(
    readonly mesh: three.InstancedMesh,
    private part: Part,
    /** That of its largest piece in m. */
    private size: number,
  ) {
    this.made.set(0, mesh.geometry);
  }

  /** Where a pixel covers so many m. */
  choose(pixel: number) {
    const px = this.size / pixel;
    const box = this.part.key.startsWith("box");
    const level = box ? (BEVEL * px > 0.4 ? 0 : 1) : ROUND.findIndex((least) => px >= least);
    if (level === this.now) return;
    this.now = level;
    const geometry = this.made.get(level) ?? bounded(this.part.geometry(level));
    this.made.set(level, geometry);
    this.mesh.geometry = geometry;
  }

  dispose() {
    for (const geometry of this.made.values()) geometry.dispose();
  }
}

function bounded(geometry: three.BufferGeometry): three.BufferGeometry {
  geometry.computeBoundingBox();
  geometry.computeBoundingSphere();
  return geometry;
}

export class Batches {
  readonly root = new three.Group();
  readonly pieces: Piece[] = [];
  /** Bodies of the slots of each mesh. */
  readonly owners = new Map<three.Object3D, number[]>();
  private levels: Levels[] = [];
  private materials = new Map<string, { rich: three.Material; plain: three.Material }>();
  private plain = false;

  constructor(members: Member[]) {
    const equal = new Map<string, Member[]>();
    for (const member of members) {
      const key = `${member.part.look.finish ?? ""} ${member.part.key}`;
      const batch = equal.get(key);
      if (batch) batch.push(member);
      else equal.set(key, [member]);
    }
    const mixed = new Map<string, Member[][]>();
    for (const batch of equal.values()) {
      const { part } = batch[0] as Member;
      const finish = part.look.finish ?? "";
      if (part.levels > 1 || batch.length >= FEW) this.addEqual(batch);
      else mixed.set(finish, [...(mixed.get(finish) ?? []), batch]);
    }
    for (const batches of mixed.values()) {
      // A buffer for a few alone is not worth it.
      if (batches.length < 3) batches.forEach((batch) => this.addEqual(batch));
      else this.addMixed(batches);
    }
  }

  private look(part: Part): three.Material {
    const edges = part.key.startsWith("box");
    const key = `${part.look.finish} ${edges}`;
    const { finish } = part.look;
    const made = this.materials.get(key) ?? { rich: material(finish, edges), plain: plainMaterial(finish, edges) };
    this.materials.set(key, made);
    return made.rich;
  }

  private addEqual(members: Member[]) {
    const { part } = members[0] as Member;
    const geometry = bounded(part.geometry());
    const mesh = new three.InstancedMesh(geometry, this.look(part), members.length);
    if (part.key.startsWith("box")) mesh.customDepthMaterial = edgesOfShadow;
    mesh.instanceMatrix.setUsage(three.DynamicDrawUsage);
    this.levels.push(new Levels(mesh, part, members.reduce((most, m) => Math.max(most, m.part.size), 0)));
    this.add(mesh, members.map((member, slot) => ({ member, slot, geometry })));
  }

  /** Different shapes: each batch its own triangles in one buffer. */
  private addMixed(batches: Member[][]) {
    const made = batches.map((members) => ({ members, geometry: bounded((members[0] as Member).part.geometry()) }));
    const count = batches.flat().length;
    const vertices = made.reduce((sum, { geometry }) => sum + geometry.getAttribute("position").count, 0);
    const mesh = new three.BatchedMesh(count, vertices, 0, this.look((batches[0]?.[0] as Member).part));
    mesh.perObjectFrustumCulled = false;
    mesh.sortObjects = false;
    const slots = made.flatMap(({ members, geometry }) => {
      const id = mesh.addGeometry(geometry);
      return members.map((member) => ({ member, slot: mesh.addInstance(id), geometry }));
    });
    this.add(mesh, slots);
    made.forEach(({ geometry }) => geometry.dispose());
  }

  private add(mesh: Drawn, members: { member: Member; slot: number; geometry: three.BufferGeometry }[]) {
    // Its bounds change with every frame; drawing what is out of sight is cheap.
    mesh.frustumCulled = false;
    const solid = !(mesh.material as three.Material).transparent;
    mesh.castShadow = solid;
    mesh.receiveShadow = solid;
    const bodies: number[] = [];
    for (const { member, slot, geometry } of members) {
      const box = geometry.boundingBox ?? new three.Box3();
      this.pieces.push({ ...member, mesh, slot, box, shown: member.part.local });
      bodies[slot] = member.body;
    }
    this.owners.set(mesh, bodies);
    this.root.add(mesh);
  }

  /** Fits thickness and triangles to what a pixel covers, in m. */
  fit(pixel: number) {
    const [scale, size, least] = [new three.Vector3(), new three.Vector3(), 1.6 * pixel];
    for (const piece of this.pieces) {
      // What is thinner than a pixel would be lost between them.
      piece.box.getSize(size).multiply(scale.setFromMatrixScale(piece.part.local));
      const more = size.toArray().map((x) => (x > 0 && x < least ? least / x : 1));
      piece.shown = more.every((x) => x === 1) ? piece.part.local : piece.part.local.clone().scale(new three.Vector3().fromArray(more));
    }
    for (const levels of this.levels) levels.choose(pixel);
  }

  /** Edges of triangles alone, or surfaces. */
  wireframe(on: boolean) {
    for (const { rich, plain } of this.materials.values()) {
      for (const made of [rich, plain]) (made as three.MeshStandardMaterial).wireframe = on;
    }
  }

  /** Seen through, or as their finish is. */
  transparent(on: boolean) {
    for (const [key, { rich, plain }] of this.materials) {
      const glass = key.startsWith("glass");
      for (const made of [rich, plain]) {
        made.transparent = on || glass;
        made.opacity = glass ? 0.42 : on ? 0.35 : 1;
        made.depthWrite = !on;
        made.needsUpdate = true;
      }
    }
  }

  /** Simple surfaces, or those that the scene asks for. */
  simplify(plain: boolean) {
    if (plain === this.plain) return;
    this.plain = plain;
    const other = new Map([...this.materials.values()].map((m) => (plain ? [m.rich, m.plain] : [m.plain, m.rich])));
    for (const mesh of this.owners.keys()) {
      const drawn = mesh as Drawn;
      drawn.material = other.get(drawn.material as three.Material) ?? drawn.material;
    }
  }

  /** The first body under a ray, and where. */
  hit(ray: three.Raycaster): { body: number; point: three.Vector3; distance: number } | null {
    for (const mesh of this.owners.keys()) {
      if (mesh instanceof three.InstancedMesh || mesh instanceof three.BatchedMesh) mesh.computeBoundingSphere();
    }
    const hit = ray.intersectObjects([...this.owners.keys()], false)[0];
    if (!hit) return null;
    const body = this.owners.get(hit.object)?.[hit.instanceId ?? hit.batchId ?? 0];
    return body === undefined ? null : { body, point: hit.point, distance: hit.distance };
  }

  dispose() {
    this.levels.forEach((levels) => levels.dispose());
    for (const mesh of this.owners.keys()) (mesh as Drawn).dispose();
    for (const { rich, plain } of this.materials.values()) [rich, plain].forEach((made) => made.dispose());
    this.root.removeFromParent();
  }
}
