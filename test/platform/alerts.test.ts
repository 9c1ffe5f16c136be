// Alerts: each is caused by a fault, sent once, and sent once again on recovery. The runbooks describe the same steps.
import { env } from "cloudflare:workers"
import { beforeEach, describe, expect, test, vi } from "vitest"
import { createLog } from "../../src/core/log"
import { flushTransientErrors } from "../../src/core/metrics/transient-errors"
import { runScheduledJob } from "../../src/jobs/cron"
import { HOUR, MINUTE } from "../../src/lib/time"
import { countTransientError } from "../../src/lib/transient-errors"
import type { AlertName } from "../../src/platform/alerts/definitions"
import { getNextState } from "../../src/platform/alerts/rules"
import { evaluateAlerts, listAlertStatuses } from "../../src/platform/alerts/service"
import { backUpNextStores } from "../../src/platform/backups/nightly"
import { startBackup } from "../../src/platform/backups/service"
import { recordRuns } from "../../src/platform/cron/service"
import { measureSystem } from "../../src/platform/metrics/measure"
import { consume, cron, isolate, run, sendOperatorCommand, withSettings } from "../support/app"
import { makeRun } from "../support/cron-runs"
import { makeEndpoint, makeReadyStore } from "../support/factories"
import { type Fault, failBatches, failEveryOther, takeDown } from "../support/faults"
import { cronWithJobs, withJobs } from "../support/jobs"
import { mockReceiver } from "../support/receiver"
import { rows } from "../support/rows"
import { drainBatches, makeDelivery } from "../support/webhook-factories"

const HOOK = "https://alerts.example/hook"

let receiver: ReturnType<typeof mockReceiver>

beforeEach(async () => {
  vi.useFakeTimers({ toFake: ["Date"], now: new Date("2026-11-24T10:00:00Z") })
  isolate.env = withSettings({ TENANCY_ALERT_WEBHOOK_URL: HOOK })
  receiver = mockReceiver()
  vi.mocked(env.MAIL.send).mockResolvedValue({ messageId: "1" } as never)
  await env.DB.exec(
    "insert into operators (email, name, password_hash, disabled_at, created_at) values ('ada@example.com', 'Ada', '-', null, 1), ('gone@example.com', 'Gone', '-', 2, 1)",
  )
  await cron("* * * * *")
})

const monitor = () => run((ctx) => runScheduledJob(ctx, "system-metrics"))

/** Lets minutes pass; each runs the monitoring job, or the whole cron. */
async function passMinutes(minutes: number, work: () => Promise<unknown> = monitor): Promise<void> {
  for (let minute = 0; minute < minutes; minute++) {
    vi.setSystemTime(Date.now() + MINUTE)
    await work()
  }
}

const wholeCron = () => cronWithJobs("* * * * *")

/** The changes that were announced, by mail and by webhook. */
async function listAnnounced(alert: string) {
  const mails = await rows("select kind, recipient from mails where key like ? order by id", `alert:${alert}:%`)
  const posted = receiver.requests.filter(({ url }) => url === HOOK).map(({ body }) => JSON.parse(body))
  return {
    mails: mails.map(({ kind, recipient }) => `${kind} ${recipient}`),
    posted: posted.filter((message) => message.alert === alert).map(({ state }) => state),
  }
}

const FIRED = { mails: ["alert_firing ada@example.com"], posted: ["firing"] }
const RECOVERED = {
  mails: ["alert_firing ada@example.com", "alert_recovered ada@example.com"],
  posted: ["firing", "recovered"],
}

interface Scenario {
  /** Causes the fault. @returns ends it */
  cause: () => Promise<() => unknown>
  /** Runs in each minute of the recovery. */
  recoverWith?: () => Promise<unknown>
  /** Minutes until it fires and until it has recovered. */
  firesAfter: number
  recoversAfter: number
}

const replaceMetrics = (since: Date) =>
  vi
    .spyOn(env.RETRY_QUEUE, "metrics")
    .mockResolvedValue({ backlogCount: 3, backlogBytes: 9, oldestMessageTimestamp: since })

