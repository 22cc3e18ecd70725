/** The ground: a plane with a grain, and a grid of metres, that fades into the horizon. */

import * as three from "three";
import type { Theme } from "./colours";

/** Lines are drawn by the plane itself: separate ones would flicker. Grain and patches, of the size of
 * the grid, tell the eye that it is ground, and where it moves. */
const NOISE = `
  float grainAt(vec2 p) {
    p = fract(p * vec2(0.1031, 0.1030));
    p += dot(p, p.yx + 33.33);
    return fract((p.x + p.y) * p.x);
  }
  float patches(vec2 p) {
    vec2 i = floor(p), f = fract(p);
    f = f * f * (3.0 - 2.0 * f);
    vec2 e = vec2(1.0, 0.0);
    return mix(mix(grainAt(i), grainAt(i + e.xy), f.x), mix(grainAt(i + e.yx), grainAt(i + e.xx), f.x), f.y);
  }
`;
const LINES = `
  float far = smoothstep(0.08, 1.0, length(gridPosition - gridCentre) / gridRadius);
  vec2 at = gridPosition / gridCell;
  vec2 width = max(fwidth(at), 1e-6);
  vec2 fine = abs(fract(at - 0.5) - 0.5) / width;
  vec2 coarse = abs(fract(at / 10.0 - 0.5) - 0.5) / (width / 10.0);
  float few = 1.0 - smoothstep(0.15, 0.5, max(width.x, width.y));
  float thin = (1.0 - min(min(fine.x, fine.y), 1.0)) * 0.4 * few;
  float thick = (1.0 - min(min(coarse.x, coarse.y) / 1.6, 1.0)) * 0.8;
  float wide = max(width.x, width.y);
  #ifdef GRAIN
  float grain = (patches(at * 23.0) - 0.5) * (1.0 - smoothstep(0.01, 0.05, wide));
  float cloud = patches(at * 1.7) + patches(at * 0.31) - 1.0;
  diffuseColor.rgb *= 1.0 + 0.16 * grain + 0.10 * cloud;
  #endif
  diffuseColor.rgb = mix(diffuseColor.rgb, gridColour, max(thin, thick) * (1.0 - far));
`;
/** After the light: what is far away is as bright as the horizon. */
const HAZE = `
  gl_FragColor.rgb = mix(gl_FragColor.rgb, horizon, far);
`;

export class Ground {
  readonly mesh: three.Mesh<three.PlaneGeometry, three.MeshLambertMaterial>;
  /** Distance of the lines in m. */
  cell = 1;
  private uniforms = {
    horizon: { value: new three.Color() },

    gridCell: { value: 1 },
    gridColour: { value: new three.Color() },
    gridCentre: { value: new three.Vector2() },
    gridRadius: { value: 1 },
  };

  constructor() {
    const material = new three.MeshLambertMaterial();
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
          `varying vec2 gridPosition;\nuniform float gridCell, gridRadius;\nuniform vec3 gridColour, horizon;\nuniform vec2 gridCentre;\n${NOISE}\nvoid main() {`,
        )
        .replace("#include <tonemapping_fragment>", `${HAZE}\n#include <tonemapping_fragment>`)
        .replace("#include <color_fragment>", `#include <color_fragment>\n${LINES}`);
    };
    this.mesh = new three.Mesh(new three.PlaneGeometry(2, 2), material);
    this.mesh.receiveShadow = true;
    this.simplify(false);
  }

  /** Without grain where pictures are to be cheap. */
  simplify(plain: boolean) {
    const { material } = this.mesh;
    if (material.defines && plain === !("GRAIN" in material.defines)) return;
    material.defines = plain ? {} : { GRAIN: "" };
    material.needsUpdate = true;
  }

  /** Lies at a height under a scene of that size. */
  place(height: number, centre: three.Vector3, radius: number) {
    const reach = 40 * radius;
    this.mesh.position.set(centre.x, centre.y, height);
    this.mesh.scale.set(reach, reach, 1);
    this.cell = 10 ** Math.floor(Math.log10(Math.max(radius, 1e-6) * 0.8));
    this.uniforms.gridCell.value = this.cell;
    this.uniforms.gridRadius.value = 0.7 * reach;
    this.uniforms.gridCentre.value.set(centre.x, centre.y);
  }

  paint(theme: Theme) {
    this.mesh.material.color.set(theme.ground);
    this.uniforms.gridColour.value.set(theme.line);
    this.uniforms.horizon.value.set(theme.horizon);
  }
}
