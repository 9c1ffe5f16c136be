// The tests: those of the Worker run inside workerd, on the bindings of wrangler.toml; those of the scripts run in Node.
import { availableParallelism } from "node:os"
import { cloudflareTest, readD1Migrations } from "@cloudflare/vitest-plugin"
import { defineConfig, defineProject } from "vitest/config"
import { scratchDirectory } from "./tools/local/scratch.ts"

const root = import.meta.dirname

// Each test makes and drops its databases, which Miniflare keeps in a temporary directory.
process.env.TMPDIR = scratchDirectory()

/** The required secrets of wrangler.toml. Its reader looks for them in the environment, and would warn of their absence. */
const secrets = {
  APP_KEY: "base64:AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=",
  OPERATOR_TOKEN: "test-operator-token-0123456789ab",
}
Object.assign(process.env, secrets)

const worker = defineProject({
  root,
  plugins: [
    cloudflareTest({
      wrangler: { configPath: `${root}/wrangler.toml` },
      miniflare: {
        // For tests of more than one; none but theirs is told of it.
        d1Databases: ["SITES_2"],
        bindings: {
          TEST_MIGRATIONS_CENTRAL: await readD1Migrations(`${root}/migrations/central`),
          TEST_MIGRATIONS_SITES: await readD1Migrations(`${root}/migrations/sites`),
          ...secrets,
          STRIPE_WEBHOOK_SECRET: "whsec_test",
          MARKETPLACE_TOKEN: "marketplace-test-token",
        },
        // Nothing here may reach the network: a request that no test stands in for is refused.
        outboundService: () => new Response("no network in tests", { status: 502 }),
      },
    }),
  ],
  test: {
    name: "worker",
    include: ["test/**/*.test.{ts,tsx}"],
    exclude: ["test/{bench,browser,migrations,scripts}/**"],
    setupFiles: ["test/support/setup.ts"],
    isolate: false,
    // Far above what any test takes: a busy machine is no failure.
    testTimeout: 60_000,
    hookTimeout: 60_000,
    deps: {
      optimizer: { ssr: { enabled: true, include: ["itty-durable", "itty-router", "standardwebhooks", "stripe"] } },
    },
  },
})

const scripts = defineProject({
  root,
  test: { name: "scripts", include: ["test/{bench,migrations,scripts}/**/*.test.ts"], isolate: false },
})

export default defineConfig({
  root,
  test: {
    projects: [worker, scripts],
    // One would wait for workerd, and workerd for it: two cores are busy with two.
    maxWorkers: Math.max(2, availableParallelism() - 1),
    reporters: ["default", "./test/support/contract-report.ts", "./test/support/retry-report.ts"],
    // The Worker's own log lines; a failing test says what it needs to say itself.
    onConsoleLog: () => false,
  },
})
