import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { defineConfig, type Plugin } from "vite";

const engine = process.env.TAUT_WEB;
if (!engine) throw new Error("TAUT_WEB does not name the folder of the engine: use cargo xtask playground");

/** The page may load what lies beside it, nothing from elsewhere. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self' 'wasm-unsafe-eval'",
  "worker-src 'self'",
  "style-src 'self'",
  "img-src data: blob:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
].join("; ");

/** The policy, and the list of files that are kept for when there is no network. */
function whole(): Plugin {
  return {
    name: "whole",
    enforce: "post",
    generateBundle(_, bundle) {
      const page = bundle["index.html"];
      if (page?.type !== "asset") return;
      page.source = String(page.source).replace("<head>", () => `<head>\n<meta http-equiv="Content-Security-Policy" content="${POLICY}" />`);
      const hash = createHash("sha256");
      for (const part of Object.values(bundle)) hash.update(part.type === "chunk" ? part.code : part.source);
      const files = ["./", ...Object.keys(bundle), "replay.html"];
      const source = readFileSync("playground/sw.js", "utf8")
        .replace("__VERSION__", `taut-${hash.digest("hex").slice(0, 16)}`)
        .replace("__FILES__", JSON.stringify(files));
      this.emitFile({ type: "asset", fileName: "sw.js", source });
    },
  };
}

const alias = [
  { find: /^taut-web$/, replacement: resolve(engine, "taut_web.js") },
  { find: /^taut-web-module/, replacement: resolve(engine, "taut_web_bg.wasm") },
];
const names = { entryFileNames: "[name].js", chunkFileNames: "[name].js", assetFileNames: "[name][extname]" };

export default defineConfig({
  root: "playground",
  base: "./",
  plugins: [whole()],
  resolve: { alias },
  worker: { format: "es", rollupOptions: { output: names } },
  build: {
    target: "es2022",
    modulePreload: false,
    cssCodeSplit: false,
    assetsInlineLimit: 0,
    chunkSizeWarningLimit: 2000,
    outDir: process.env.TAUT_PLAYGROUND ?? "../../target/playground",
    emptyOutDir: true,
    rollupOptions: { output: names },
  },
});
