// Types of `env` from `cloudflare:workers` in tests: the Worker's bindings and the migrations to apply.
import type { D1Migration } from "cloudflare:test"
import type { Env as WorkerEnv } from "../../src/bindings"

declare global {
  namespace Cloudflare {
    interface Env extends WorkerEnv {
      SITES_1: D1Database
      SITES_2: D1Database
      WEBHOOKS_1: D1Database
      WEBHOOKS_2: D1Database
      DNS_RESOLVER_URL: string
      OPERATOR_TOKEN: string
      FAULT_RATE: string
      FAULT_SEED: string
      TEST_MIGRATIONS_CENTRAL: D1Migration[]
      TEST_MIGRATIONS_SITES: D1Migration[]
    }
  }
}
