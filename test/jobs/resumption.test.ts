// Which cron jobs resume each kind of job. One whose Worker died left a lease, which `stalled-jobs` resumes; the
// scheduled job that the kind declares finds the work in its rows. No other scheduled job does either.
import { env } from "cloudflare:workers"
import { describe, expect, test, vi } from "vitest"
import { PartialInput } from "../../src/core/http/input"
import { enqueueJob } from "../../src/core/queue/leased-jobs"
import type { Job, JobKind } from "../../src/core/queue/messages"
import { runScheduledJob, SCHEDULED_JOBS, type ScheduledJobName } from "../../src/jobs/cron"
import { RESUMED_BY } from "../../src/jobs/queue"
import { DAY, MINUTE } from "../../src/lib/time"
import { startExport } from "../../src/platform/exports/service"
import { startSiteMigration } from "../../src/platform/site-migration/service"
import { removeStore } from "../../src/platform/stores/remove"
import { removeEndpoint } from "../../src/webhooks/endpoints/service"
import { recoverEndpoint } from "../../src/webhooks/recovery/service"
import { rehomeEndpoint } from "../../src/webhooks/rehoming/service"
import { run, sendOperatorCommand } from "../support/app"
import { addEntries, ageEntries } from "../support/archives"
import { makeBackup } from "../support/backups"
import { makeDeliveryDatabases } from "../support/delivery-databases"
import { makeEndpoint, makeReadyStore, makeStore } from "../support/factories"
import { withJobs } from "../support/jobs"
import { mockReceiver } from "../support/receiver"
import { count, rows, siteRows } from "../support/rows"
import { makeSecondDatabase } from "../support/second-database"
import { readDatabase } from "../support/site-migration"
import { makeSubscribedStore } from "../support/subscription-factories"
import { emitEvent, makeDelivery } from "../support/webhook-factories"

/** Work of a job: the step that was interrupted, and whether the job is done. */
interface Work {
  job: Job
  isDone: () => Promise<boolean>
}

const hasRow = async (sql: string, ...params: unknown[]) => (await rows(sql, ...params)).length > 0

const seqOf = async (store: string) => Number((await rows("select seq from stores where id = ?", store))[0]?.seq)

async function makeNotification(status: "scheduled" | "sending"): Promise<Work["isDone"]> {
  await env.SITES_1.prepare(
    `insert into notifications (site_id, title, message, type, target, status, scheduled_at, created_by_name, created_at, updated_at)
      values ('central', 't', 'm', 'general', 'all', ?, 1, 'x', 1, 1)`,
  )
    .bind(status)
    .run()
  return async () => (await siteRows("select id from notifications where filled_at is not null")).length === 1
}

