// Backups contain every row and file of a store, are taken of changed stores only, and are deleted when they expire.
import { env } from "cloudflare:workers"
import { describe, expect, test, vi } from "vitest"
import { DAY, HOUR, MINUTE } from "../../src/lib/time"
import type { Manifest } from "../../src/platform/backups/manifest"
import { backUpNextStores } from "../../src/platform/backups/nightly"
import { pruneBackups } from "../../src/platform/backups/prune"
import { listOverdueBackups, runBackup } from "../../src/platform/backups/service"
import { removeStore } from "../../src/platform/stores/remove"
import { consume, isolate, run, sendOperatorCommand } from "../support/app"
import { finishBackup, listBackupKeys, makeBackup } from "../support/backups"
import { checkedEnv } from "../support/checked-database"
import { makeSite } from "../support/content-writes"
import { makeReadyStore } from "../support/factories"
import { failRoundTrips } from "../support/faults"
import { makeMediaClient, upload } from "../support/media-factories"
import { rows, siteRows } from "../support/rows"
import { makeSiteWithData, readSiteRows } from "../support/site-migration"

async function readManifest(): Promise<Manifest> {
  const key = (await listBackupKeys()).find((name) => name.includes("/backups/")) ?? ""
  return JSON.parse((await (await env.BACKUPS.get(key))?.text()) ?? "null")
}

/** Reads the lines of parts. */
async function readLines(seq: unknown, parts: readonly { sha256: string }[]): Promise<string[]> {
  const texts = parts.map(async ({ sha256 }) => (await env.BACKUPS.get(`${seq}/blobs/${sha256}`))?.text() ?? "")
  return (await Promise.all(texts)).flatMap((text) => text.split("\n"))
}

const seqOf = async (store: string) => Number((await rows("select seq from stores where id = ?", store))[0]?.seq)

const sentMessages = (job: string) =>
  vi
    .mocked(env.SLOW_JOB_QUEUE.send)
    .mock.calls.map(([message]) => message)
    .filter((message) => message.job === job)

/** Runs the nightly job and the backups that it starts. */
async function runNight(settings: { now?: Date } = {}): Promise<string[]> {
  await env.DB.exec("delete from locks")
  await run((ctx) => backUpNextStores(ctx, 0), settings)
  const started = await rows("select store_id as id from store_backups where due_at is not null")
  const ids = started.map(({ id }) => String(id))
  for (const id of ids) await finishBackup(id)
  return ids
}

