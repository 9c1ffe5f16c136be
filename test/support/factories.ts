// Test factories. They create data through the platform's own service functions.

import { env } from "cloudflare:workers"
import { drizzle } from "drizzle-orm/d1"
import { parseInput, validInput } from "../../src/core/http/input"
import { webhookEndpoints } from "../../src/db/schema/central/webhooks"
import { settingsOf } from "../../src/env"
import { encrypt } from "../../src/lib/cipher"
import { CreateKey } from "../../src/platform/keys/schemas"
import { createKey, revokeKey } from "../../src/platform/keys/service"
import { SavePlanInput } from "../../src/platform/plans/schemas"
import { savePlan } from "../../src/platform/plans/service"
import { createStore } from "../../src/platform/stores/create"
import { provisionStore } from "../../src/platform/stores/provision"
import { CreateStore } from "../../src/platform/stores/schemas"
import { generateSecret } from "../../src/webhooks/sign"
import { run } from "./app"
import { nextSerial } from "./serial"

/**
 * Creates an API key without its audit entries, last used just now unless `unused`.
 * @returns the plaintext
 */
export async function makeKey(
  options: { scopes?: ("read" | "write")[]; expires?: Date; revoked?: boolean; name?: string; unused?: boolean } = {},
): Promise<string> {
  return run(async (ctx) => {
    const { scopes = ["read", "write"], expires, name = `key ${nextSerial()}` } = options
    const issuedAt = { ...ctx, now: new Date(Math.min(Date.now(), (expires?.getTime() ?? Date.now()) - 1)) }
    const { key, plaintext } = await createKey(issuedAt, validInput(CreateKey, { name, scopes, expires }))
    if (options.revoked) await revokeKey(ctx, key.id)
    await env.DB.batch([
      env.DB.prepare("update api_keys set last_used_at = ? where id = ?").bind(
        options.unused ? null : Date.now(),
        key.id,
      ),
      env.DB.prepare("delete from audit_entries where subject_type = 'api_key'"),
    ])
    return plaintext
  })
}

/** Creates a plan, unlimited and with every feature by default. */
export const makePlan = (overrides: Partial<Parameters<typeof SavePlanInput.parse>[0] & object> = {}) =>
  run((ctx) =>
    savePlan(
      ctx,
      SavePlanInput.parse({
        slug: `plan-${nextSerial()}`,
        name: "Plan",
        description: "A plan",
        price_cents: 1900,
        currency: "EUR",
        interval: "month",
        trial_days: 0,
        limits: { products: 0, orders: 0, storage_mb: 0, staff_users: 0 },
        features: { custom_domain: true, api_access: true, remove_branding: true },
        ...overrides,
      }),
    ),
  )

/**
 * Creates a pending store.
 * @returns its id
 */
export async function makeStore(overrides: Record<string, unknown> = {}): Promise<string> {
  const input = parseInput(CreateStore, {
    subdomain: `store${nextSerial()}`,
    name: "A store",
    owner_email: "owner@example.com",
    password: "correct-horse",
    ...overrides,
  })
  return run(async (ctx) => (await createStore(ctx, input)).id)
}

/**
 * Creates a ready store.
 * @returns its id
 */
export async function makeReadyStore(overrides: Record<string, unknown> = {}): Promise<string> {
  const id = await makeStore(overrides)
  await run((ctx) => provisionStore(ctx, id))
  return id
}

/**
 * Inserts a webhook endpoint directly, so its URL may be one that the API refuses.
 * @returns the row, with the plaintext signing secret
 */
export async function makeEndpoint(overrides: Partial<typeof webhookEndpoints.$inferInsert> = {}) {
  const secret = generateSecret()
  const now = new Date()
  const [endpoint] = await drizzle(env.DB)
    .insert(webhookEndpoints)
    .values({
      url: "https://receiver.example/hook",
      events: ["*"],
      secret: await encrypt(settingsOf(env).APP_KEY, secret),
      isActive: true,
      consecutiveFailures: 0,
      failureSeq: 0,
      createdByName: "test",
      createdAt: now,
      updatedAt: now,
      ...overrides,
    })
    .returning()
  if (!endpoint) throw new Error("no endpoint")
  return { ...endpoint, plainSecret: secret }
}

/** Creates an endpoint of a store. */
export async function makeStoreEndpoint(store: string, overrides: Parameters<typeof makeEndpoint>[0] = {}) {
  const row = await env.DB.prepare("select seq from stores where id = ?").bind(store).first<{ seq: number }>()
  const seq = row?.seq ?? 0
  return makeEndpoint({ storeId: store, storeSeq: seq, stores: [store], storeSeqs: [seq], ...overrides })
}