/** Makes the work of each kind of job. Its first message was lost. */
const WORK: Record<JobKind, () => Promise<Work>> = {
  route: async () => {
    await makeEndpoint()
    await env.DB.exec(
      "insert into webhook_events (seq, id, type, is_test, payload, created_at) select coalesce(max(seq), 0) + 1, '01M00000000000000000000000', 'store.ready', 0, '{}', 1 from webhook_events",
    )
    return { job: { job: "route" }, isDone: async () => (await count("webhook_deliveries")) === 1 }
  },
  provision: async () => {
    const store = await makeStore()
    return {
      job: { job: "provision", store },
      isDone: () => hasRow("select 1 from stores where id = ? and status = 'ready'", store),
    }
  },
  purge: async () => {
    const store = await makeReadyStore()
    const seq = await seqOf(store)
    await run((ctx) => removeStore(ctx, store, { confirm: store, reason: "api" }))
    return { job: { job: "purge", store, seq }, isDone: async () => (await count("purges")) === 0 }
  },
  move: async () => {
    await makeSecondDatabase()
    const store = await makeReadyStore()
    await run((ctx) => startSiteMigration(ctx, store, new PartialInput({ to: "SITES_2" }, {}, ["to"])))
    return {
      job: { job: "move", store, seq: await seqOf(store) },
      isDone: async () => (await readDatabase(store)) === "SITES_2",
    }
  },
  backup: async () => {
    const store = await makeReadyStore()
    const backup = String((await sendOperatorCommand("stores:export", { store })).body.data.id)
    return {
      job: { job: "backup", store, backup },
      isDone: () => hasRow("select 1 from store_backups where id = ? and phase = 'done'", backup),
    }
  },
  restore: async () => {
    const store = await makeReadyStore()
    await makeBackup(store)
    const { data } = (await sendOperatorCommand("stores:restore", { store })).body
    const restore = String((await rows("select id from store_restores"))[0]?.id)
    expect(data).toBeDefined()
    return {
      job: { job: "restore", store, restore },
      isDone: () => hasRow("select 1 from store_restores where id = ? and phase = 'done'", restore),
    }
  },
  export: async () => {
    const store = await makeReadyStore()
    await run((ctx) => startExport(ctx, store, "owner@example.com"))
    return {
      job: { job: "export", store },
      isDone: () => hasRow("select 1 from store_exports where phase = 'done'"),
    }
  },
  backups: async () => {
    await makeReadyStore()
    return {
      job: { job: "backups", after: 0 },
      isDone: () => hasRow("select 1 from store_backups where phase = 'done'"),
    }
  },
  "backup-prune": async () => {
    const store = await makeReadyStore()
    const backup = await makeBackup(store)
    await env.DB.prepare("update store_backups set store_deleted_at = 1 where id = ?").bind(backup).run()
    return {
      job: { job: "backup-prune", store, seq: await seqOf(store) },
      isDone: async () => !(await hasRow("select 1 from store_backups where id = ?", backup)),
    }
  },
  endpoint: async () => {
    const { id: endpoint } = await makeEndpoint()
    await makeDelivery(endpoint, { status: "delivered", attempt: 1, nextAttemptAt: null })
    await run((ctx) => removeEndpoint(ctx, endpoint))
    return { job: { job: "endpoint", endpoint }, isDone: async () => (await count("webhook_endpoints")) === 0 }
  },
  rehome: async () => {
    await makeDeliveryDatabases("DB,WEBHOOKS_1")
    const { id: endpoint } = await makeEndpoint()
    await makeDelivery(endpoint, { status: "delivered", attempt: 1, nextAttemptAt: null })
    await run((ctx) => rehomeEndpoint(ctx, endpoint, new PartialInput({ to: "WEBHOOKS_1" }, {}, ["to"])))
    return {
      job: { job: "rehome", endpoint },
      isDone: () => hasRow("select 1 from webhook_endpoints where database = 'WEBHOOKS_1'"),
    }
  },
  mails: async () => {
    vi.mocked(env.MAIL.send).mockResolvedValue({ messageId: "1" } as never)
    await env.DB.exec(
      `insert into mails (key, kind, recipient, data, due_at, attempts, created_at) values ('x', 'open_orders', 'a@example.com', '{"count":1,"list":"-"}', 1, 0, ${Date.now()})`,
    )
    return { job: { job: "mails" }, isDone: () => hasRow("select 1 from mails where sent_at is not null") }
  },
  account_mails: async () => {
    vi.mocked(env.MAIL.send).mockResolvedValue({ messageId: "1" } as never)
    await env.SITES_1.prepare(
      `insert into account_mails (site_id, purpose, recipient, locale, is_confirmed, is_counted, due_at, attempts, unconfirmed, created_at)
        values ('central', 'email_changed', 'a@example.com', 'en', 1, 1, 0, 0, 0, ?)`,
    )
      .bind(Date.now())
      .run()
    return {
      job: { job: "account_mails", database: "SITES_1" },
      isDone: async () => (await siteRows("select 1 from account_mails")).length === 0,
    }
  },
  billing: async () => {
    const ended = new Date(Date.now() - MINUTE)
    const store = await makeSubscribedStore({ status: "trialing", trialEndsAt: ended, currentPeriodEndsAt: null })
    return {
      job: { job: "billing", after: 0, at: Date.now() },
      isDone: () => hasRow("select 1 from subscriptions where store_id = ? and status <> 'trialing'", store),
    }
  },
  usage: async () => {
    const store = await makeReadyStore()
    await env.DB.exec("delete from usage_snapshots")
    return {
      job: { job: "usage", after: 0 },
      isDone: () => hasRow("select 1 from usage_snapshots where store_id = ?", store),
    }
  },
  media: async () => {
    await env.SITES_1.exec("insert into media_orphans (site_id, path, due_at) values ('central', 'x.png', 1)")
    return {
      job: { job: "media", database: "SITES_1" },
      isDone: async () => (await siteRows("select 1 from media_orphans")).length === 0,
    }
  },
  recovery: async () => {
    mockReceiver()
    const { id: endpoint } = await makeEndpoint({ isActive: false })
    await emitEvent()
    await env.DB.exec("update webhook_endpoints set is_active = 1")
    const since = new Date(Date.now() - MINUTE)
    await run((ctx) => recoverEndpoint(ctx, endpoint, { mode: "missed", since }))
    return {
      job: { job: "recovery", endpoint },
      isDone: () => hasRow("select 1 from webhook_deliveries where status = 'delivered'"),
    }
  },
  notify: async () => {
    const isDone = await makeNotification("sending")
    const [row] = await siteRows("select id from notifications")
    return { job: { job: "notify", database: "SITES_1", notification: Number(row?.id) }, isDone }
  },
  due_notifications: async () => {
    const isDone = await makeNotification("scheduled")
    return { job: { job: "due_notifications", database: "SITES_1" }, isDone }
  },
  audit_outbox: async () => {
    const entry = JSON.stringify({
      storeId: "central",
      storeSeq: 0,
      type: "post_created",
      subject: "post",
      data: {},
      actorType: "system",
      actorName: "system",
      interface: "system",
    })
    await env.SITES_1.prepare("insert into site_trail (id, site_id, entry, created_at) values ('x', 'central', ?, 1)")
      .bind(entry)
      .run()
    return {
      job: { job: "audit_outbox", database: "SITES_1" },
      isDone: async () => (await siteRows("select 1 from site_trail")).length === 0,
    }
  },
  archive: async () => {
    await addEntries(await makeStore(), 1, 200)
    await ageEntries(100)
    return {
      job: { job: "archive", log: "audit", at: Date.now() },
      isDone: async () => (await count("audit_entries")) === 0,
    }
  },
  app_hourly: async () => {
    await env.SITES_1.prepare(
      `insert into orders (site_id, user_id, status, currency, total_cents, created_at, updated_at)
        values ('central', 1, 'pending', 'EUR', 1, ?, 1)`,
    )
      .bind(Date.now() - 2 * DAY)
      .run()
    return {
      job: { job: "app_hourly", app: "ecommerce", database: "SITES_1" },
      isDone: async () => (await siteRows("select 1 from orders where status = 'pending'")).length === 0,
    }
  },
}

