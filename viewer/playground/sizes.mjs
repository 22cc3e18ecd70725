// How many bytes a visitor loads, as web servers send them.
import { readdirSync, readFileSync } from "node:fs";
import { gzipSync } from "node:zlib";

const folder = process.env.TAUT_PLAYGROUND ?? "../target/playground";
// What is loaded only when something is saved, or read by nobody.
const later = new Set(["replay.html", "LICENCES.txt"]);
let sum = 0;
for (const name of readdirSync(folder).sort()) {
  const bytes = readFileSync(`${folder}/${name}`);
  const packed = gzipSync(bytes, { level: 9 }).length;
  if (!later.has(name)) sum += packed;
  console.log(`${name.padEnd(20)} ${String(bytes.length).padStart(9)} bytes, gzipped ${String(packed).padStart(8)}${later.has(name) ? " (not at the start)" : ""}`);
}
console.log(`loaded at the start: ${(sum / 1e6).toFixed(2)} MB gzipped`);
