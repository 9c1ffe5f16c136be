// Idempotency-Key: a request that is sent twice takes effect once, despite failures in between.
import { env } from "cloudflare:workers"
import { expect, test, vi } from "vitest"
import { commit } from "../../src/core/write/commit"
import {
  claimKey,
  deleteExpiredResponses,
  markCommitted,
  nextLockEnd,
  releaseKey,
  storeResponse,
} from "../../src/core/write/idempotency"
import { purgeStore, removeStore } from "../../src/platform/stores/remove"
import { type CallOptions, platform, run, type TestResponse } from "../support/app"
import { costsOf } from "../support/costs"
import { makeEndpoint, makeKey, makeReadyStore } from "../support/factories"
import { count, rows } from "../support/rows"

const DAY = 86_400_000
const input = { subdomain: "acme", name: "Acme", owner_email: "a@example.com", password: "correct-horse" }

const create = (token: string, key: string, options: CallOptions = {}) =>
  platform("POST", "/stores", { token, json: input, ...options, headers: { "Idempotency-Key": key } })

test("replays the first response, marked with Idempotent-Replayed", async () => {
  const token = await makeKey()
  const first = await create(token, "k1")
  const second = await create(token, "k1")
  expect([first.status, second.status]).toEqual([202, 202])
  expect(second.text).toBe(first.text)
  expect([first.headers.get("Idempotent-Replayed"), second.headers.get("Idempotent-Replayed")]).toEqual([null, "true"])
  expect(second.headers.get("Content-Type")).toBe(first.headers.get("Content-Type"))
  expect(second.headers.get("X-Request-Id")).not.toBe(first.headers.get("X-Request-Id"))
  expect(await count("stores")).toBe(1)
})

test("replays refusals and empty responses", async () => {
  const token = await makeKey()
  const store = await makeReadyStore()
  const bad = await create(token, "bad", { json: {} })
  expect((await create(token, "bad", { json: {} })).text).toBe(bad.text)
  const options = { token, json: { confirm: store }, headers: { "Idempotency-Key": "delete" } }
  for (let i = 0; i < 2; i++) {
    const response = await platform("DELETE", `/stores/${store}`, options)
    expect([response.status, response.text]).toEqual([204, ""])
  }
})

test("returns idempotency_mismatch for the same key with another body, path or method", async () => {
  const token = await makeKey()
  await create(token, "k1")
  const others = [
    await create(token, "k1", { json: { ...input, name: "Other" } }),
    await platform("POST", "/webhooks", { token, json: input, headers: { "Idempotency-Key": "k1" } }),
    await platform("PATCH", "/stores/acme", { token, json: input, headers: { "Idempotency-Key": "k1" } }),
  ]
  for (const response of others) {
    expect([response.status, response.body.error.code]).toEqual([422, "idempotency_mismatch"])
  }
})

test("returns idempotency_mismatch for a retry against a later store with the same id, however the path encodes it", async () => {
  const token = await makeKey()
  const store = await makeReadyStore({ subdomain: "kiln" })
  const paths = ["kiln", "%6biln", "%6B%69%6c%6e"].map((id) => `/stores/${id}/suspend`)
  const suspend = (path: string) =>
    platform("POST", path, { token, headers: { "Idempotency-Key": `suspend ${path}`.replaceAll(" ", "-") } })
  expect((await suspend(paths[0] ?? "")).status).toBe(200)
  for (const path of paths.slice(1)) {
    await platform("POST", `/stores/${store}/resume`, { token })
    expect((await suspend(path)).status).toBe(200)
  }
  await run((ctx) => removeStore(ctx, store, { confirm: store, reason: "console" }))
  await run((ctx) => purgeStore(ctx, store))
  await makeReadyStore({ subdomain: "kiln" })
  for (const path of paths) {
    const { status, body } = await suspend(path)
    expect([status, body.error?.code]).toEqual([422, "idempotency_mismatch"])
  }
  expect((await platform("GET", "/stores/kiln", { token })).body.data.status).toBe("ready")
})

test("scopes idempotency keys to the API key", async () => {
  const [a, b] = [await makeKey(), await makeKey()]
  await create(a, "k1")
  expect((await create(b, "k1")).body.error.code).toBe("subdomain_taken")
})

test("executes one of ten concurrent requests; the others get idempotency_in_progress or its response", async () => {
  const token = await makeKey()
  const responses = await Promise.all(Array.from({ length: 10 }, () => create(token, "k1")))
  const outcome = (response: TestResponse) =>
    response.body.error?.code ?? response.headers.get("Idempotent-Replayed") ?? "made"
  const outcomes = responses.map(outcome)
  expect(outcomes.filter((name) => name === "made")).toHaveLength(1)
  expect(outcomes.every((name) => ["made", "true", "idempotency_in_progress"].includes(name))).toBe(true)
  expect(await count("stores")).toBe(1)
})

test("does not store a 500 response, so a retry is executed", async () => {
  const token = await makeKey()
  await env.DB.exec("alter table audit_entries rename to hidden")
  expect((await create(token, "k1")).status).toBe(500)
  await env.DB.exec("alter table hidden rename to audit_entries")
  expect((await create(token, "k1")).status).toBe(202)
})

test("executes a retry one minute after a crash before the commit, but never after a crash after it", async () => {
  const token = await makeKey()
  await create(token, "k1")
  const resetRecord = (committed: number | null) =>
    env.DB.prepare("update idempotency_records set status = null, response = null, committed_at = ?")
      .bind(committed)
      .run()
  const later = Date.now() + 61_000
  await resetRecord(1)
  vi.useFakeTimers({ toFake: ["Date"], now: later })
  expect((await create(token, "k1")).body.error.code).toBe("idempotency_in_progress")
  await resetRecord(null)
  expect((await create(token, "k1")).body.error.code).toBe("subdomain_taken")
})