/** Long enough for every lease to expire, and for every row to count as forgotten. */
const FORGOTTEN_AFTER = 20 * MINUTE

/** Makes work and lets time pass. With a lease, its Worker died in the step. */
async function abandonWork(kind: keyof typeof WORK, { hasLease }: { hasLease: boolean }): Promise<Work> {
  const work = await WORK[kind]()
  await env.DB.exec("delete from locks")
  if (hasLease) await run((ctx) => enqueueJob(ctx, work.job))
  vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + FORGOTTEN_AFTER })
  expect(await work.isDone()).toBe(false)
  return work
}

const runWithJobs = (name: ScheduledJobName) => withJobs(() => run((ctx) => runScheduledJob(ctx, name)))

describe.each(Object.keys(WORK) as (keyof typeof WORK)[])("a job of the kind %s", (kind) => {
  const declared = RESUMED_BY[kind]

  test("is finished by `stalled-jobs` after its Worker died", async () => {
    const { isDone } = await abandonWork(kind, { hasLease: true })
    await runWithJobs("stalled-jobs")
    expect(await isDone()).toBe(true)
  })

  test.each([true, false])(
    `is finished by \`${declared}\` after its Worker died, with a lease: %s`,
    async (hasLease) => {
      const { isDone } = await abandonWork(kind, { hasLease })
      await runWithJobs(declared)
      expect(await isDone()).toBe(true)
    },
  )

  test("is finished by no other scheduled job", async () => {
    const { isDone } = await abandonWork(kind, { hasLease: true })
    for (const { name } of SCHEDULED_JOBS) if (name !== "stalled-jobs" && name !== declared) await runWithJobs(name)
    expect(await isDone()).toBe(false)
  })
})
