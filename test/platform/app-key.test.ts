// The rotation of the application key: encrypted values stay readable during and after it.

import { env } from "cloudflare:workers"
import { eq } from "drizzle-orm"
import { expect, test } from "vitest"
import { sendDueAccountMails } from "../../src/content/mails/outbox"
import { validInput } from "../../src/core/http/input"
import { read } from "../../src/db/client"
import { ENCRYPTED_COLUMNS, ENCRYPTED_SITE_COLUMNS } from "../../src/db/encrypted-columns"
import { operators } from "../../src/db/schema/central/operators"
import { webhookEndpoints } from "../../src/db/schema/central/webhooks"
import { decrypt, encrypt } from "../../src/lib/cipher"
import { getDecryptionKeys, getEncryptionKey } from "../../src/license/encryption/keyring"
import { getSigningKey } from "../../src/license/offline/key"
import { parseSettings, selectSettings } from "../../src/license/settings"
import { CreateOperator } from "../../src/platform/operators/schemas"
import { readPendingTotp, startTotpSetup } from "../../src/platform/operators/second-factor"
import { createOperator } from "../../src/platform/operators/service"
import { decryptHeaders } from "../../src/webhooks/endpoints/headers"
import { decryptSecrets } from "../../src/webhooks/send"
import { call, platform, run, sendOperatorCommand, withSettings } from "../support/app"
import { collectSentMails } from "../support/billing-factories"
import { captureMails, content, makeUser, parseMailLink } from "../support/content-factories"
import { makeEndpoint, makeKey, makePlan } from "../support/factories"
import { failBatches } from "../support/faults"
import { setLicenseSettings } from "../support/license-factories"
import { mockReceiver } from "../support/receiver"
import { rows, siteRows } from "../support/rows"

const OLD = (env as unknown as { APP_KEY: string }).APP_KEY
const NEW = `base64:${"B".repeat(43)}=`
const ROTATING = { APP_KEY: NEW, APP_KEY_PREVIOUS: OLD }
const rotate = (options = {}, settings = ROTATING) => sendOperatorCommand("app-key:rotate", options, settings)

const ENDPOINT = {
  url: "https://receiver.example/hook",
  events: ["*"],
  headers: { Authorization: "Bearer token", "X-Team": "ops" },
}

const CONTAINER = /\bv1\.[\w-]{16}\.[\w-]{22,}/

/** Returns the columns of a database that contain encrypted values, as `table.column`. */
async function encryptedColumnNames(query: typeof rows): Promise<string[]> {
  const columns = new Set<string>()
  const tables = await query(
    "select name from sqlite_master where type = 'table' and name not glob '[_s]*_*fts*' and name not glob '_cf*'",
  )
  for (const { name } of tables) {
    for (const row of await query(`select * from "${name}"`)) {
      for (const [column, value] of Object.entries(row))
        if (CONTAINER.test(String(value))) columns.add(`${name}.${column}`)
    }
  }
  return [...columns].sort()
}

/** Writes a value to every encrypted column, through the platform's own code. */
async function encryptEverything() {
  mockReceiver()
  const token = await makeKey()
  const created = await platform("POST", "/webhooks", {
    token,
    json: ENDPOINT,
    headers: { "Idempotency-Key": "k1" },
  })
  expect(created.status).toBe(201)
  const rotated = { token, json: { grace_seconds: 86_400 } }
  expect((await platform("POST", `/webhooks/${created.body.data.id}/rotate-secret`, rotated)).status).toBe(200)
  const { secret } = created.body
  const operator = await run((ctx) =>
    createOperator(
      ctx,
      validInput(CreateOperator, {
        name: "Ana",
        email: "ana@example.com",
        password: "correct-horse-battery",
        role: "admin",
      }),
    ),
  )
  await run((ctx) => startTotpSetup(ctx, operator))
  await setLicenseSettings({
    lm_license_encryption_key: `base64:${"A".repeat(43)}=`,
    lm_legacy_encryption_key: "legacy",
  })
  await run((ctx) => getSigningKey(ctx))
  const { email } = await makeUser()
  expect((await content("POST", "/password/forgot", { json: { email } })).status).toBe(200)
  const encryptedText = await run((ctx) => encrypt(ctx.settings.APP_KEY, "push"))
  await env.SITES_1.prepare(
    "insert into push_accounts (site_id, enabled, project_id, client_email, token_uri, private_key, configured_at, access_token) values ('s', 1, 'p', 'c', 't', ?, 1, ?)",
  )
    .bind(encryptedText, encryptedText)
    .run()
  await env.SITES_1.prepare(
    "insert into user_totps (site_id, user_id, secret, step, created_at) values ('s', 1, ?, 0, 1)",
  )
    .bind(encryptedText)
    .run()
  return { token, id: created.body.data.id as number, secret: secret as string, operator: operator.id }
}