const SCENARIOS: Record<AlertName, Scenario> = {
  deliveries_late: {
    cause: async () => {
      await makeDelivery((await makeEndpoint()).id)
      return async () => {
        expect((await sendOperatorCommand("tenancy:webhooks-deliver")).body.data.queued).toBe(1)
        await drainBatches(isolate.env)
      }
    },
    firesAfter: 8,
    recoversAfter: 11,
  },
  scheduled_jobs_late: {
    cause: async () => () => undefined,
    recoverWith: wholeCron,
    firesAfter: 9,
    recoversAfter: 12,
  },
  scheduled_jobs_failing: {
    cause: async () => {
      await run((ctx) => recordRuns(ctx, [{ ...makeRun("order-digest"), error: "failed" }]))
      return () => run((ctx) => runScheduledJob(ctx, "order-digest"))
    },
    firesAfter: 3,
    recoversAfter: 11,
  },
  dead_letters: {
    cause: async () => {
      await consume("tenancy-dead", [{ job: "mails" }])
      return () => undefined
    },
    firesAfter: 3,
    recoversAfter: 68,
  },
  database_down: {
    cause: async () => {
      const down = takeDown(env.SITES_1)
      return down.restore
    },
    firesAfter: 3,
    recoversAfter: 11,
  },
  database_nearly_full: {
    cause: async () => {
      const prototype = Object.getPrototypeOf(env.SITES_1.prepare("select 1")) as D1PreparedStatement
      const { run: runStatement } = prototype
      const spy = vi.spyOn(prototype, "run").mockImplementation(async function (this: D1PreparedStatement) {
        const result = await runStatement.call(this)
        // biome-ignore lint/suspicious/noExplicitAny: results are passed through
        return { ...result, meta: { ...result.meta, size_after: 7_100_000_000 } } as any
      })
      return () => spy.mockRestore()
    },
    firesAfter: 3,
    recoversAfter: 11,
  },
  mail_refused: {
    cause: async () => {
      vi.mocked(env.MAIL.send).mockRejectedValue(new Error("refused"))
      await env.DB.exec(
        `insert into mails (key, kind, recipient, data, due_at, attempts, created_at) values ('x', 'open_orders', 'a@example.com', '{"count":1,"list":"-"}', 1, 0, 1)`,
      )
      await passMinutes(4, wholeCron)
      return () => vi.mocked(env.MAIL.send).mockResolvedValue({ messageId: "1" } as never)
    },
    recoverWith: wholeCron,
    firesAfter: 3,
    recoversAfter: 20,
  },
  faults_high: {
    cause: async () => {
      const flush = () => run(async (ctx) => flushTransientErrors(ctx.env, createLog({}), ctx.inBackground))
      for (let fault = 0; fault < 51; fault++) countTransientError("database")
      await flush()
      vi.setSystemTime(Date.now() + 10_000)
      await flush()
      return () => undefined
    },
    firesAfter: 3,
    recoversAfter: 20,
  },
  queue_stuck: {
    cause: async () => {
      const spy = replaceMetrics(new Date(Date.now() - 15 * MINUTE))
      return () => spy.mockRestore()
    },
    firesAfter: 3,
    recoversAfter: 11,
  },
  backups_late: {
    cause: async () => {
      await run((ctx) => backUpNextStores(ctx, 0))
      vi.setSystemTime(Date.now() + 36 * HOUR)
      // What the runbook advises.
      return () => withJobs(() => run((ctx) => runScheduledJob(ctx, "nightly-backups")))
    },
    firesAfter: 4,
    recoversAfter: 11,
  },
  backups_failing: {
    cause: async () => {
      const store = await makeReadyStore()
      await run((ctx) => startBackup(ctx, store))
      await env.DB.exec("update store_backups set phase = 'failed', due_at = null, error = 'the bucket is down'")
      return async () => {
        // What the runbook advises.
        await withJobs(() => sendOperatorCommand("stores:export", { store }))
        expect(await rows("select phase from store_backups order by id")).toEqual([
          { phase: "failed" },
          { phase: "done" },
        ])
      }
    },
    firesAfter: 3,
    recoversAfter: 11,
  },
}

