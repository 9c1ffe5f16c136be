// The browser tests: what people do in the console and on the owner's pages, in Chromium against a real `npm start`. They are a
// run of their own (`npm run test:browser`), so that `npm test` needs no browser.
import { defineConfig } from "vitest/config"

const root = import.meta.dirname

export default defineConfig({
  root,
  // The console is loaded for its list of routes only; this package of it names its files as bundlers, and not Node, find them.
  resolve: { alias: { "itty-durable": `${root}/test/browser/support/nothing.ts` } },
  test: {
    name: "browser",
    include: ["test/browser/**/*.test.ts"],
    globalSetup: ["test/browser/support/platform.ts"],
    reporters: ["default", "./test/browser/support/timings.ts"],
    // Two cores: the Worker has one, the pages the other.
    maxWorkers: 3,
    isolate: false,
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
})
