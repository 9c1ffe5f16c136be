// The layers: the tree keeps to them, and a breach of each rule is refused.
import { expect, test } from "vitest"
import { findViolations } from "../../tools/lint/layers.ts"

const listBrokenRules = (file: string, text: string) => findViolations(new Map([[file, text]])).map(({ rule }) => rule)

const VIOLATIONS: [rule: string, file: string, text: string][] = [
  ["lib has no domain knowledge and no bindings", "src/lib/slug.ts", 'import { commit } from "../core/write/commit"'],
  [
    "durable objects import lib only",
    "durable/rate-limit-bucket.ts",
    'import { take } from "../src/core/http/rate-limit"',
  ],
  [
    "the database layer imports lib and the bindings",
    "src/db/client.ts",
    'import { Refusal } from "../core/http/refusal"',
  ],
  ["core imports no surface", "src/core/http/host.ts", 'import { x } from "../../content/site"'],
  ["core imports no surface", "src/env.ts", 'import { x } from "./webhooks/send"'],
  [
    "only core/auth/password-hashing hashes passwords",
    "src/content/accounts/register.ts",
    'import { hashPassword } from "../../lib/password"',
  ],
  ["rules are pure", "src/platform/stores/rules.ts", 'import { commit } from "../../core/write/commit"'],
  ["rules are pure", "src/platform/stores/rules.ts", 'import { createStore } from "./create"'],
  ["rules are pure", "src/license/rules/activate.ts", 'import { sendMail } from "../../core/mail/send"'],
  ["rules are pure", "src/platform/subscriptions/actions.ts", 'import { loadStore } from "../stores/queries"'],
  [
    "queries and schemas do not import services",
    "src/platform/stores/queries.ts",
    'import { createStore } from "./create"',
  ],
  [
    "queries and schemas do not import services",
    "src/platform/stores/queries.ts",
    'import { commit } from "../../core/write/commit"',
  ],
  ["queries and schemas do not import services", "src/webhooks/endpoints/schemas.ts", 'import { x } from "./service"'],
  [
    "only routes, gates, envelopes and pages use Hono",
    "src/content/blog/posts/service.ts",
    'import { Hono } from "hono"',
  ],
  [
    "only routes, gates, envelopes and pages use Hono",
    "src/webhooks/send.ts",
    'import { HTTPException } from "hono/http-exception"',
  ],
  [
    "routes call services, never the database",
    "src/license/legacy/internal/routes.ts",
    'import { x } from "../queries"',
  ],
  [
    "routes call services, never the database",
    "src/platform/plans/routes.ts",
    'import { insert } from "../../db/write"',
  ],
  [
    "only app.ts, a manifest or surfaces.ts mounts routes",
    "src/platform/stores/service.ts",
    'import { stores } from "../plans/routes"',
  ],
  [
    "surfaces do not import each other",
    "src/content/settings/service.ts",
    'import { x } from "../../platform/stores/create"',
  ],
  ["surfaces do not import each other", "src/license/licenses/service.ts", 'import { x } from "../../content/site"'],
  ["surfaces do not import each other", "src/storefront/service.ts", 'const x = () => import("../license/settings")'],
  [
    "only core/write executes writes",
    "src/content/settings/service.ts",
    'import { batch, execute } from "../../db/client"',
  ],
  ["only db connects to databases", "src/content/settings/service.ts", 'import { drizzle } from "drizzle-orm/d1"'],
  ["jobs and the console call services, never the database", "src/jobs/cron.ts", 'import { x } from "../db/client"'],
  [
    "jobs and the console call services, never the database",
    "src/console/stores.tsx",
    'import { x } from "../platform/stores/queries"',
  ],
  [
    "tools use the Worker through its interfaces",
    "tools/seed/stores.ts",
    'import { x } from "../../src/core/write/commit"',
  ],
  ["tools use the Worker through its interfaces", "bench/run.ts", 'import { x } from "../src/core/commit"'],
  ["the client has no imports outside its folder", "src/client/index.ts", 'import { z } from "zod"'],
  ["writes are passed to a writer", "src/platform/keys/service.ts", "const rows = await insert(apiKeys).values({})"],
  ["request bodies are read by core/http/body", "src/console/pages/stores.tsx", "const form = await c.req.parseBody()"],
  [
    "request bodies are read by core/http/body",
    "src/pages/platform/routes.tsx",
    "const given = await c.req.raw.formData()",
  ],
  ["request bodies are read by core/http/body", "src/license/body.ts", "const text = await c.req.text()"],
  ["writes are passed to a writer", "src/platform/keys/service.ts", "const a = 1;\nupdate(apiKeys).set({}).where(x)\n"],
]

test.each(VIOLATIONS)("refuses: %s (%s)", (rule, file, text) => {
  expect(listBrokenRules(file, text)).toContain(rule)
})

test("accepts allowed imports, type imports and justified exceptions", () => {
  const allowed: [string, string][] = [
    [
      "src/platform/stores/rules.ts",
      'import type { StoreFacts } from "./schemas"\nimport { MINUTE } from "../../lib/time"',
    ],
    ["src/platform/stores/routes.ts", 'import { Hono } from "hono"\nimport { createStore } from "./create"'],
    ["src/operator/commands.ts", 'import { createKey } from "../platform/keys/service"'],
    [
      "src/content/settings/service.ts",
      'import { batch } from "../../db/client"\nconst [a] = await commitSite(ctx, site, { writes: [\n  insert(x).values({}),\n] })',
    ],
    [
      "bench/lists.ts",
      '// layers: it counts the rows of this very query\nimport { x } from "../src/platform/stores/queries"',
    ],
    ["src/license/notices.ts", "const failed = update(licenses).set({}).where(x)"],
  ]
  for (const [file, text] of allowed) expect(listBrokenRules(file, text), file).toEqual([])
})
