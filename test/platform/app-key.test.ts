// Changing the application's key: everything that was sealed stays readable, on the way and under the new key alone.
import { env } from "cloudflare:workers"
import { eq } from "drizzle-orm"
import { expect, test } from "vitest"
import { read } from "../../src/db/client"
import { SEALED, SEALED_IN_SITES } from "../../src/db/encrypted-columns"
import { operators } from "../../src/db/schema/central/operators"
import { webhookEndpoints } from "../../src/db/schema/central/webhooks"
import { decrypt, encrypt } from "../../src/lib/cipher"
import { readingKeys, writingKey } from "../../src/license/encryption/keyring"
import { signingKey } from "../../src/license/offline/key"
import { selectSettings, settingsFrom } from "../../src/license/settings"
import { beginTotp, pendingTotp } from "../../src/platform/operators/second-factor"
import { createOperator } from "../../src/platform/operators/service"
import { secretsOf } from "../../src/webhooks/send"
import { call, platform, run, withSettings } from "../support/app"
import { operate, sentMails } from "../support/billing-factories"
import { makeEndpoint, makeKey, makePlan } from "../support/factories"
import { failBatches } from "../support/faults"
import { setLicenseSettings } from "../support/license-factories"
import { receive } from "../support/receiver"
import { rows, siteRows } from "../support/rows"

const OLD = (env as unknown as { APP_KEY: string }).APP_KEY
const NEW = `base64:${"B".repeat(43)}=`
const ROTATING = { APP_KEY: NEW, APP_KEY_PREVIOUS: OLD }
const rotate = (options = {}, settings = ROTATING) => operate("app-key:rotate", options, settings)

const CONTAINER = /\bv1\.[\w-]{16}\.[\w-]{22,}/

/** The columns of a database in which containers stand, as `table.column`. */
async function sealedColumns(query: typeof rows): Promise<string[]> {
  const found = new Set<string>()
  const tables = await query(
    "select name from sqlite_master where type = 'table' and name not glob '[_s]*_*fts*' and name not glob '_cf*'",
  )
  for (const { name } of tables) {
    for (const row of await query(`select * from "${name}"`)) {
      for (const [column, value] of Object.entries(row))
        if (CONTAINER.test(String(value))) found.add(`${name}.${column}`)
    }
  }
  return [...found].sort()
}

/** Something in every sealed column, made the way the platform makes it. */
async function sealEverything() {
  receive()
  const token = await makeKey()
  const made = await platform("POST", "/webhooks", {
    token,
    json: { url: "https://receiver.example/hook", events: ["*"] },
    headers: { "Idempotency-Key": "k1" },
  })
  expect(made.status).toBe(201)
  const rotated = { token, json: { grace_seconds: 86_400 } }
  expect((await platform("POST", `/webhooks/${made.body.data.id}/rotate-secret`, rotated)).status).toBe(200)
  const { secret } = made.body
  const operator = await run((ctx) =>
    createOperator(ctx, { name: "Ana", email: "ana@example.com", password: "correct-horse-battery", role: "admin" }),
  )
  await run((ctx) => beginTotp(ctx, operator))
  await setLicenseSettings({
    lm_license_encryption_key: `base64:${"A".repeat(43)}=`,
    lm_legacy_encryption_key: "legacy",
  })
  await run((ctx) => signingKey(ctx))
  const sealedNow = await run((ctx) => encrypt(ctx.settings.APP_KEY, "push"))
  await env.SITES_1.prepare(
    "insert into push_accounts (site_id, enabled, project_id, client_email, token_uri, private_key, configured_at, access_token) values ('s', 1, 'p', 'c', 't', ?, 1, ?)",
  )
    .bind(sealedNow, sealedNow)
    .run()
  return { token, id: made.body.data.id as number, secret: secret as string, operator: operator.id }
}

/** What only the keys open, read under the given ones. */
const readAll = (id: number, operator: number, settings: Record<string, string>) =>
  run(
    async (ctx) => {
      const [endpoint] = await ctx.db.select().from(webhookEndpoints).where(eq(webhookEndpoints.id, id))
      const [person] = await ctx.db.select().from(operators).where(eq(operators.id, operator))
      const licenses = settingsFrom(await read(ctx.db, selectSettings({})))
      return {
        webhooks: endpoint && (await secretsOf(ctx, endpoint)),
        totp: person && (await pendingTotp(ctx, person))?.secret,
        signing: (await signingKey(ctx)).kid,
        push: await Promise.all(
          (await siteRows("select private_key, access_token from push_accounts"))
            .flatMap((row) => Object.values(row))
            .map((text) => decrypt(ctx.settings.APP_KEY, String(text))),
        ),
        reading: await readingKeys(ctx, licenses),
        writing: await writingKey(ctx, { ...licenses, lm_license_encryption_key: [] }),
      }
    },
    { env: withSettings(settings) },
  )

test("every column in which a container stands is on the list, and every one on the list holds some", async () => {
  await sealEverything()
  expect(await sealedColumns(rows)).toEqual(SEALED.map(({ name }) => name).sort())
  expect(await sealedColumns(siteRows)).toEqual(SEALED_IN_SITES.map(({ name }) => name).sort())
})

