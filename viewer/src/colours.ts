/** Colours of bodies, and the two themes. */

import { Color } from "three";

export interface Theme {
  /** Above, and where sky and ground meet. */
  sky: number;
  horizon: number;
  ground: number;
  line: number;
  fixed: number;
  sun: number;
  /** Light from above and from below. */
  above: number;
  below: number;
  /** Brightness of sun and sky. */
  direct: number;
  diffuse: number;
}

export const THEMES: Record<"light" | "dark", Theme> = {
  light: { sky: 0x7fb0de, horizon: 0xe6ecf2, ground: 0xb9b6ab, line: 0x8f8d86, fixed: 0x9a9c9d, sun: 0xfff0dc, above: 0xdfeaf6, below: 0xa39d90, direct: 2.5, diffuse: 0.8 },
  dark: { sky: 0x161a20, horizon: 0x343a41, ground: 0x4c4d50, line: 0x6a6f76, fixed: 0x6b737b, sun: 0xe8eeff, above: 0xa7b1bd, below: 0x5d5f63, direct: 1.9, diffuse: 0.75 },
};

/** Hues that stay apart for those who see few of them, in turn. */
const PALETTE = [0xd98b3a, 0x4c8fcb, 0x5fa55a, 0xc9605b, 0x8d76c3, 0x3fa7a0, 0xc9a437, 0xb9709f];

/** The k-th colour; from the ninth on the lightness changes. */
export function colour(k: number): Color {
  const c = new Color(PALETTE[k % PALETTE.length]);
  const round = Math.floor(k / PALETTE.length);
  return c.offsetHSL(0.03 * round, 0, 0.08 * Math.sin(2.4 * round));
}

/** A little lighter or darker, so that equal neighbours can be told apart. */
export function varied(c: Color, i: number): Color {
  return c.clone().offsetHSL(0, 0, 0.05 * Math.sin(2.399963 * i));
}

export const SELECTED = new Color(0xffd84a);
export const CONTACT_COLOURS = { open: 0x9aa3ad, sticking: 0x2fbf71, sliding: 0xf2545b };
export const FORCE = 0xff4d3d;
export const JOINT = 0x3d9bff;
export const GRAB = 0xffb300;
