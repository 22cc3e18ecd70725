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

export type Finish = "matt" | "paint" | "metal" | "rubber" | "wood" | "concrete" | "glass" | "water";

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
  /** At the start; (0, 0, 0) unless it is said. */
  position?: Vec;
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
  soft_bodies?: { name: string; colour?: string }[];
  groups?: Record<string, string[]>;
  /** What stands around, in world coordinates. */
  scenery?: Visual[];
  camera?: FileCamera;
  controls?: Control[];
  drives?: { motor?: { joint: string; keys: [number, number][] }; winch?: { cable: string; keys: [number, number][] } }[];
}

/** Two keys, and the motors that they move. */
export interface Control {
  name: string;
  /** To the upper and to the lower end of the range. */
  keys: [string, string];
  range: [number, number];
}

/** A motor or winch. */
export interface Lever {
  name: string;
  angle: boolean;
  kind: "velocity" | "position" | "force" | "winch";
  /** Controls that move it. */
  controls: number[];
}

/** Limits of a joint; null: none on that side. */
export interface Limit {
  joint: string;
  angle: boolean;
  range: [number | null, number | null];
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

export interface BodyInfo {
  name: string;
  mass: number;
  /** Centre of mass, and moments xx, yy, zz, yz, xz, xy about it, in its own frame. */
  centre?: Vec;
  inertia?: [number, number, number, number, number, number];
}

/** The header of a recording, and what the server says of a scene. */
export interface Header {
  scene: SceneFile;
  bodies: BodyInfo[];
  joints: JointInfo[];
  /** Surfaces of soft bodies. */
  skins?: { nodes: number; triangles: Vec[] }[];
}

export interface Scene {
  generation: number;
  live: boolean;
  header: Header;
  /** What can be driven; none in recordings. */
  levers?: Lever[];
  limits?: Limit[];
  /** Where it is from; recordings in the page say nothing. */
  chosen?: "started" | "dropped" | { named: string };
  /** The size that was asked for. */
  size?: number | null;
  /** Whether frames can have velocities, contacts and forces. */
  forces: boolean;
}

export interface Status {
  playing: boolean;
  speed: number;
  solver: Record<string, Settings> | null;
  settings: Settings | null;
  /** By the name of the surface. */
  frictions?: Record<string, number>;
  /** The solver and the settings that are other ones than the scene's. */
  changed?: { solver: Record<string, Settings> | null; settings: Settings };
  /** Whether something was changed that a saved scene does not say. */
  unsaid?: boolean;
  branches?: { current: number; kept: { number: number; from: number; to: number }[] };
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
  | { control: { control: number; deflection: number } }
  | { drive: { lever: number; target: number } }
  | { limit: { joint: string; angle: boolean; range: [number, number] } }
  | { friction: { material: string; friction: number } }
  | { branch: number }
  | { details: boolean };

/** Where frames come from: a server, or a recording in the page. */
export interface Source {
  /** Whether bodies can be pulled and settings changed. */
  send(command: Command): void;
  /** A frame was drawn. */
  drawn(): void;
  /** Figures of all frames so far, by number. */
  figures(): Promise<Map<number, Sample>>;
  /** Values of a body, joint, cable or contact in frames so far, as many as plots can use: rows of time and values. */
  series(subject: Subject): Promise<number[][]>;
  /** The same, or the figures, of all frames that are kept: rows of frame, time and values. */
  table(subject: Subject | null): Promise<number[][]>;
  /** Shows a scene file; says what is wrong with it, if anything. */
  open(text: string): Promise<string | null>;
  /** The scene file of what is shown. */
  sceneFile(): Promise<string>;
  /** The schema of scene files. */
  schema(): Promise<string>;
  /** Saves a page that replays what is kept. */
  save(forces: boolean): void;
  /** Saves the scene with what was driven. */
  saveScene(): void;
  /** Says nothing any more. */
  close(): void;
}

export type SeriesKind = "body" | "joint" | "cable" | "contact";

/** What is plotted: one of these. */
export interface Subject {
  kind: SeriesKind;
  /** Its number; of a contact those of its bodies: "3-7", or "3-world". */
  index: string;
  name: string;
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
  /** Something went wrong, in words. */
  trouble(text: string): void;
}