test("who seals anything is known, so that a new one adds its column to the list", () => {
  const sources = import.meta.glob("../../src/**/*.ts", { query: "?raw", import: "default", eager: true })
  const callers = Object.entries(sources).filter(([, text]) =>
    /import \{[^}]*\bencrypt\b[^}]*\} from "[./]+lib\/cipher"/.test(text),
  )
  expect(callers.map(([path]) => path.replace("../../src/", "")).sort()).toEqual([
    "content/push/access.ts",
    "content/push/settings.ts",
    "core/idempotency.ts",
    "license/offline/key.ts",
    "license/settings.ts",
    "platform/operators/second-factor.ts",
    "webhooks/endpoints/service.ts",
  ])
})

test("on the way everything is readable; after it under the new key alone; it is told once, and goes on where it died", async () => {
  const { token, id, secret, operator } = await sealEverything()
  for (let n = 0; n < 60; n++) await makeEndpoint()
  const before = await readAll(id, operator, { APP_KEY: OLD })
  expect(before.webhooks).toContain(secret)
  expect((await readAll(id, operator, ROTATING)).webhooks).toEqual(before.webhooks)

  const spy = failBatches((statements) => (statements > 30 ? "after" : null))
  expect((await rotate()).status).toBe(500)
  spy.mockRestore()
  const first = await rotate({ limit: 50 })
  expect(first.body.data).toMatchObject({ done: false, unreadable: {} })
  const half = await readAll(id, operator, ROTATING)
  expect([half.webhooks, half.totp, half.signing]).toEqual([before.webhooks, before.totp, before.signing])
  for (let n = 0; n < 40 && !(await rotate({ limit: 50 })).body.data.done; n++);
  // 61 endpoints, one of them with a secret before it, a second factor, an answer, and the rows of three settings.
  const { body } = await rotate()
  expect(body.data).toEqual({ done: true, rotated: 0, unreadable: {} })

  const after = await readAll(id, operator, { APP_KEY: NEW })
  expect([after.webhooks, after.totp, after.signing]).toEqual([before.webhooks, before.totp, before.signing])
  expect(after.push).toEqual(["push", "push"])
  // What customers hold was made with keys that came of the old one: those are kept, and none is written with.
  for (const key of before.reading.modern) expect(after.reading.modern).toContainEqual(key)
  expect(after.reading.legacy).toBe("legacy")
  expect(after.writing.key).not.toEqual(before.writing.key)
  const replayed = await platform("POST", "/webhooks", {
    token,
    json: { url: "https://receiver.example/hook", events: ["*"] },
    headers: { "Idempotency-Key": "k1" },
    env: { APP_KEY: NEW },
  })
  expect([replayed.headers.get("Idempotent-Replayed"), replayed.body.secret]).toEqual(["true", secret])
  const trail = await rows("select type, after from audit_entries where subject_type = 'app_key' order by id")
  expect(trail.map(({ type }) => type)).toEqual(["app_key_issued", "app_key_rotated"])
  expect(JSON.parse(String(trail[1]?.after))).toEqual({ rotated: 61 + 1 + 1 + 1 + 3 + 2, unreadable: {} })
})

test("what neither key opens is counted and left as it is; without a previous key it is a check", async () => {
  await sealEverything()
  const { body } = await rotate({}, { APP_KEY: NEW, APP_KEY_PREVIOUS: "" })
  expect(body.data).toEqual({
    done: true,
    rotated: 0,
    unreadable: Object.fromEntries([...SEALED, ...SEALED_IN_SITES].map(({ name }) => [name, expect.any(Number)])),
  })
  expect((await rotate()).body.data).toMatchObject({ done: true, unreadable: {} })
  expect((await rotate({}, { APP_KEY: NEW, APP_KEY_PREVIOUS: "" })).body.data).toEqual({
    done: true,
    rotated: 0,
    unreadable: {},
  })
})

test("two at once seal each value once; a written one that came meanwhile stays", async () => {
  const { id, operator, secret } = await sealEverything()
  const first = await Promise.all([rotate(), rotate(), rotate()])
  expect(first.map(({ status }) => status)).toEqual([200, 200, 200])
  expect((await rotate()).body.data).toMatchObject({ done: true, rotated: 0 })
  expect((await readAll(id, operator, { APP_KEY: NEW })).webhooks).toContain(secret)
})

test("a link that was mailed under the old key opens the store under the new one", async () => {
  await makePlan({ slug: "starter" })
  const json = { name: "A", subdomain: "linked", email: "a@example.com", password: "correct-horse" }
  await call("POST", "/signup", { json })
  const link = /\/signup\/confirm\?token=\S+/.exec((await sentMails())[0]?.text ?? "")?.[0] ?? ""
  expect((await call("GET", link, { env: { APP_KEY: NEW } })).status).toBe(422)
  expect((await call("GET", link, { env: ROTATING })).status).toBe(200)
})

test("a previous key that is none keeps the platform from starting", async () => {
  const { status, body } = await call("GET", "/api/health-check", { env: { APP_KEY_PREVIOUS: "hunter2" } })
  expect([status, Object.keys(body.settings)]).toEqual([500, ["APP_KEY_PREVIOUS"]])
})