describe("every alert", () => {
  test.each(Object.keys(SCENARIOS) as AlertName[])("%s is sent once, and once again on recovery", async (alert) => {
    const { cause, recoverWith, firesAfter, recoversAfter } = SCENARIOS[alert]
    const end = await cause()
    await passMinutes(firesAfter)
    expect(await listAnnounced(alert)).toEqual(FIRED)
    await passMinutes(2)
    await end()
    await passMinutes(recoversAfter, recoverWith)
    expect(await listAnnounced(alert)).toEqual(RECOVERED)
    await passMinutes(3, recoverWith)
    expect(await listAnnounced(alert)).toEqual(RECOVERED)
  })

  test("writes nothing while nothing changes", async () => {
    await passMinutes(3, wholeCron)
    expect(await rows("select name from alerts")).toEqual([])
  })
})

test("a recovery is announced without the normal value as a sentence", async () => {
  const { cause, firesAfter, recoversAfter } = SCENARIOS.scheduled_jobs_failing
  const end = await cause()
  await passMinutes(firesAfter)
  await end()
  await passMinutes(recoversAfter)
  await wholeCron()
  const [mail] = vi.mocked(env.MAIL.send).mock.calls.at(-1) as unknown as [{ subject: string; text: string }]
  expect(mail.subject).toBe("Tenancy: alert scheduled_jobs_failing recovered")
  expect(mail.text).toContain("The incident lasted from ")
  expect(mail.text).not.toContain("Scheduled jobs whose last run failed")
})

test("a firing alert is described by its latest value, and one that is recovering not by its normal one", async () => {
  const since = new Date("2026-11-24T10:00:00Z")
  const row = {
    name: "scheduled_jobs_late",
    isFiring: true,
    since,
    pendingSince: null,
    value: 600,
    version: 1,
  } as const
  const { metrics } = await run((ctx) => measureSystem(ctx, async () => ({ lateSeconds: 660, failing: 0 })))
  const describeAlert = (change: object, latest: typeof metrics | null = null) =>
    listAlertStatuses([{ ...row, ...change }], latest)[0]
  expect(describeAlert({})).toMatchObject({ state: "firing", description: "A scheduled job is 600 seconds late." })
  expect(describeAlert({}, metrics)).toMatchObject({ description: "A scheduled job is 660 seconds late." })
  expect(describeAlert({}, { ...metrics, cronLateSeconds: null })).toMatchObject({
    description: "A scheduled job is 600 seconds late.",
  })
  expect(describeAlert({ pendingSince: since, value: 0 }, metrics)).toMatchObject({
    state: "firing",
    description: "Back to normal. The alert ends after 10 minutes without a relapse.",
  })
})

describe("evaluateAlerts", () => {
  const measure = () => run((ctx) => measureSystem(ctx, async () => ({ lateSeconds: 0, failing: 0 })))
  const evaluate = async () => {
    const { metrics } = await measure()
    return run((ctx) => evaluateAlerts(ctx, { ...metrics, queueOldestSeconds: 901 }))
  }
  const mailsOf = async () => (await listAnnounced("queue_stuck")).mails

  test("announces a change once when two runs of the cron overlap", async () => {
    await evaluate()
    vi.setSystemTime(Date.now() + 2 * MINUTE)
    await Promise.all([evaluate(), evaluate(), evaluate()])
    expect(await mailsOf()).toEqual(FIRED.mails)
    expect(await rows("select id from alert_webhooks")).toEqual([{ id: "queue_stuck:2" }])
  })

  test.each<Fault>(["before", "after"])(
    "announces a change once when its commit fails %s it took effect",
    async (fault) => {
      await evaluate()
      vi.setSystemTime(Date.now() + 2 * MINUTE)
      const spy = failBatches((statements) => (statements > 2 ? fault : null))
      await evaluate()
      spy.mockRestore()
      expect(await mailsOf()).toEqual(fault === "before" ? [] : FIRED.mails)
      await evaluate()
      expect(await mailsOf()).toEqual(FIRED.mails)
    },
  )

  test("mails the sentence, the start of the incident and a link to the system page", async () => {
    await evaluate()
    vi.setSystemTime(Date.now() + 2 * MINUTE)
    await evaluate()
    await wholeCron()
    const [mail] = vi.mocked(env.MAIL.send).mock.calls.at(-1) as unknown as [{ subject: string; text: string }]
    expect(mail.subject).toBe("Tenancy: alert queue_stuck")
    expect(mail.text).toContain("A queue message has been waiting for 901 seconds.")
    expect(mail.text).toContain("since 2026-11-24T10:00:00+00:00")
    expect(mail.text).toContain("docs/operations/runbooks/queue-stuck.md")
    expect(mail.text).toContain("/console/system")
  })

  test("sends only mails without TENANCY_ALERT_WEBHOOK_URL", async () => {
    isolate.env = withSettings({ TENANCY_ALERT_WEBHOOK_URL: "" })
    await evaluate()
    vi.setSystemTime(Date.now() + 2 * MINUTE)
    await evaluate()
    expect([await mailsOf(), await rows("select id from alert_webhooks")]).toEqual([FIRED.mails, []])
  })
})

