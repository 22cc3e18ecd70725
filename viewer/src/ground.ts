/** The ground: a plane with a grid of metres that fades with distance. */

import * as three from "three";
import type { Theme } from "./colours";

/** Lines are drawn by the plane itself: separate ones would flicker. */
const LINES = `
  vec2 at = gridPosition / gridCell;
  vec2 width = max(fwidth(at), 1e-6);
  vec2 fine = abs(fract(at - 0.5) - 0.5) / width;
  vec2 coarse = abs(fract(at / 10.0 - 0.5) - 0.5) / (width / 10.0);
  float few = 1.0 - smoothstep(0.15, 0.5, max(width.x, width.y));
  float thin = (1.0 - min(min(fine.x, fine.y), 1.0)) * 0.55 * few;
  float thick = 1.0 - min(min(coarse.x, coarse.y) / 1.6, 1.0);
  diffuseColor.rgb = mix(diffuseColor.rgb, gridColour, max(thin, thick));
  diffuseColor.a *= 1.0 - smoothstep(0.35, 1.0, length(gridPosition - gridCentre) / gridRadius);
`;

export class Ground {
  readonly mesh: three.Mesh<three.PlaneGeometry, three.MeshLambertMaterial>;
  /** Distance of the lines in m. */
  cell = 1;
  private uniforms = {
    gridCell: { value: 1 },
    gridColour: { value: new three.Color() },
    gridCentre: { value: new three.Vector2() },
    gridRadius: { value: 1 },
  };

  constructor() {
    const material = new three.MeshLambertMaterial({ transparent: true });
    material.onBeforeCompile = (shader) => {
      Object.assign(shader.uniforms, this.uniforms);
      shader.vertexShader = shader.vertexShader
        .replace("void main() {", "varying vec2 gridPosition;\nvoid main() {")
        .replace(
          "#include <project_vertex>",
          "#include <project_vertex>\ngridPosition = (modelMatrix * vec4(position, 1.0)).xy;",
        );
      shader.fragmentShader = shader.fragmentShader
        .replace(
          "void main() {",
          "varying vec2 gridPosition;\nuniform float gridCell, gridRadius;\nuniform vec3 gridColour;\nuniform vec2 gridCentre;\nvoid main() {",
        )
        .replace("#include <color_fragment>", `#include <color_fragment>\n${LINES}`);
    };
    this.mesh = new three.Mesh(new three.PlaneGeometry(2, 2), material);
    this.mesh.receiveShadow = true;
  }

  /** Lies at a height under a scene of that size. */
  place(height: number, centre: three.Vector3, radius: number) {
    const reach = 14 * radius;
    this.mesh.position.set(centre.x, centre.y, height);
    this.mesh.scale.set(reach, reach, 1);
    this.cell = 10 ** Math.floor(Math.log10(Math.max(radius, 1e-6) * 0.8));
    this.uniforms.gridCell.value = this.cell;
    this.uniforms.gridRadius.value = reach;
    this.uniforms.gridCentre.value.set(centre.x, centre.y);
  }

  paint(theme: Theme) {
    this.mesh.material.color.set(theme.ground);
    this.uniforms.gridColour.value.set(theme.line);
  }
}
