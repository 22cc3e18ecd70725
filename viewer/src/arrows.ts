/** Many arrows or dots in a few draw calls, seen through bodies. */

import * as three from "three";

const UP = new three.Vector3(0, 1, 0);

/** Solid, or drawn last and over everything: what presses is hidden between
 * bodies. */
function material(solid: boolean): three.Material {
  if (solid) return new three.MeshStandardMaterial({ roughness: 0.7 });
  const opacity = 0.95;
  return new three.MeshBasicMaterial({ depthTest: false, depthWrite: false, transparent: true, opacity });
}

/** Instances of one geometry, as many as needed. */
class Many {
  mesh: three.InstancedMesh;
  count = 0;

  constructor(
    private parent: three.Object3D,
    private geometry: three.BufferGeometry,
    private order: number,
    private solid: boolean,
  ) {
    this.mesh = this.make(64);
  }

  private make(capacity: number): three.InstancedMesh {
    const mesh = new three.InstancedMesh(this.geometry, material(this.solid), capacity);
    mesh.castShadow = this.solid;
    mesh.frustumCulled = false;
    mesh.renderOrder = this.order;
    mesh.count = 0;
    this.parent.add(mesh);
    return mesh;
  }

  add(matrix: three.Matrix4, colour: three.Color) {
    if (this.count === this.mesh.instanceMatrix.count) {
      const old = this.mesh;
      this.mesh = this.make(2 * this.count);
      this.mesh.instanceMatrix.array.set(old.instanceMatrix.array);
      if (old.instanceColor) {
        this.mesh.setColorAt(0, colour);
        this.mesh.instanceColor?.array.set(old.instanceColor.array);
      }
      old.removeFromParent();
      old.dispose();
    }
    this.mesh.setMatrixAt(this.count, matrix);
    this.mesh.setColorAt(this.count, colour);
    this.count += 1;
  }

  finish() {
    this.mesh.count = this.count;
    this.mesh.instanceMatrix.needsUpdate = true;
    if (this.mesh.instanceColor) this.mesh.instanceColor.needsUpdate = true;
  }
}

export class Dots {
  readonly root = new three.Group();
  private balls = new Many(this.root, new three.SphereGeometry(1, 10, 8), 11, false);

  get count() {
    return this.balls.count;
  }

  clear() {
    this.balls.count = 0;
  }

  add(at: three.Vector3, radius: number, colour: three.Color) {
    const size = new three.Vector3(radius, radius, radius);
    this.balls.add(new three.Matrix4().compose(at, new three.Quaternion(), size), colour);
  }

  finish() {
    this.balls.finish();
  }
}

export class Arrows {
  readonly root = new three.Group();
  private shafts: Many;
  private heads: Many;

  constructor(solid = false) {
    const shaft = new three.CylinderGeometry(1, 1, 1, 8).translate(0, 0.5, 0);
    const head = new three.ConeGeometry(1, 1, 12).translate(0, 0.5, 0);
    this.shafts = new Many(this.root, shaft, solid ? 0 : 12, solid);
    this.heads = new Many(this.root, head, solid ? 0 : 12, solid);
  }

  get count() {
    return this.shafts.count;
  }

  clear() {
    this.shafts.count = 0;
    this.heads.count = 0;
  }

  /** From a point along a vector; without a head it is a line. */
  add(from: three.Vector3, along: three.Vector3, width: number, colour: three.Color, head = true) {
    const length = along.length();
    if (!(length > 0)) return;
    const turn = new three.Quaternion().setFromUnitVectors(UP, along.clone().divideScalar(length));
    const tip = head ? Math.min(4.5 * width, 0.5 * length) : 0;
    const shaft = new three.Vector3(width, length - tip, width);
    this.shafts.add(new three.Matrix4().compose(from, turn, shaft), colour);
    if (!head) return;
    const neck = from.clone().addScaledVector(along, (length - tip) / length);
    this.heads.add(new three.Matrix4().compose(neck, turn, new three.Vector3(2.2 * width, tip, 2.2 * width)), colour);
  }

  finish() {
    this.shafts.finish();
    this.heads.finish();
  }
}