describe("the alert webhook", () => {
  const fire = async () => {
    replaceMetrics(new Date(Date.now() - HOUR))
    await passMinutes(3)
  }

  test("posts the documented JSON", async () => {
    await fire()
    expect(receiver.requests.map(({ url, body }) => [url, JSON.parse(body)])).toEqual([
      [
        HOOK,
        {
          id: "queue_stuck:2",
          alert: "queue_stuck",
          state: "firing",
          since: "2026-11-24T10:01:00+00:00",
          at: "2026-11-24T10:03:00+00:00",
          value: 3_780,
          threshold: 900,
          text: "Alert (Tenancy): queue_stuck. A queue message has been waiting for 3780 seconds.",
          runbook: "docs/operations/runbooks/queue-stuck.md",
          url: expect.stringContaining("/console/system"),
        },
      ],
    ])
  })

  test("is sent once when recording that fails once", async () => {
    const faults = failEveryOther('delete from "alert_webhooks"', "before")
    await fire()
    faults.mockRestore()
    await passMinutes(10)
    const ids = receiver.requests.map(({ body }) => JSON.parse(body).id)
    expect(ids.filter((id) => id === "queue_stuck:2")).toHaveLength(1)
  })

  test("is sent again with the same id after 2 and 4 minutes when the receiver fails, and then dropped after 7 attempts", async () => {
    receiver.spy.mockRestore()
    receiver = mockReceiver(new Response(null, { status: 500 }))
    await fire()
    await passMinutes(1)
    expect(receiver.requests).toHaveLength(1)
    await passMinutes(1)
    expect(receiver.requests).toHaveLength(2)
    await passMinutes(130)
    const ids = receiver.requests.map(({ body }) => JSON.parse(body).id).filter((id) => id.startsWith("queue_stuck"))
    expect(ids).toEqual(Array.from({ length: 7 }, () => "queue_stuck:2"))
    expect(await rows("select id from alert_webhooks where id like 'queue_stuck%'")).toEqual([])
  })
})

describe("getNextState", () => {
  const now = new Date("2026-11-24T10:00:00Z")
  const ago = (ms: number) => new Date(now.getTime() - ms)
  const alert = { threshold: 10, recovery: 5 }
  const ok = { isFiring: false, since: ago(HOUR), pendingSince: null, value: 0 }
  const firing = { isFiring: true, since: ago(HOUR), pendingSince: null, value: 20 }

  test.each([
    ["at the threshold", ok, 10, null],
    ["above it", ok, 11, { pendingSince: now, isFiring: false }],
    ["above it for two minutes less a millisecond", { ...ok, pendingSince: ago(2 * MINUTE - 1) }, 11, null],
    ["above it for two minutes", { ...ok, pendingSince: ago(2 * MINUTE) }, 11, { isFiring: true, pendingSince: null }],
    [
      "back at the threshold while pending",
      { ...ok, pendingSince: ago(MINUTE) },
      10,
      { pendingSince: null, isFiring: false },
    ],
    ["firing and between both limits", firing, 6, null],
    ["firing and at the recovery value", firing, 5, { pendingSince: now, isFiring: true }],
    [
      "firing and above it again",
      { ...firing, pendingSince: ago(9 * MINUTE) },
      6,
      { pendingSince: null, isFiring: true },
    ],
    [
      "recovered for ten minutes",
      { ...firing, pendingSince: ago(10 * MINUTE) },
      5,
      { isFiring: false, pendingSince: null },
    ],
    ["not measured", { ...firing, pendingSince: ago(HOUR) }, null, null],
  ])("changes the state of an alert that is %s accordingly", (_, state, value, expected) => {
    const next = getNextState(alert, state, value, now)
    if (expected === null) expect(next).toBeNull()
    else expect(next?.state).toMatchObject(expected)
  })
})
