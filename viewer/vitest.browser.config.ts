import { defineConfig } from "vitest/config";

// Software rendering manages a few frames per second: one browser at a time,
// and much patience.
const tools = { GALLERY: "gallery", PICTURES: "pictures", COURSES: "courses", BOOK: "book" };
const tool = Object.entries(tools).find(([name]) => process.env[name])?.[1];
const named = `tests/browser/${tool ?? "**/*.test"}.ts`;

export default defineConfig({
  test: {
    include: [named],
    fileParallelism: false,
    testTimeout: 400_000,
    hookTimeout: 150_000,
    expect: { poll: { timeout: 100_000 } },
    // A second chance, for machines that are busy with other things.
    retry: 1,
  },
});