/** Reads all encrypted values with the given key settings. */
const decryptAll = (id: number, operator: number, settings: Record<string, string>) =>
  run(
    async (ctx) => {
      const [endpoint] = await ctx.db.select().from(webhookEndpoints).where(eq(webhookEndpoints.id, id))
      const [operatorRow] = await ctx.db.select().from(operators).where(eq(operators.id, operator))
      const licenses = parseSettings(await read(ctx.db, selectSettings({})))
      return {
        webhooks: endpoint && (await decryptSecrets(ctx, endpoint)),
        headers: endpoint?.headers && (await decryptHeaders(ctx.settings.APP_KEY, endpoint.headers)),
        totp: operatorRow && (await readPendingTotp(ctx, operatorRow))?.secret,
        signing: (await getSigningKey(ctx)).kid,
        push: await Promise.all(
          (await siteRows("select private_key, access_token from push_accounts"))
            .flatMap((row) => Object.values(row))
            .map((text) => decrypt(ctx.settings.APP_KEY, String(text))),
        ),
        decryptionKeys: await getDecryptionKeys(ctx, licenses),
        encryptionKey: await getEncryptionKey(ctx, { ...licenses, lm_license_encryption_key: [] }),
      }
    },
    { env: withSettings(settings) },
  )

test("lists exactly the columns that contain encrypted values", async () => {
  await encryptEverything()
  expect(await encryptedColumnNames(rows)).toEqual(ENCRYPTED_COLUMNS.map(({ name }) => name).sort())
  expect(await encryptedColumnNames(siteRows)).toEqual(ENCRYPTED_SITE_COLUMNS.map(({ name }) => name).sort())
})

test("finds no unknown caller of encrypt(), whose column might be missing from the list", () => {
  const sources = import.meta.glob("../../src/**/*.ts", { query: "?raw", import: "default", eager: true })
  const callers = Object.entries(sources).filter(([, text]) =>
    /import \{[^}]*\bencrypt\b[^}]*\} from "[./]+lib\/cipher"/.test(text),
  )
  expect(callers.map(([path]) => path.replace("../../src/", "")).sort()).toEqual([
    // In the same column as mailed tokens.
    "apps/ecommerce/orders/mails.ts",
    "content/accounts/mailed-tokens.ts",
    "content/accounts/second-factor.ts",
    "content/push/access-tokens.ts",
    "content/push/settings.ts",
    // Encrypts a token of a link, which is not stored.
    "core/auth/first-sign-in.ts",
    // Encrypts with its own key, which is not stored.
    "core/auth/form-drafts.ts",
    // Encrypts a form's hidden field, which is not stored.
    "core/auth/hidden-password.ts",
    "core/write/idempotency.ts",
    "license/offline/key.ts",
    "license/settings.ts",
    "platform/operators/second-factor.ts",
    "webhooks/endpoints/headers.ts",
    "webhooks/endpoints/service.ts",
  ])
})

