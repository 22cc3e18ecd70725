import { defineConfig, type Plugin } from "vite";

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
      page.source = html;
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
