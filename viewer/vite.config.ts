import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { defineConfig, type Plugin } from "vite";

/** The licences of what the page contains ask to be part of every copy. */
function notices(): string {
  const texts = ["three", "uplot"].map((name) => `${name}\n\n${readFileSync(`node_modules/${name}/LICENSE`, "utf8")}`);
  return `<!--\nThis page contains:\n\n${texts.join("\n").replaceAll("--", "- -")}-->\n`;
}

/** What the page may do: run what it came with, by its hash, and talk to its server. */
function policy(script: string, style: string): string {
  const hash = (text: string) => `'sha256-${createHash("sha256").update(text).digest("base64")}'`;
  const rules = [
    "default-src 'none'",
    `script-src ${hash(script)}`,
    `style-src ${hash(style)}`,
    "img-src data: blob:",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
  ];
  return `<meta http-equiv="Content-Security-Policy" content="${rules.join("; ")}" />`;
}

/** All that the page is made of, as one number (FNV-1a of 64 bits): a page that was not built anew is found out by it.
 * `cargo test -p xtask` computes the same. */
function sources(): string {
  const files = ["index.html", "package-lock.json", "vite.config.ts", ...readdirSync("src").map((name) => `src/${name}`)].sort();
  let hash = 0xcbf29ce484222325n;
  for (const name of files) {
    const text = Buffer.from(`${name}\n${readFileSync(name, "utf8").replaceAll("\r\n", "\n")}`);
    for (const byte of text) hash = BigInt.asUintN(64, (hash ^ BigInt(byte)) * 0x100000001b3n);
  }
  return hash.toString(16).padStart(16, "0");
}

/** Puts script and style into the page: one file that needs no other. */
function inline(): Plugin {
  return {
    name: "inline",
    enforce: "post",
    generateBundle(_, bundle) {
      const page = bundle["index.html"];
      if (page?.type !== "asset") return;
      let html = String(page.source);
      let [script, style] = ["", ""];
      for (const [name, part] of Object.entries(bundle)) {
        const at = name.replaceAll(".", "\\.");
        if (part.type === "chunk") {
          // A closing tag inside a string would end the script.
          const code = part.code.replaceAll("</script", "<\\/script");
          script = code;
          const tag = new RegExp(`<script[^>]*src="[^"]*${at}"[^>]*></script>`);
          html = html.replace(tag, () => `<script type="module">${code}</script>`);
          delete bundle[name];
        } else if (name.endsWith(".css")) {
          const tag = new RegExp(`<link[^>]*href="[^"]*${at}"[^>]*>`);
          style = String(part.source);
          html = html.replace(tag, () => `<style>${style}</style>`);
          delete bundle[name];
        }
      }
      // The policy stands first: it holds for what follows it.
      page.source = html.replace("<head>", () => `<head>\n<!-- sources ${sources()} -->\n${notices()}${policy(script, style)}`);
    },
  };
}

export default defineConfig({
  base: "./",
  plugins: [inline()],
  build: {
    target: "es2022",
    modulePreload: false,
    cssCodeSplit: false,
    chunkSizeWarningLimit: 2000,
    // A part of the command's package, and committed: `taut view` needs no Node.js.
    outDir: "../crates/taut-cli/page",
    emptyOutDir: false,
    rollupOptions: { output: { entryFileNames: "[name].js", assetFileNames: "[name][extname]" } },
  },
});