test("rotates every value to the new key, resumes after a failure, and is audited once", async () => {
  const { token, id, secret, operator } = await encryptEverything()
  for (let n = 0; n < 60; n++) await makeEndpoint()
  const before = await decryptAll(id, operator, { APP_KEY: OLD })
  expect(before.webhooks).toContain(secret)
  expect((await decryptAll(id, operator, ROTATING)).webhooks).toEqual(before.webhooks)

  const spy = failBatches((statements) => (statements > 30 ? "after" : null))
  expect((await rotate()).status).toBe(503)
  spy.mockRestore()
  const first = await rotate({ limit: 50 })
  expect(first.body.data).toMatchObject({ done: false, unreadable: {} })
  const half = await decryptAll(id, operator, ROTATING)
  expect([half.webhooks, half.totp, half.signing]).toEqual([before.webhooks, before.totp, before.signing])
  for (let n = 0; n < 40 && !(await rotate({ limit: 50 })).body.data.done; n++);
  // 61 endpoints, one of them with a previous secret and with headers, a second factor, an idempotency record, three settings, and the
  // token of an account mail.
  const { body } = await rotate()
  expect(body.data).toEqual({ done: true, rotated: 0, unreadable: {} })

  const mails = captureMails()
  await run((ctx) => sendDueAccountMails(ctx, "SITES_1"), { env: withSettings({ APP_KEY: NEW }) })
  expect(parseMailLink(mails[0]).token).toMatch(/^[0-9A-Za-z]{48}$/)
  const after = await decryptAll(id, operator, { APP_KEY: NEW })
  expect([after.webhooks, after.totp, after.signing]).toEqual([before.webhooks, before.totp, before.signing])
  expect(after.headers).toEqual(ENDPOINT.headers)
  expect(after.push).toEqual(["push", "push"])
  // License keys derived from the old application key stay valid for decryption, but are no longer used to encrypt.
  for (const key of before.decryptionKeys.modern) expect(after.decryptionKeys.modern).toContainEqual(key)
  expect(after.decryptionKeys.legacy).toBe("legacy")
  expect(after.encryptionKey.key).not.toEqual(before.encryptionKey.key)
  const replayed = await platform("POST", "/webhooks", {
    token,
    json: ENDPOINT,
    headers: { "Idempotency-Key": "k1" },
    env: { APP_KEY: NEW },
  })
  expect([replayed.headers.get("Idempotent-Replayed"), replayed.body.secret]).toEqual(["true", secret])
  const entries = await rows("select type, after from audit_entries where subject_type = 'app_key' order by id")
  expect(entries.map(({ type }) => type)).toEqual(["app_key_issued", "app_key_rotated"])
  expect(JSON.parse(String(entries[1]?.after))).toEqual({ rotated: 61 + 1 + 1 + 1 + 1 + 3 + 1 + 2 + 1, unreadable: {} })
})

test("counts and preserves values that neither key can decrypt, and only checks without a previous key", async () => {
  await encryptEverything()
  const { body } = await rotate({}, { APP_KEY: NEW, APP_KEY_PREVIOUS: "" })
  expect(body.data).toEqual({
    done: true,
    rotated: 0,
    unreadable: Object.fromEntries(
      [...ENCRYPTED_COLUMNS, ...ENCRYPTED_SITE_COLUMNS].map(({ name }) => [name, expect.any(Number)]),
    ),
  })
  expect((await rotate()).body.data).toMatchObject({ done: true, unreadable: {} })
  expect((await rotate({}, { APP_KEY: NEW, APP_KEY_PREVIOUS: "" })).body.data).toEqual({
    done: true,
    rotated: 0,
    unreadable: {},
  })
})

test("re-encrypts each value once under concurrent rotations", async () => {
  const { id, operator, secret } = await encryptEverything()
  const first = await Promise.all([rotate(), rotate(), rotate()])
  expect(first.map(({ status }) => status)).toEqual([200, 200, 200])
  expect((await rotate()).body.data).toMatchObject({ done: true, rotated: 0 })
  expect((await decryptAll(id, operator, { APP_KEY: NEW })).webhooks).toContain(secret)
})

test("accepts a sign-up link mailed under the old key while that key is configured", async () => {
  await makePlan({ slug: "starter" })
  const json = { name: "A", subdomain: "linked", email: "a@example.com", password: "correct-horse" }
  await call("POST", "/signup", { json })
  const link = /\/signup\/confirm\?token=\S+/.exec((await collectSentMails())[0]?.text ?? "")?.[0] ?? ""
  expect((await call("GET", link, { env: { APP_KEY: NEW } })).status).toBe(422)
  expect((await call("GET", link, { env: ROTATING })).status).toBe(200)
})

test("reports a malformed APP_KEY_PREVIOUS as an invalid setting", async () => {
  const { status, body } = await call("GET", "/api/health-check", { env: { APP_KEY_PREVIOUS: "hunter2" } })
  expect([status, Object.keys(body.settings)]).toEqual([500, ["APP_KEY_PREVIOUS"]])
})
