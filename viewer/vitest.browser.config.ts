import { defineConfig } from "vitest/config";

// Software rendering manages a few frames per second: one browser at a time,
// and much patience.
export default defineConfig({
  test: {
    include: [process.env.GALLERY ? "tests/browser/gallery.ts" : process.env.PICTURES ? "tests/browser/pictures.ts" : "tests/browser/**/*.test.ts"],
    fileParallelism: false,
    testTimeout: 180_000,
    hookTimeout: 120_000,
    expect: { poll: { timeout: 60_000 } },
    // A second chance, for machines that are busy with other things.
    retry: 1,
  },
});
