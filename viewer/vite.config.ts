import { readFileSync } from "node:fs";
import { defineConfig, type Plugin } from "vite";

/** The licences of what the page contains ask to be part of every copy. */
function notices(): string {
  const texts = ["three", "uplot"].map((name) => `${name}\n\n${readFileSync(`node_modules/${name}/LICENSE`, "utf8")}`);
  return `<!--\nThis page contains:\n\n${texts.join("\n").replaceAll("--", "- -")}-->\n`;
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
      for (const [name, part] of Object.entries(bundle)) {
        const at = name.replaceAll(".", "\\.");
        if (part.type === "chunk") {
          // A closing tag inside a string would end the script.
          const code = part.code.replaceAll("</script", "<\\/script");
          const tag = new RegExp(`<script[^>]*src="[^"]*${at}"[^>]*></script>`);
          html = html.replace(tag, () => `<script type="module">${code}</script>`);
          delete bundle[name];
        } else if (name.endsWith(".css")) {
          const tag = new RegExp(`<link[^>]*href="[^"]*${at}"[^>]*>`);
          html = html.replace(tag, () => `<style>${part.source}</style>`);
          delete bundle[name];
        }
      }
      page.source = html.replace("<head>", () => `<head>\n${notices()}`);
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
    // The folder holds a file that is committed, and all names are fixed.
    emptyOutDir: false,
    rollupOptions: { output: { entryFileNames: "[name].js", assetFileNames: "[name][extname]" } },
  },
});
