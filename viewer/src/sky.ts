/** The sky: what is behind everything, and the light that comes from it. */

import * as three from "three";
import type { Theme } from "./colours";

/** Where the sun is. */
export const SUN = new three.Vector3(-0.9, -1.3, 2.1).normalize();

/** Colours by height: below the horizon it is the horizon's, so that far ground meets it. */
const FRAGMENT = `
  uniform vec3 high, low, sun, sunward;
  varying vec3 way;
  void main() {
    vec3 d = normalize(way);
    float up = max(d.z, 0.0);
    vec3 colour = mix(low, high, 1.0 - pow(1.0 - up, 3.0));
    colour += sun * 0.18 * pow(max(dot(d, sunward), 0.0), 24.0) * smoothstep(0.0, 0.1, d.z);
    gl_FragColor = vec4(colour, 1.0);
    #include <tonemapping_fragment>
    #include <colorspace_fragment>
  }
`;

export class Sky {
  readonly mesh: three.Mesh<three.SphereGeometry, three.ShaderMaterial>;

  constructor() {
    const uniforms = {
      high: { value: new three.Color() },
      low: { value: new three.Color() },
      sun: { value: new three.Color() },
      sunward: { value: SUN },
    };
    const vertexShader = `
      varying vec3 way;
      void main() {
        way = position;
        // Turned as the camera is, but not moved: it is infinitely far away.
        gl_Position = (projectionMatrix * vec4(mat3(viewMatrix) * position, 1.0)).xyww;
      }
    `;
    const material = new three.ShaderMaterial({ uniforms, vertexShader, fragmentShader: FRAGMENT, side: three.BackSide, depthWrite: false });
    this.mesh = new three.Mesh(new three.SphereGeometry(1, 24, 16), material);
    this.mesh.frustumCulled = false;
    // Last, so that it is computed only where it is seen.
    this.mesh.renderOrder = 1;
  }

  paint(theme: Theme) {
    const { high, low, sun } = this.mesh.material.uniforms as Record<string, { value: three.Color }>;
    high?.value.set(theme.sky);
    low?.value.set(theme.horizon);
    sun?.value.set(theme.sun);
  }
}

/** What the surroundings below shed on what faces up: the mean of the dome, 2 ∫ (1.5 − 0.6 h) h dh, and
 * the windows, by their solid angles; and on what faces down. For light that is kept simple. */
export function shed(theme: Theme): { up: three.Color; down: three.Color } {
  const windows = new three.Color(theme.sun).multiplyScalar(0.4);
  return { up: new three.Color(theme.above).multiplyScalar(1.1).add(windows), down: new three.Color(theme.below).multiplyScalar(0.6) };
}

/** The light of the sky from all directions, with a few bright windows for metal to mirror. */
export function surroundings(renderer: three.WebGLRenderer, theme: Theme): three.Texture {
  const scene = new three.Scene();
  const [above, below] = [new three.Color(theme.above), new three.Color(theme.below)];
  const dome = new three.SphereGeometry(10, 24, 24);
  const points = dome.getAttribute("position");
  const colours = new Float32Array(3 * points.count);
  for (let i = 0; i < points.count; i += 1) {
    const height = points.getZ(i) / 10;
    // Brightest above the horizon, as skies are.
    const c = height >= 0 ? above.clone().multiplyScalar(1.5 - 0.6 * height) : below.clone().multiplyScalar(0.6);
    c.toArray(colours, 3 * i);
  }
  dome.setAttribute("color", new three.BufferAttribute(colours, 3));
  scene.add(new three.Mesh(dome, new three.MeshBasicMaterial({ vertexColors: true, side: three.BackSide })));
  const bright = new three.MeshBasicMaterial({ color: new three.Color(theme.sun).multiplyScalar(9), side: three.DoubleSide });
  for (const [x, y, z, size] of [[-5, -6, 5, 2.2], [6, 3, 4, 1.4], [0, 0, 8.5, 2.6]] as const) {
    const window = new three.Mesh(new three.PlaneGeometry(size, size), bright);
    window.position.set(x, y, z);
    window.lookAt(0, 0, 0);
    scene.add(window);
  }
  const generator = new three.PMREMGenerator(renderer);
  const { texture } = generator.fromScene(scene, 0.03);
  generator.dispose();
  scene.traverse((o) => {
    if (o instanceof three.Mesh) o.geometry.dispose();
  });
  return texture;
}