test("lets a first request that lost its lock to a retry neither commit, nor store a response, nor release the key", async () => {
  vi.useFakeTimers({ toFake: ["Date"] })
  const keyed = {
    id: "0".repeat(32),
    caller: "c",
    secret: "s",
    key: "k1",
    method: "POST",
    path: "/",
    body: "",
    storeId: null,
  }
  await run(async (ctx) => {
    const claim = async () => {
      const request = { ...keyed, lockedUntil: nextLockEnd() }
      expect(await claimKey(ctx, request)).toBe(null)
      const change = { auditLog: [{ audit: { subject: "plan", action: "saved", id: 1 } }] } as const
      return {
        commit: () => commit({ ...ctx, withCommit: () => markCommitted(ctx, request) }, change),
        store: (body: string) => storeResponse(ctx, request, { status: 200, headers: {}, body }),
        release: () => releaseKey(ctx, request),
      }
    }
    const first = await claim()
    // The time of the context stands still, as while a body arrives slowly.
    vi.setSystemTime(Date.now() + 61_000)
    const second = await claim()
    expect(await first.release()).toBe(false)
    await expect(first.commit()).rejects.toMatchObject({ code: "idempotency_in_progress" })
    await first.store("first")
    await second.commit()
    await second.commit()
    await expect(first.commit()).rejects.toMatchObject({ code: "idempotency_in_progress" })
    await second.store("second")
    expect(await claimKey(ctx, { ...keyed, lockedUntil: nextLockEnd() })).toMatchObject({ body: "second" })
  })
  expect(await count("audit_entries")).toBe(2)
})

test("commits the change and the idempotency record in one transaction", async () => {
  const token = await makeKey()
  await create(token, "k1")
  expect((await rows("select committed_at from idempotency_records"))[0]?.committed_at).toBeTypeOf("number")
})

/** Runs the clean-up of the 256 minutes from a time on, which visit all parts of the ids. */
async function deleteInAllParts(from: number): Promise<void> {
  for (let minute = 0; minute < 256; minute++) {
    await run(deleteExpiredResponses, { now: new Date(from + minute * 60_000) })
  }
}

test("stores responses encrypted, and deletes them after a day", async () => {
  const token = await makeKey()
  await makeEndpoint()
  const json = { url: "https://127.0.0.1:9443/hook", events: ["*"] }
  const options = {
    token,
    json,
    headers: { "Idempotency-Key": "k1" },
    env: { TENANCY_WEBHOOKS_ALLOW_PRIVATE_HOSTS: "true" },
  }
  const first = await platform("POST", "/webhooks", options)
  expect(JSON.stringify(await rows("select * from idempotency_records"))).not.toContain(first.body.secret)
  expect((await platform("POST", "/webhooks", options)).body.secret).toBe(first.body.secret)
  const now = Date.now()
  await deleteInAllParts(now + DAY - 256 * 60_000)
  expect(await count("idempotency_records")).toBe(1)
  await deleteInAllParts(now + DAY + 1000)
  expect(await count("idempotency_records")).toBe(0)
})

test("deletes expired idempotency records part by part, and reads only the part of the minute", async () => {
  const now = Date.now()
  const insertRecords = (fingerprint: string, createdAt: number) =>
    env.DB.prepare(
      `insert into idempotency_records (id, fingerprint, locked_until, created_at)
        with recursive n(i) as (select 1 union all select i + 1 from n where i < 6000)
        select lower(hex(randomblob(16))), ?, 1, ? from n`,
    )
      .bind(fingerprint, createdAt)
      .run()
  await insertRecords("expired", now - DAY - 1000)
  await insertRecords("stored", now)
  expect((await costsOf(() => run(deleteExpiredResponses, { now: new Date(now) }))).rowsRead).toBeLessThan(250)
  await deleteInAllParts(now)
  expect(await rows("select fingerprint, count(*) as n from idempotency_records group by 1")).toEqual([
    { fingerprint: "stored", n: 6000 },
  ])
})

test("does not execute a key again that a version before this table has stored", async () => {
  const token = await makeKey()
  const [key] = await rows("select hash from api_keys")
  await env.DB.prepare(
    "insert into idempotency_keys (caller, key, fingerprint, locked_until, created_at) values (?, 'k1', '-', 1, ?)",
  )
    .bind(String(key?.hash), Date.now() - 1000)
    .run()
  expect((await create(token, "k1")).body.error.code).toBe("idempotency_in_progress")
  expect([await count("stores"), await count("idempotency_records")]).toEqual([0, 0])
  expect((await create(token, "k2")).status).toBe(202)
})

test("refuses a malformed key, and ignores the key of read requests", async () => {
  const token = await makeKey()
  for (const key of ["", "two words", "x".repeat(256)]) {
    const response = await create(token, key)
    expect([response.status, response.body.error.code]).toEqual([422, "validation_failed"])
  }
  const read = await platform("GET", "/stores", { token, headers: { "Idempotency-Key": "k1" } })
  expect(read.status).toBe(200)
  expect(await count("idempotency_records")).toBe(0)
})

test("stores different fingerprints for the same request of two callers, so they reveal no password", async () => {
  const bad = { ...input, theme: "no such theme" }
  for (const token of [await makeKey(), await makeKey()]) await create(token, "k1", { json: bad })
  const fingerprints = (await rows("select fingerprint from idempotency_records")).map(({ fingerprint }) => fingerprint)
  expect([fingerprints.length, new Set(fingerprints).size]).toEqual([2, 2])
})
