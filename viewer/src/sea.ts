/** Water with waves: swell of 8 s and chop, as deep water has them. It is seen, and moves nothing. */

import * as three from "three";
import type { Visual } from "./types";

/** Share of the height, period in s and direction in rad of each wave. */
const WAVES: [number, number, number][] = [[1, 8, 0.9], [0.35, 5.1, 0.2], [0.16, 3.3, 1.7], [0.08, 2.2, 0.6]];
/** Half the height of the swell in m, on water that is large. */
const SWELL = 0.45;
const CELLS = 220;

/** Height and slope at a place and time, in the shader's language. */
function waves(height: number): string {
  const lines = WAVES.map(([share, period, angle]) => {
    const [rate, a] = [(2 * Math.PI) / period, share * height];
    const k = rate ** 2 / 9.81;
    const [x, y] = [k * Math.cos(angle), k * Math.sin(angle)].map((n) => n.toFixed(6));
    return `phase = ${x} * p.x + ${y} * p.y - ${rate.toFixed(6)} * seaTime; wave += ${a.toFixed(4)} * vec3(sin(phase), ${x} * cos(phase), ${y} * cos(phase));`;
  });
  return `vec2 p = (modelMatrix * vec4(position, 1.0)).xy; float phase; vec3 wave = vec3(0.0); ${lines.join(" ")}`;
}

/** The waters of a scene. */
export class Sea {
  readonly root = new three.Group();
  private time = { value: 0 };

  constructor(scenery: Visual[]) {
    for (const { shape, position, colour } of scenery.filter((v) => v.finish === "water")) {
      if (!("box" in shape)) continue;
      const [x, y, z] = shape.box.half_extents;
      // Finer in the middle, where the eye is.
      const geometry = new three.PlaneGeometry(2, 2, CELLS, CELLS);
      const at = geometry.getAttribute("position");
      const spread = (u: number) => u * (0.25 + 0.75 * u * u);
      for (let i = 0; i < at.count; i += 1) at.setXY(i, x * spread(at.getX(i)), y * spread(at.getY(i)));
      const mesh = new three.Mesh(geometry, this.material(colour ?? "#2d5f7c", Math.min(SWELL, 0.002 * x)));
      mesh.position.set(...(position ?? [0, 0, 0]));
      mesh.position.z += z;
      mesh.receiveShadow = true;
      mesh.frustumCulled = false;
      this.root.add(mesh);
    }
  }

  private material(colour: string, height: number): three.Material {
    const made = new three.MeshStandardMaterial({ color: colour, roughness: 0.22, metalness: 0 });
    made.onBeforeCompile = (shader) => {
      shader.uniforms.seaTime = this.time;
      shader.vertexShader = shader.vertexShader
        .replace("void main() {", "uniform float seaTime;\nvoid main() {")
        .replace("#include <beginnormal_vertex>", `${waves(height)}\nvec3 objectNormal = normalize(vec3(-wave.y, -wave.z, 1.0));`)
        .replace("#include <begin_vertex>", "vec3 transformed = vec3(position.xy, position.z + wave.x);");
    };
    return made;
  }

  /** As it is at a time in s. */
  at(time: number) {
    this.time.value = time;
  }

  dispose() {
    for (const mesh of this.root.children as three.Mesh[]) {
      mesh.geometry.dispose();
      (mesh.material as three.Material).dispose();
    }
    this.root.removeFromParent();
  }
}