describe("a backup", () => {
  test("contains every row of the site except logins and work in progress", async () => {
    const site = await makeSiteWithData()
    const before = await readSiteRows("SITES_1", site.store)
    await makeBackup(site.store)
    const { tables } = await readManifest()
    const stored = await Promise.all(
      tables.map(async ({ name, columns, parts }) => {
        const lines = await readLines(await seqOf(site.store), parts)
        const objects = lines.map((line) =>
          Object.fromEntries(JSON.parse(line).map((value: unknown, index: number) => [columns[index], value])),
        )
        return [name, objects.map((row) => JSON.stringify(row)).sort()] as const
      }),
    )
    const excluded = [
      "user_tokens",
      "reset_tokens",
      "mailed_tokens",
      "staff_invitations",
      "push_claims",
      "media_orphans",
      "site_incarnations",
    ]
    for (const table of excluded) delete before[table]
    const counters = before.counters?.filter((row) => !JSON.parse(row).list.match(/:|^version$/))
    expect(Object.fromEntries(stored.filter(([, lines]) => lines.length && lines[0] !== "{}"))).toEqual({
      ...before,
      counters,
    })
    expect(await siteRows("select * from held_sites")).toEqual([])
  })

  test("contains the store's own rows of the central database, and its files", async () => {
    const store = await makeReadyStore()
    const media = await makeMediaClient(store)
    const { body } = await upload(media, "a.txt", "text")
    const large = new Uint8Array(5_000_000).fill(7)
    await upload(media, "b.bin", large)
    await makeBackup(store)
    const { central, files } = await readManifest()
    expect(central).toMatchObject({
      store: { id: store },
      domains: [{ domain: `${store}.localhost` }],
      serverTokens: [{ name: expect.any(String), hash: expect.stringMatching(/^[0-9a-f]{64}$/) }],
    })
    const entries = (await readLines(await seqOf(store), files)).map((line) => JSON.parse(line))
    expect(entries.map(({ size }) => size)).toEqual([4, 5_000_000])
    const blob = await env.BACKUPS.get(`${await seqOf(store)}/blobs/${entries[0].sha256}`)
    expect([await blob?.text(), blob?.httpMetadata?.contentType]).toEqual(["text", "text/plain"])
    expect(body.url).toContain(entries[0].path)
    const [listed] = (await sendOperatorCommand("backups:list", { store })).body.data
    expect(listed).toMatchObject({ store, state: "done", files: 2, error: null })
  })

  test("copies only what changed since the previous backup", async () => {
    const store = await makeReadyStore()
    const media = await makeMediaClient(store)
    await upload(media, "a.txt", "one")
    await makeBackup(store)
    const before = await listBackupKeys(`${await seqOf(store)}/blobs/`)
    await upload(media, "b.txt", "two")
    const read = vi.spyOn(env.MEDIA, "get")
    await makeBackup(store)
    // The new file is read once, early; the other one not at all.
    expect(read).toHaveBeenCalledTimes(1)
    const added = (await listBackupKeys(`${await seqOf(store)}/blobs/`)).filter((key) => !before.includes(key))
    // The file, its row, the totals, and the lists of files.
    expect(added.length).toBeLessThanOrEqual(4)
  })

  test("refuses writes only while its rows are copied, and includes a file that was uploaded before", async () => {
    const site = await makeSite()
    const { body } = await sendOperatorCommand("stores:export", { store: site.store })
    const step = async () => {
      await env.DB.exec("delete from locks")
      await run((ctx) => runBackup(ctx, site.store, body.data.id))
    }
    await step()
    expect((await upload(site.media, "late.txt", "late")).status).toBe(201)
    let statusWhileLocked = 0
    const list = env.MEDIA.list.bind(env.MEDIA)
    vi.spyOn(env.MEDIA, "list").mockImplementationOnce(async (options) => {
      statusWhileLocked = (await upload(site.media, "refused.txt", "refused")).status
      return list(options)
    })
    await step()
    expect(statusWhileLocked).toBe(503)
    expect((await upload(site.media, "after.txt", "after")).status).toBe(201)
    const { files } = await readManifest()
    const entries = (await readLines(await seqOf(site.store), files)).map((line) => JSON.parse(line).path)
    expect(entries.filter((path) => path.endsWith("late.txt"))).toHaveLength(1)
    expect(entries.filter((path) => path.endsWith("after.txt"))).toEqual([])
  })

  test("resumes after a failure before or after any round trip, with the same manifest", async () => {
    const site = await makeSite()
    await upload(site.media, "a.txt", "text")
    let expected: unknown
    let trips = 0
    for (const fault of ["before", "after"] as const) {
      for (let at = 0; at === 0 || at < trips; at++) {
        const { body } = await sendOperatorCommand("stores:export", { store: site.store })
        let made = 0
        for (let run_ = 0; run_ < 8; run_++) {
          await env.DB.exec("delete from locks")
          const faults = failRoundTrips(() => (made++ === at ? fault : null))
          await run((ctx) => runBackup(ctx, site.store, body.data.id)).catch(() => undefined)
          faults.mockRestore()
        }
        trips = made
        const [row] = await rows("select phase, rows, files, bytes from store_backups where id = ?", body.data.id)
        expected ??= row
        expect(row, `${fault} ${at}`).toEqual(expected)
        expect(await siteRows("select * from held_sites"), `${fault} ${at}`).toEqual([])
      }
    }
    expect(expected).toMatchObject({ phase: "done", files: 1 })
    expect(trips).toBeGreaterThan(10)
  }, 120_000)

  test("that cannot be marked as done at first does not cover what is written meanwhile", async () => {
    const store = await makeReadyStore()
    const isLastWrite = ([sql = ""]: string[]) => /^update "store_backups" set "phase" = .*"manifest_hash"/.test(sql)
    let failed = 0
    const faults = failRoundTrips((statements) => (isLastWrite(statements) && ++failed < 10 ? "before" : null))
    const { body } = await sendOperatorCommand("stores:export", { store })
    const step = async () => {
      await env.DB.exec("delete from locks")
      await run((ctx) => runBackup(ctx, store, body.data.id))
    }
    await step()
    await expect(step()).rejects.toThrow("network connection lost")
    faults.mockRestore()
    expect(failed).toBeGreaterThan(0)
    expect(await siteRows("select * from held_sites")).toEqual([])
    await sendOperatorCommand("pages:save", { site: store, name: "About", slug: "about", content: "x" })
    await step()
    expect(await rows("select phase from store_backups")).toEqual([{ phase: "done" }])
    expect(await runNight()).toEqual([store])
  })

  test("resumes after an error of the bucket, and when a message is lost or arrives twice", async () => {
    const site = await makeSite()
    const { body } = await sendOperatorCommand("stores:export", { store: site.store })
    const [message] = sentMessages("backup")
    if (message?.job !== "backup") throw new Error("no message was sent")
    const put = vi.spyOn(env.BACKUPS, "put").mockRejectedValueOnce(new Error("R2: internal error"))
    expect((await consume("tenancy-slow-jobs", [message])).retryMessages).toHaveLength(1)
    put.mockRestore()
    await Promise.all([consume("tenancy-slow-jobs", [message]), consume("tenancy-slow-jobs", [message])])
    expect(sentMessages("backup")).toHaveLength(2)
    await env.DB.exec("delete from locks")
    const later = new Date(Date.now() + MINUTE)
    expect(await run((ctx) => listOverdueBackups(ctx, 10), { now: later })).toEqual([
      { store: site.store, backup: body.data.id },
    ])
    await finishBackup(site.store)
    expect(await rows("select phase from store_backups")).toEqual([{ phase: "done" }])
  })

  test("fails and unlocks the store when it would lock it for more than ten minutes", async () => {
    const site = await makeSite()
    await sendOperatorCommand("stores:export", { store: site.store })
    const [message] = sentMessages("backup")
    if (message?.job !== "backup") throw new Error("no message was sent")
    await consume("tenancy-slow-jobs", [message])
    await env.DB.exec("delete from locks")
    const head = vi.spyOn(env.BACKUPS, "head").mockRejectedValue(new Error("R2: internal error"))
    await consume("tenancy-slow-jobs", [message])
    head.mockRestore()
    expect(await siteRows("select count(*) as n from held_sites")).toEqual([{ n: 1 }])
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 11 * MINUTE })
    await run((ctx) => runBackup(ctx, site.store, message.backup))
    expect(await siteRows("select count(*) as n from held_sites")).toEqual([{ n: 0 }])
    const [backup] = await rows("select phase, error, due_at from store_backups")
    expect(backup).toMatchObject({ phase: "failed", due_at: null, error: expect.stringContaining("10 minutes") })
  })

  test("excludes a migration of the same store, and the other way round", async () => {
    const site = await makeSite()
    await env.DB.prepare(
      "insert into store_moves (store_id, store_seq, move, source, target, phase, due_at, created_at) values (?, 1, 'm', 'SITES_1', 'SITES_2', 'copying', 1, 1)",
    )
      .bind(site.store)
      .run()
    expect((await sendOperatorCommand("stores:export", { store: site.store })).status).toBe(409)
    await env.DB.exec("delete from store_moves")
    expect((await sendOperatorCommand("stores:export", { store: site.store })).status).toBe(200)
    const response = await sendOperatorCommand("site-moves:create", { site: site.store, to: "SITES_2" })
    expect(response.body.error?.code ?? response.body.code).toBe("illegal_transition")
  })
})

