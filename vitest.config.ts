// Configures the tests: Worker tests run in workerd with the bindings of wrangler.toml, script tests in Node.
import { randomInt } from "node:crypto"
import { availableParallelism } from "node:os"
import { cloudflareTest, readD1Migrations } from "@cloudflare/vitest-plugin"
import { defineConfig, defineProject } from "vitest/config"
import FileOrder from "./test/support/file-order.ts"
import { singleModules } from "./test/support/single-modules.ts"
import { writeStaticFiles } from "./tools/lib/static-files.ts"
import { getScratchDirectory } from "./tools/local/scratch.ts"

const root = import.meta.dirname

// Each test creates and deletes its databases, which Miniflare stores in a temporary directory.
process.env.TMPDIR = getScratchDirectory()

// Scripts that tests start as processes load three times as fast from compiled code.
process.env.NODE_COMPILE_CACHE = `${root}/.wrangler/compile-cache`

writeStaticFiles()

/** The required secrets of wrangler.toml, whose parser warns when the environment lacks them. */
const secrets = {
  APP_KEY: "base64:AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=",
  OPERATOR_TOKEN: "test-operator-token-0123456789ab",
}
Object.assign(process.env, secrets)

/** The share of calls that fail, and the seed that decides which. */
const faultRate = process.env.FAULT_RATE ?? "0"
const faultSeed = process.env.FAULT_SEED ?? String(randomInt(2 ** 31))
if (Number(faultRate) > 0) console.log(`Faults at a rate of ${faultRate} with FAULT_SEED=${faultSeed}`)

/**
 * Tests and files run in a random order, so that none can depend on another. vitest prints the seed;
 * `npm test -- --sequence.seed=<seed>` repeats an order.
 */
const shuffle = { files: true, tests: true }

/** Lets the Worker hash passwords cheaply. `test/lib/password.test.ts` imports the real module. */
const cheapPasswords = {
  name: "cheap-passwords",
  enforce: "pre" as const,
  resolveId: (source: string, importer?: string) =>
    source.endsWith("/lib/password") && importer?.endsWith("/src/core/auth/password-hashing.ts")
      ? `${root}/test/support/cheap-password.ts`
      : undefined,
}

const worker = defineProject({
  root,
  plugins: [
    cheapPasswords,
    cloudflareTest({
      wrangler: { configPath: `${root}/wrangler.toml` },
      miniflare: {
        // A second site database, for tests of site migrations, and two delivery databases.
        d1Databases: ["SITES_2", "WEBHOOKS_1", "WEBHOOKS_2"],
        bindings: {
          TEST_MIGRATIONS_CENTRAL: await readD1Migrations(`${root}/migrations/central`),
          TEST_MIGRATIONS_SITES: await readD1Migrations(`${root}/migrations/sites`),
          ...secrets,
          TENANCY_LOG_SAMPLE_RATE: "1",
          STRIPE_WEBHOOK_SECRET: "whsec_test",
          FAULT_RATE: faultRate,
          FAULT_SEED: faultSeed,
          MARKETPLACE_TOKEN: "marketplace-test-token",
        },
        // Rejects network requests that no test mocks.
        outboundService: () => new Response("no network in tests", { status: 502 }),
      },
    }),
    singleModules,
  ],
  test: {
    name: "worker",
    include: ["test/**/*.test.{ts,tsx}"],
    exclude: ["test/{bench,browser,lint,migrations,scripts}/**"],
    setupFiles: ["test/support/setup.ts"],
    // One isolate for many files, because a new one takes seconds. `setup.ts` resets its state before every test.
    isolate: false,
    sequence: { shuffle, groupOrder: 0 },
    // Far longer than any test, so that a busy machine causes no failures.
    testTimeout: 60_000,
    hookTimeout: 60_000,
    deps: {
      optimizer: { ssr: { enabled: true, include: ["itty-durable", "itty-router", "standardwebhooks", "stripe"] } },
    },
  },
})

const scripts = defineProject({
  root,
  test: {
    name: "scripts",
    include: ["test/{bench,lint,migrations,scripts}/**/*.test.ts"],
    isolate: false,
    // After the Worker's tests: a project's workers stop when the next file is another project's.
    sequence: { shuffle, groupOrder: 1 },
  },
})

export default defineConfig({
  root,
  test: {
    projects: [worker, scripts],
    // At least two workers: a single one would deadlock with workerd.
    maxWorkers: Math.max(2, availableParallelism() - 1),
    sequence: { shuffle, sequencer: FileOrder },
    reporters: ["default", "./test/support/contract-report.ts", "./test/support/attack-report.ts"],
    // Hides the Worker's log lines.
    onConsoleLog: () => false,
  },
})
