/** The plainest web server: files of a folder, below a path. */

import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { extname, join, normalize } from "node:path";
import { fileURLToPath } from "node:url";
import type { Server } from "../browser/harness";

const TYPES: Record<string, string> = { ".html": "text/html", ".js": "text/javascript", ".css": "text/css", ".wasm": "application/wasm", ".txt": "text/plain" };
const PATH = "/some/where/";

export const FOLDER = process.env.TAUT_PLAYGROUND ?? fileURLToPath(new URL("../../../target/playground", import.meta.url));

export async function serveFolder(): Promise<Server> {
  const server = createServer(async (request, response) => {
    const { pathname } = new URL(request.url ?? "/", "http://localhost");
    const name = pathname.startsWith(PATH) ? normalize(pathname.slice(PATH.length) || "index.html") : "";
    const bytes = name === "" || name.startsWith("..") ? null : await readFile(join(FOLDER, name)).catch(() => null);
    response.writeHead(bytes ? 200 : 404, { "content-type": TYPES[extname(name)] ?? "application/octet-stream" });
    response.end(bytes ?? "");
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}${PATH}`, stop: () => server.close() };
}
