/** Recordings, as `taut run --record` writes them; `recording/` is the other side. */

import { decodeDetails, type Details, FIGURE_NAMES } from "./frame";
import type { Header } from "./types";

export interface RecordedFrame {
  time: number;
  figures: Float32Array;
  positions: Float32Array;
  /** x, y, z, w per body. */
  rotations: Float32Array;
  /** First body of the subsystem that the solver put it in, or −1; null where it did not split the system. */
  subsystems: Int32Array | null;
  /** Tension of each span of each cable. */
  tensions: Float32Array;
  /** Velocities, contacts and forces, where they were kept. */
  details: Details | null;
  /** x, y, z and stress of each node on the surfaces of soft bodies. */
  skins: Float32Array;
}

export interface Recording {
  header: Header;
  frames: RecordedFrame[];
}

const MAGIC = "TAUTREC2";
const QUANTA = [1 / 131072, 1 / 65536] as const;

export async function decodeRecording(bytes: Uint8Array): Promise<Recording> {
  const text = new TextDecoder();
  if (text.decode(bytes.subarray(0, 8)) !== MAGIC) throw new Error("not a recording of version 2");
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let header: Header | null = null;
  const frames: RecordedFrame[] = [];
  const partitions: { from: number; of: Int32Array | null }[] = [];
  for (let at = 8; at < bytes.length; ) {
    const tag = String.fromCharCode(bytes[at] ?? 0);
    const length = view.getUint32(at + 1, true);
    const packed = bytes.subarray(at + 5, at + 5 + length);
    if (packed.length < length) throw new Error("the recording ends too early");
    at += 5 + length;
    if (tag === "H") header = JSON.parse(text.decode(await inflate(packed)));
    if (tag === "F" && header) frames.push(...decodeBlock(await inflate(packed), header.bodies.length));
    if (tag === "V") decodeSkins(await inflate(packed), frames);
    if (tag === "T") decodeTensions(await inflate(packed), frames);
    if (tag === "D" && header) readDetails(await inflate(packed), frames, header.bodies.length);
    if (tag === "P") partitions.push(decodePartition(await inflate(packed)));
  }
  if (!header) throw new Error("the recording has no header");
  partitions.forEach(({ from, of }, k) => {
    for (const frame of frames.slice(from, partitions[k + 1]?.from)) frame.subsystems = of;
  });
  return { header, frames };
}

function decodePartition(bytes: Uint8Array): { from: number; of: Int32Array | null } {
  const words = new Int32Array(bytes.slice().buffer);
  const of = words.slice(1);
  return { from: words[0] ?? 0, of: of.length > 0 ? of : null };
}

function decodeTensions(bytes: Uint8Array, frames: RecordedFrame[]) {
  const { buffer } = bytes.slice();
  const [first, spans] = [...new Uint32Array(buffer, 0, 2)];
  frames.slice(first).forEach((frame, i) => {
    frame.tensions = new Float32Array(buffer, 8 + 4 * i * (spans ?? 0), spans);
  });
}

/** Words whose first bytes stand before their second ones, and so on. */
function readDetails(bytes: Uint8Array, frames: RecordedFrame[], bodies: number) {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let at = 4;
  for (const frame of frames.slice(view.getUint32(0, true))) {
    const length = view.getUint32(at, true);
    const words = new Uint8Array(length);
    const n = length / 4;
    for (let i = 0; i < length; i += 1) words[4 * (i % n) + Math.floor(i / n)] = bytes[at + 4 + i] ?? 0;
    at += 4 + length;
    if (length > 0) frame.details = decodeDetails(words.buffer, 0, bodies);
  }
}

/** Places in steps of 1/8192 m, less those of the frame before. */
function decodeSkins(bytes: Uint8Array, frames: RecordedFrame[]) {
  const { buffer } = bytes.slice();
  const [first, nodes = 0] = [...new Uint32Array(buffer, 0, 2)];
  const last = new Int32Array(3 * nodes);
  frames.slice(first).forEach((frame, i) => {
    const at = 8 + 16 * i * nodes;
    const steps = new Int32Array(buffer, at, 3 * nodes);
    const stresses = new Float32Array(buffer, at + 12 * nodes, nodes);
    frame.skins = new Float32Array(4 * nodes);
    for (let k = 0; k < 3 * nodes; k += 1) {
      last[k] = (last[k] ?? 0) + (steps[k] ?? 0);
      frame.skins[4 * Math.floor(k / 3) + (k % 3)] = (last[k] ?? 0) / 8192;
    }
    for (let k = 0; k < nodes; k += 1) frame.skins[4 * k + 3] = stresses[k] ?? 0;
  });
}

async function inflate(packed: Uint8Array): Promise<Uint8Array> {
  const stream = new Blob([packed as BlobPart]).stream();
  const content = stream.pipeThrough(new DecompressionStream("deflate-raw"));
  return new Uint8Array(await new Response(content).arrayBuffer());
}

function decodeBlock(bytes: Uint8Array, bodies: number): RecordedFrame[] {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const n = view.getUint32(0, true);
  const frames: RecordedFrame[] = [];
  let at = 4;
  for (let i = 0; i < n; i += 1, at += 8) {
    frames.push({
      time: view.getFloat64(at, true),
      figures: new Float32Array(FIGURE_NAMES.length),
      positions: new Float32Array(3 * bodies),
      rotations: new Float32Array(4 * bodies),
      subsystems: null,
      tensions: new Float32Array(),
      details: null,
      skins: new Float32Array(),
    });
  }
  for (let k = 0; k < FIGURE_NAMES.length; k += 1) {
    for (const frame of frames) {
      frame.figures[k] = view.getFloat32(at, true);
      at += 4;
    }
  }
  const numbers = new Numbers(bytes, at);
  for (let body = 0; body < bodies; body += 1) {
    for (let part = 0; part < 7; part += 1) {
      const quantum = part < 3 ? QUANTA[0] : QUANTA[1];
      let [last, before] = [0, 0];
      for (const frame of frames) {
        const value = numbers.next() + 2 * last - before;
        [last, before] = [value, last];
        if (part < 3) frame.positions[3 * body + part] = value * quantum;
        // From w, x, y, z to x, y, z, w.
        else frame.rotations[4 * body + ((part - 3 + 3) % 4)] = value * quantum;
      }
    }
  }
  return frames;
}

/** Zigzagged numbers in groups of seven bits. Exact up to 2^53. */
class Numbers {
  constructor(
    private bytes: Uint8Array,
    private at: number,
  ) {}

  next(): number {
    let [value, scale] = [0, 1];
    for (;;) {
      const byte = this.bytes[this.at];
      if (byte === undefined) throw new Error("the recording ends too early");
      this.at += 1;
      value += (byte & 0x7f) * scale;
      if (byte < 0x80) return value % 2 === 0 ? value / 2 : -(value + 1) / 2;
      scale *= 128;
    }
  }
}
