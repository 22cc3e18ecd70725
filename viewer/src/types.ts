/** What server and recordings say. Units SI, z up, quaternions w, x, y, z. */

export type Vec = [number, number, number];
export type Quat = [number, number, number, number];

export type Shape =
  | { ball: { radius: number } }
  | { box: { half_extents: Vec } }
  | { capsule: { half_length: number; radius: number } }
  | { cylinder: { half_height: number; radius: number } }
  | { cone: { half_height: number; radius: number } }
  | { convex_hull: { points: Vec[] } }
  | { half_space: { normal: Vec } }
  | { tri_mesh: { vertices: Vec[]; triangles: Vec[] } }
  | { sdf: { vertices: Vec[]; triangles: Vec[] } }
  | { height_field: { heights: number[]; nx: number; ny: number; size_x: number; size_y: number } }
  | { compound: { parts: Placed[] } };

/** A shape at a place in the frame of its body or compound. */
export interface Placed {
  shape: Shape;
  position?: Vec;
  orientation?: Quat;
}

export type Finish = "matt" | "paint" | "metal" | "rubber" | "wood" | "concrete" | "glass";

/** How something looks, where the scene says so. */
export interface Look {
  colour?: string;
  finish?: Finish;
}

/** A shape that is seen and does not collide. */
export interface Visual extends Placed, Look {}

export interface FileBody extends Look {
  name: string;
  kind?: "dynamic" | "kinematic" | "fixed";
  shape?: Shape;
  colliders?: Placed[];
  visual?: Visual[];
}

/** Where to look from at the start. */
export interface FileCamera {
  eye: Vec;
  target: Vec;
  follow?: string;
}

export interface SceneFile {
  name?: string;
  meta?: { description?: string; source?: string };
  dt: number;
  duration?: number;
  ground?: { height?: number };
  bodies: FileBody[];
  cables?: FileCable[];
  groups?: Record<string, string[]>;
  /** What stands around, in world coordinates. */
  scenery?: Visual[];
  camera?: FileCamera;
}

/** A place that a cable goes through. */
export interface Station {
  body: string;
  point?: Vec;
  pulley?: { axis: Vec; radius: number; turns?: number; growth?: number };
}

export interface FileCable {
  name?: string;
  via: Station[];
  closed?: boolean;
}

export interface JointInfo {
  name: string;
  kind: string;
  a: number | null;
  b: number | null;
  anchor_a: Vec;
  anchor_b: Vec;
  axis: Vec;
}

/** The header of a recording, and what the server says of a scene. */
export interface Header {
  scene: SceneFile;
  bodies: { name: string; mass: number }[];
  joints: JointInfo[];
}

export interface Scene {
  generation: number;
  live: boolean;
  header: Header;
}

export interface Status {
  playing: boolean;
  speed: number;
  solver: Record<string, Settings> | null;
  settings: Settings | null;
  notice: string;
  notices: number;
  /** The page that the notice is for; null: all. */
  notice_to: number | null;
}

/** Figures of a frame, and its time. */
export interface Sample {
  time: number;
  figures: Float32Array;
}

export type Setting = number | string | boolean | null;
export type Settings = Record<string, Setting>;

export interface Hello {
  scenes: { name: string; aliases: string[]; summary: string; size: number; size_of: string }[];
  solvers: { name: string; summary: string; limits: string; defaults: Record<string, Settings> }[];
  figures: string[];
}

/** What a page may ask for; `command.rs` is the other side. */
export type Command =
  | { play: boolean }
  | { step: number }
  | { seek: number }
  | "reset"
  | { speed: number }
  | { grab: { body: number; point: Vec; target: Vec } }
  | { drag: Vec }
  | "release"
  | { scene: { name?: string; size?: number } }
  | { solver: Record<string, Settings> }
  | { settings: Settings }
  | { details: boolean };

/** Where frames come from: a server, or a recording in the page. */
export interface Source {
  /** Whether bodies can be pulled and settings changed. */
  send(command: Command): void;
  /** A frame was drawn. */
  drawn(): void;
  /** Figures of all frames so far, by number. */
  figures(): Promise<Map<number, Sample>>;
}

/** Who hears of them. */
export interface Listener {
  hello(hello: Hello): void;
  /** The number of this page among those of the server. */
  you(client: number): void;
  scene(scene: Scene): void;
  status(status: Status): void;
  frame(frame: import("./frame").Frame): void;
  connection(up: boolean): void;
}
