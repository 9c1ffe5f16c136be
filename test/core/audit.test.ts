// The audit log: entries about subjects other than stores, from every interface and from site databases.

import { env } from "cloudflare:workers"
import { describe, expect, test } from "vitest"
import { createContext } from "../../src/core/context"
import { validInput } from "../../src/core/http/input"
import { publishedActor } from "../../src/core/write/actor"
import { commitSite, forwardDatabaseOutbox, forwardOutboxes } from "../../src/core/write/site-commit"
import { siteDatabase } from "../../src/db/client"
import { tags } from "../../src/db/schema/sites/posts"
import { inSite } from "../../src/db/site-scope"
import { CreateKey } from "../../src/platform/keys/schemas"
import { createKey } from "../../src/platform/keys/service"
import { call, platform, run } from "../support/app"
import { makeEndpoint, makeKey } from "../support/factories"
import { makeServerKey, makeSiteKey } from "../support/key-factories"
import { rows, siteRows } from "../support/rows"

const listEntries = () =>
  rows(
    "select type, subject_type, subject_id, store_seq, interface, actor_name, address from audit_entries order by id",
  )

describe("audit log of the central database", () => {
  test("records the actor, interface and address of a command, and no secret", async () => {
    const response = await call("POST", "/api/operator/v1/keys:create", {
      token: env.OPERATOR_TOKEN as string,
      headers: { "CF-Connecting-IP": "192.0.2.7" },
      json: { name: "ci", scopes: "read" },
    })
    expect(response.status).toBe(200)
    expect(await listEntries()).toEqual([
      {
        type: "api_key_issued",
        subject_type: "api_key",
        subject_id: String(response.body.data.id),
        store_seq: 0,
        interface: "cli",
        actor_name: "operator",
        address: "192.0.2.7",
      },
    ])
    const [entry] = await rows("select * from audit_entries")
    expect(JSON.stringify(entry)).not.toContain(response.body.data.key)
  })

  test("adds one entry with the changed fields for every write of an endpoint", async () => {
    const token = await makeKey()
    const { id } = await makeEndpoint()
    await platform("PATCH", `/webhooks/${id}`, { token, json: { description: "new" } })
    await platform("DELETE", `/webhooks/${id}`, { token })
    const entries = await rows("select type, before, after, request_id from audit_entries order by id")
    expect(entries.map(({ type }) => type)).toEqual(["endpoint_changed", "endpoint_deleted"])
    expect(JSON.parse(String(entries[0]?.after))).toEqual({ description: "new" })
    expect(entries[0]?.request_id).toMatch(/^[0-9A-Z]{26}$/)
  })

  test("excludes entries about other subjects from stores' lists and counters", async () => {
    await run((ctx) => createKey(ctx, validInput(CreateKey, { name: "one", scopes: ["read"] })))
    expect(await rows("select list, total from counters where list like 'audit:%'")).toEqual([])
  })
})

test("names every kind of key, and shows the id of control-plane keys only in events", async () => {
  const credentials = [
    [await makeServerKey(), "site_token"],
    [await makeSiteKey(), "site_key"],
  ] as const
  for (const [key, type] of credentials) {
    const created = await call("POST", "/api/v1/media/folders", { headers: { "X-API-KEY": key }, json: { name: type } })
    expect(created.status).toBe(201)
    const [entry] = await rows("select actor_type, actor_id from audit_entries order by id desc limit 1")
    expect(entry).toEqual({ actor_type: type, actor_id: type === "site_key" ? null : expect.any(Number) })
  }
  expect(publishedActor({ type: "license_key", id: 7, name: "shop" })).toEqual({
    type: "api_key",
    id: null,
    name: "shop",
  })
})

describe("audit outbox of a site database", () => {
  const db = () => siteDatabase(env, "SITES_1", "central")
  const tag = {
    name: "News",
    nameKey: "news",
    slug: "news",
    description: null,
    createdAt: new Date(),
    updatedAt: new Date(),
  }
  const save = (ctx: Parameters<typeof commitSite>[0]) =>
    commitSite(
      ctx,
      { id: "central", db: db(), store: null },
      {
        writes: [inSite("central").insert(tags).values(tag)],
        auditLog: [{ subject: "tag", action: "saved", id: "news" }],
      },
    )

  test("writes the entry with its change and forwards it in the background", async () => {
    await run(save)
    expect(await siteRows("select * from site_trail")).toEqual([])
    expect(await rows("select type, subject_id, store_id, store_seq from audit_entries")).toEqual([
      { type: "tag_saved", subject_id: "news", store_id: "central", store_seq: 0 },
    ])
  })

  test("forwards an entry exactly once after its Worker crashed", async () => {
    const ctx = createContext(env, () => undefined)
    await save({ ...ctx, inBackground: () => undefined })
    expect(await rows("select id from audit_entries")).toEqual([])
    await Promise.all([
      forwardOutboxes(ctx, db(), inSite("central")),
      forwardOutboxes(ctx, db(), inSite("central")),
      forwardDatabaseOutbox(ctx, "SITES_1"),
    ])
    expect(await rows("select type from audit_entries")).toEqual([{ type: "tag_saved" }])
  })

  test("adds no entry for a change that fails", async () => {
    await run(save)
    await expect(run(save)).rejects.toThrow()
    expect(await rows("select type from audit_entries")).toEqual([{ type: "tag_saved" }])
  })
})
