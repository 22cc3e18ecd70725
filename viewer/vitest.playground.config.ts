import { defineConfig } from "vitest/config";

// The playground, as `cargo xtask playground` built it. Patience as in vitest.browser.config.ts.
export default defineConfig({
  test: {
    include: ["tests/playground/**/*.test.ts"],
    fileParallelism: false,
    testTimeout: 400_000,
    hookTimeout: 150_000,
    expect: { poll: { timeout: 100_000 } },
    retry: 1,
  },
});
