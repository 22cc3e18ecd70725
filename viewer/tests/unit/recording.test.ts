import { expect, test } from "vitest";
import { FIGURE_NAMES } from "../../src/frame";
import { decodeRecording } from "../../src/recording";

async function deflate(bytes: Uint8Array): Promise<Uint8Array> {
  const packed = new Blob([bytes as BlobPart]).stream().pipeThrough(new CompressionStream("deflate-raw"));
  return new Uint8Array(await new Response(packed).arrayBuffer());
}

async function chunk(tag: string, content: Uint8Array): Promise<number[]> {
  const packed = await deflate(content);
  const length = new Uint8Array(new Uint32Array([packed.length]).buffer);
  return [tag.charCodeAt(0), ...length, ...packed];
}

function number(value: number): number[] {
  let rest = value < 0 ? -2 * value - 1 : 2 * value;
  const bytes = [];
  for (; rest >= 128; rest = Math.floor(rest / 128)) bytes.push((rest % 128) + 128);
  return [...bytes, rest];
}

/** Of the second and third of three frames: in the third the body presses on the ground. */
function details(): Uint8Array {
  const frame = (...contacts: number[][]) => {
    const view = new DataView(new ArrayBuffer(4 * (6 + 2 + 1 + 10 * contacts.length + 1)));
    view.setFloat32(8, -3, true);
    view.setUint32(32, contacts.length, true);
    contacts.flat().forEach((x, i) => (i % 10 < 3 ? view.setInt32(36 + 4 * i, x, true) : view.setFloat32(36 + 4 * i, x, true)));
    const [bytes, n] = [new Uint8Array(view.buffer), view.byteLength / 4];
    const split = Uint8Array.from({ length: 4 * n }, (_, i) => bytes[4 * (i % n) + Math.floor(i / n)] ?? 0);
    return [...new Uint8Array(Uint32Array.of(split.length).buffer), ...split];
  };
  return Uint8Array.from([1, 0, 0, 0, ...frame(), ...frame([0, -1, 1, 0, 0, 0.5, 0, 3, 4, 0.25])]);
}

/** Three frames of one body that falls and turns. */
async function recording(): Promise<Uint8Array> {
  const header = { scene: { dt: 0.5, bodies: [{ name: "b" }] }, bodies: [{ name: "b", mass: 1 }], joints: [] };
  const times = new Uint8Array(Float64Array.from([0, 0.5, 1]).buffer);
  const figures = new Uint8Array(new Float32Array(3 * FIGURE_NAMES.length).fill(2).buffer);
  const columns = [
    [131072, 131072, 131072],
    [0, 0, 0],
    [10 * 131072, 9 * 131072, 6 * 131072],
    [65536, 0, -65536],
    [0, 65536, 0],
    [0, 0, 0],
    [0, 0, 0],
  ];
  const numbers = columns.flatMap((c) => c.flatMap((x, i) => number(x - 2 * (c[i - 1] ?? 0) + (c[i - 2] ?? 0))));
  const block = Uint8Array.from([3, 0, 0, 0, ...times, ...figures, ...numbers]);
  const magic = [..."TAUTREC2"].map((c) => c.charCodeAt(0));
  const text = new TextEncoder().encode(JSON.stringify(header));
  const words = (...values: number[]) => new Uint8Array(Int32Array.from(values).buffer);
  const chunks = [chunk("H", text), chunk("?", text), chunk("P", words(1, 0)), chunk("P", words(2)), chunk("F", block), chunk("D", details())];
  return Uint8Array.from([...magic, ...(await Promise.all(chunks)).flat()]);
}

test("frames come back", async () => {
  const { header, frames } = await decodeRecording(await recording());
  expect(header.bodies[0]?.name).toBe("b");
  expect(frames.map((f) => f.time)).toEqual([0, 0.5, 1]);
  expect(frames.map((f) => f.positions[2])).toEqual([10, 9, 6]);
  expect(frames.map((f) => [...f.rotations])).toEqual([[0, 0, 0, 1], [1, 0, 0, 0], [0, 0, 0, -1]]);
  expect(frames[1]?.figures[3]).toBe(2);
  expect(frames.map((f) => f.details?.contacts.count)).toEqual([undefined, 0, 1]);
  expect(frames[2]?.details?.velocities[2]).toBe(-3);
  const contacts = frames[2]?.details?.contacts;
  expect([contacts?.state(0), contacts?.b(0), contacts?.gap(0), ...(contacts?.force(0) ?? [])]).toEqual(["sticking", -1, 0.25, 0, 3, 4]);
  // The solver split the system in the second frame alone.
  expect(frames.map((f) => f.subsystems && [...f.subsystems])).toEqual([null, [0], null]);
});

test("what is damaged is refused", async () => {
  const whole = await recording();
  await expect(decodeRecording(whole.subarray(0, whole.length - 1))).rejects.toThrow();
  await expect(decodeRecording(whole.subarray(1))).rejects.toThrow(/version/);
  await expect(decodeRecording(new Uint8Array())).rejects.toThrow(/version/);
});
