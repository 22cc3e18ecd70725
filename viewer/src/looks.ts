/** Materials: what surfaces look like they are made of. */

import * as three from "three";
import type { Finish } from "./types";

interface Surface {
  roughness: number;
  metalness: number;
  /** Where the scene names none. */
  colour?: number;
  opacity?: number;
}

const SURFACES: Record<Finish | "plain", Surface> = {
  plain: { roughness: 0.6, metalness: 0.02 },
  matt: { roughness: 0.95, metalness: 0 },
  paint: { roughness: 0.38, metalness: 0.05 },
  metal: { roughness: 0.4, metalness: 0.8, colour: 0xa8b0b8 },
  rubber: { roughness: 0.92, metalness: 0, colour: 0x25282c },
  wood: { roughness: 0.8, metalness: 0, colour: 0xb98a55 },
  concrete: { roughness: 0.95, metalness: 0, colour: 0xaba79f },
  water: { roughness: 0.25, metalness: 0, colour: 0x2d5f7c },
  glass: { roughness: 0.08, metalness: 0.1, colour: 0x9cc4d8, opacity: 0.42 },
};

/** The colour of a finish by itself. */
export function colourOf(finish: Finish | undefined): three.Color | null {
  const { colour } = SURFACES[finish ?? "plain"];
  return colour === undefined ? null : new three.Color(colour);
}

/** Share of the smallest half extent of a box that its edges lose. */
export const BEVEL = 0.05;

/** Cuts the edges of boxes (`bevelled` in shapes.ts): by equal lengths, whatever the box is scaled by. */
const EDGES = `
  vec3 size = vec3(length(instanceMatrix[0].xyz), length(instanceMatrix[1].xyz), length(instanceMatrix[2].xyz));
  float cut = ${BEVEL.toFixed(3)} * min(size.x, min(size.y, size.z));
  transformed -= sign(position) * (1.0 - abs(normal)) * cut / size;
`;

/** The material of a finish; `edges` for boxes with cut edges. */
export function material(finish: Finish | undefined, edges = false): three.MeshStandardMaterial {
  const { roughness, metalness, opacity = 1 } = SURFACES[finish ?? "plain"];
  const made = new three.MeshStandardMaterial({ roughness, metalness, opacity, transparent: opacity < 1, side: three.DoubleSide });
  made.shadowSide = three.FrontSide;
  return edges ? cut(made) : made;
}

/** The same for slow machines: without gloss. */
export function plainMaterial(finish: Finish | undefined, edges = false): three.MeshLambertMaterial {
  const { opacity = 1 } = SURFACES[finish ?? "plain"];
  const made = new three.MeshLambertMaterial({ opacity, transparent: opacity < 1, side: three.DoubleSide });
  made.shadowSide = three.FrontSide;
  return edges ? cut(made) : made;
}

function cut<M extends three.Material>(made: M): M {
  made.onBeforeCompile = (shader) => {
    shader.vertexShader = shader.vertexShader.replace("#include <begin_vertex>", `#include <begin_vertex>\n${EDGES}`);
  };
  made.customProgramCacheKey = () => "edges";
  return made;
}

/** Shadows have the same edges, or they would fall onto them. */
export const edgesOfShadow = cut(new three.MeshDepthMaterial());
