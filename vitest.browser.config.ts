// Configures the browser tests, which drive Chromium against a real `npm start`. They run separately (`npm run test:browser`), so
// `npm test` needs no browser.
import { defineConfig } from "vitest/config"

const root = import.meta.dirname

export default defineConfig({
  root,
  // The tests load the console only for its list of routes; Node cannot resolve the files of this package.
  resolve: { alias: { "itty-durable": `${root}/test/browser/support/itty-durable-stub.ts` } },
  test: {
    name: "browser",
    include: ["test/browser/**/*.test.ts"],
    globalSetup: ["test/browser/support/platform.ts"],
    reporters: ["default", "./test/browser/support/timings.ts"],
    maxWorkers: 3,
    isolate: false,
    sequence: { shuffle: { files: true, tests: false } },
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
})