describe("the nightly backups", () => {
  test("back up the stores that changed, and every store once a week", async () => {
    const [first, second] = [await makeReadyStore(), await makeReadyStore()]
    expect((await runNight()).sort()).toEqual([first, second].sort())
    expect(await runNight()).toEqual([])
    await sendOperatorCommand("pages:save", { site: second, name: "About", slug: "about", content: "x" })
    expect(await runNight()).toEqual([second])
    await env.DB.prepare("update store_backups set created_at = created_at - ? where store_id = ?")
      .bind(7 * DAY, first)
      .run()
    expect(await runNight()).toEqual([first])
  })

  test("do nothing when TENANCY_BACKUP_DAYS is 0", async () => {
    await makeReadyStore()
    isolate.env = checkedEnv({ TENANCY_BACKUP_DAYS: "0" })
    expect(await runNight()).toEqual([])
  })
})

describe("expired backups", () => {
  const prune = async (store: string, seq: number, now: Date) => {
    await env.DB.exec("delete from locks")
    await run((ctx) => pruneBackups(ctx, { store, seq }), { now })
  }

  test("are deleted with the blobs that no other backup contains", async () => {
    const store = await makeReadyStore()
    const media = await makeMediaClient(store)
    const { body } = await upload(media, "a.txt", "one")
    await upload(media, "b.txt", "two")
    const expired = await makeBackup(store)
    await media("DELETE", `/files/${body.id}`)
    await media("DELETE", `/trash/files/${body.id}`)
    await env.MEDIA.delete(
      (await env.MEDIA.list({ prefix: `${store}/` })).objects.find(({ size }) => size === 3)?.key ?? "",
    )
    const retained = await makeBackup(store)
    await env.DB.prepare("update store_backups set created_at = created_at - ? where id = ?")
      .bind(31 * DAY, expired)
      .run()
    const seq = await seqOf(store)
    await prune(store, seq, new Date())
    expect(await rows("select id from store_backups")).toEqual([{ id: retained }])
    const { tables, files } = await readManifest()
    const entries = (await readLines(seq, files)).map((line) => JSON.parse(line))
    const used = [...tables.flatMap(({ parts }) => parts), ...files, ...entries].map(({ sha256 }) => sha256)
    const left = (await listBackupKeys(`${seq}/blobs/`)).map((key) => key.split("/").at(-1))
    expect(left.sort()).toEqual([...new Set(used)].sort())
  })

  test("of an existing store are retained when there is no newer one", async () => {
    const store = await makeReadyStore()
    const backup = await makeBackup(store)
    await prune(store, await seqOf(store), new Date(Date.now() + 400 * DAY))
    expect(await rows("select id from store_backups")).toEqual([{ id: backup }])
  })

  test("of a deleted store are all deleted after the retention period, with every object", async () => {
    const store = await makeReadyStore()
    await makeBackup(store)
    const seq = await seqOf(store)
    await run((ctx) => removeStore(ctx, store, { confirm: store, reason: "console" }))
    await prune(store, seq, new Date(Date.now() + 30 * DAY - HOUR))
    expect(await rows("select 1 from store_backups")).toHaveLength(1)
    await run((ctx) => backUpNextStores(ctx, 0), { now: new Date(Date.now() + 30 * DAY + HOUR) })
    const batches = vi
      .mocked(env.SLOW_JOB_QUEUE.sendBatch)
      .mock.calls.flatMap(([sent]) => [...sent].map(({ body }) => body))
    expect(batches).toEqual([{ job: "backup-prune", store, seq }])
    await prune(store, seq, new Date(Date.now() + 30 * DAY + HOUR))
    expect(await rows("select 1 from store_backups")).toEqual([])
    expect(await listBackupKeys()).toEqual([])
  })
})
