/** Colours of bodies, and the two themes. */

import { Color } from "three";

export interface Theme {
  background: number;
  ground: number;
  line: number;
  fixed: number;
}

export const THEMES: Record<"light" | "dark", Theme> = {
  light: { background: 0xe8ecf1, ground: 0xdde2e8, line: 0xaab4c0, fixed: 0x8d97a3 },
  dark: { background: 0x14181d, ground: 0x20262d, line: 0x3f4a56, fixed: 0x66717d },
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
