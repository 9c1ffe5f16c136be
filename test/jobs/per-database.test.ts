// Scheduled jobs that walk the site databases enqueue one message for each database with work, so each database has its
// own invocation and time budget.
import { env } from "cloudflare:workers"
import { expect, test, vi } from "vitest"
import { availableApps } from "../../src/apps/registry"
import { SCHEDULED_JOBS } from "../../src/jobs/cron"
import { cron } from "../support/app"
import { makeSecondDatabase } from "../support/second-database"

/** Due work for every such job: a mail, a leftover file and a notification. */
const DUE_WORK = [
  `insert into account_mails (site_id, purpose, recipient, locale, is_confirmed, is_counted, due_at, attempts, unconfirmed, created_at)
    values ('central', 'verify', 'a@example.com', 'en', 0, 1, 1, 0, 0, 1)`,
  "insert into media_orphans (site_id, path, due_at) values ('central', 'x.png', 1)",
  `insert into notifications (site_id, title, message, type, target, status, created_by_name, scheduled_at, created_at, updated_at)
    values ('central', 'Due', 'm', 'general', 'all', 'scheduled', 'x', 1, 1, 1)`,
]

test("enqueues one message for each database and kind of work, however much there is", async () => {
  await makeSecondDatabase()
  for (const database of [env.SITES_1, env.SITES_2])
    for (const statement of DUE_WORK) await database.exec(statement.replaceAll("\n", " "))
  await env.SITES_2.exec("insert into media_orphans (site_id, path, due_at) values ('central', 'y.png', 1)")
  for (const schedule of new Set(SCHEDULED_JOBS.map((job) => job.schedule))) await cron(schedule)
  const sent = [env.JOB_QUEUE, env.SLOW_JOB_QUEUE].flatMap(({ send }) =>
    vi.mocked(send).mock.calls.map(([body]) => body),
  )
  const walks = sent
    .flatMap((body) =>
      "database" in body ? [[body.job, ...("app" in body ? [body.app] : []), body.database].join(" ")] : [],
    )
    .sort()
  const hourlyApps = availableApps.filter(({ hourly }) => hourly).map(({ slug }) => `app_hourly ${slug}`)
  const kinds = ["account_mails", "audit_outbox", "due_notifications", "media", ...hourlyApps]
  expect(walks).toEqual(kinds.flatMap((kind) => [`${kind} SITES_1`, `${kind} SITES_2`]).sort())
})
