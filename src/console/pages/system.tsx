// Alerts, metrics, scheduled jobs, dead letters, the billing clock, databases and settings.

import type { Context } from "hono"
import * as z from "zod"
import { rowId } from "../../core/http/row-id"
import { violates } from "../../core/http/validation"
import { type DeadLetter, rerunDeadLetter } from "../../core/queue/dead-letters"
import type { FailingJob } from "../../core/queue/leased-jobs"
import { deployedVersion } from "../../env"
import { getNextRun, listOverdueJobs, runScheduledJob, SCHEDULED_JOBS } from "../../jobs/cron"
import { hasFourDigitYear } from "../../lib/time"
import { ActionButton, Checkbox, Field, Form } from "../../page-kit/form"
import type { FormState } from "../../page-kit/form-state"
import { Badge, formatBytes, formatNumber, Json, Time } from "../../page-kit/parts"
import { Table } from "../../page-kit/table"
import { useView } from "../../page-kit/view"
import { readBackupOverview } from "../../platform/backups/health"
import type { CronRun } from "../../platform/cron/service"
import { readSystemPage } from "../../platform/metrics/system"
import { runOrPreviewBilling } from "../../platform/subscriptions/clock"
import { readDatabaseSizes, readSettings } from "../../platform/system/service"
import { recentPassword } from "../form-access"
import { handleForm, NoFields } from "../forms"
import { page } from "../kit/page"
import { withNotice } from "../notices"
import { parseQuery } from "../query-params"
import { createPages } from "../router"
import { W } from "../strings"
import type { ConsoleEnv } from "../types"
import { BackupSection } from "./system-backups"
import { AlertTable, MetricsCharts, QueueTable } from "./system-metrics"
import { ProblemCard, Section } from "./system-section"

const PATH = "/console/system"

const MetricsQuery = z.object({ span: z.enum(["day", "week", "month"]).default("day") })

const RunJobForm = z.object({ job: z.string().min(1).max(100) })

const dateTime = z
  .string()
  .refine((value) => hasFourDigitYear(new Date(value)), { ...violates("date"), abort: true })
  .transform((value) => new Date(/[zZ]|[+-]\d\d:?\d\d$/.test(value) ? value : `${value}Z`))

const RunClockForm = z.object({
  at: dateTime.optional(),
  store: z.string().min(1).max(63).optional(),
  dry_run: z.boolean().default(false),
})

export const system = createPages()
  .get(PATH, (c) => renderSystem(c))
  .post(`${PATH}/cron`, recentPassword("admin", "run a scheduled job"), (c) =>
    handleForm(
      c,
      RunJobForm,
      async ({ job }) => {
        await runScheduledJob(c.var.ctx, job)
        return withNotice(`${PATH}#cron`, "ran")
      },
      (state) => renderSystem(c, state),
    ),
  )
  .post(`${PATH}/dead-letters/:id/run`, recentPassword("admin", "retry a failed message"), (c) =>
    handleForm(
      c,
      NoFields,
      async () => {
        await rerunDeadLetter(c.var.ctx, rowId(c.req.param("id")))
        return withNotice(`${PATH}#letters`, "ran")
      },
      (state) => renderSystem(c, state),
    ),
  )
  .post(`${PATH}/billing`, recentPassword("finance", "run the billing clock"), (c) =>
    handleForm(
      c,
      RunClockForm,
      async ({ dry_run, ...input }) => {
        const result = await runOrPreviewBilling(c.var.ctx, { ...input, dryRun: dry_run })
        return page(c, {
          title: dry_run ? W.system.clock_preview : W.system.clock_result,
          crumbs: [[W.system.title, PATH]],
          children: <Json value={result} />,
        })
      },
      (state) => renderSystem(c, state),
    ),
  )

async function renderSystem(c: Context<ConsoleEnv>, state?: FormState) {
  const { ctx } = c.var
  const { span } = parseQuery(c, MetricsQuery).input
  const [{ alerts, slots, latest, runs, failingJobs, deadLetters }, backups, databases] = await Promise.all([
    readSystemPage(ctx, span),
    readBackupOverview(ctx),
    readDatabaseSizes(ctx),
  ])
  const overdue = listOverdueJobs(runs, ctx.now)
  const firing = alerts.filter(({ state }) => state === "firing").length
  const unavailable = databases.filter(({ bytes }) => bytes === null).length
  const waiting = deadLetters.filter(({ rerunAt }) => rerunAt === null).length
  const settings = [{ name: W.system.version, value: deployedVersion(ctx.env) }, ...readSettings(ctx)]
  return page(c, {
    title: W.system.title,
    state,
    children: (
      <>
        <ProblemCard
          problems={[
            [firing, W.system.firing(firing), "alerts"],
            [overdue.length, W.system.not_on_time(overdue.length), "cron"],
            [failingJobs.length, W.failingJobs.failing(failingJobs.length), "failing-jobs"],
            [waiting, W.deadLetters.waiting(waiting), "letters"],
            [backups.failed.length, W.backupOverview.failing(backups.failed.length), "backups"],
            [unavailable, W.system.unavailable(unavailable), "databases"],
          ]}
        />
        <AlertTable alerts={alerts} firing={firing} />
        <ScheduledJobs runs={runs} overdue={overdue} now={ctx.now} />
        <FailingJobs jobs={failingJobs} />
        <Section
          title={W.deadLetters.title}
          id="letters"
          summary={formatNumber(deadLetters.length)}
          problem={waiting > 0 && W.deadLetters.waiting(waiting)}
        >
          {deadLetters.length === 0 ? <p>{W.deadLetters.none}</p> : <DeadLetterTable rows={deadLetters} />}
        </Section>
        <BackupSection backups={backups} />
        <QueueTable latest={latest} />
        <DatabaseTable rows={databases} unavailable={unavailable} />
        <BillingClock />
        <Section title={W.system.settings} id="settings" summary={formatNumber(settings.length)}>
          <Table
            label={W.system.settings}
            rows={settings}
            columns={[
              { head: W.system.setting, cell: ({ name }) => name },
              {
                head: W.system.value,
                isLong: true,
                cell: ({ value }) => value ?? <span class="sub">{W.system.secret_set}</span>,
              },
            ]}
          />
        </Section>
        <MetricsCharts span={span} slots={slots} />
      </>
    ),
  })
}

/** The form that runs billing; hidden from operators who may not send it. */
function BillingClock() {
  const action = `${PATH}/billing`
  if (!useView().canPost(action)) return null
  return (
    <Section title={W.system.billing_clock} id="clock" action={action}>
      <p>{W.system.clock_hint}</p>
      <Form action={action} submitLabel={W.system.run_clock}>
        <Field name="at" label={W.system.at} type="datetime-local" />
        <Field name="store" />
        <Checkbox name="dry_run" label={W.system.dry_run} isChecked />
      </Form>
    </Section>
  )
}

const DatabaseTable = ({
  rows,
  unavailable,
}: {
  rows: Awaited<ReturnType<typeof readDatabaseSizes>>
  unavailable: number
}) => (
  <Section
    title={W.system.databases}
    id="databases"
    summary={formatNumber(rows.length)}
    problem={unavailable > 0 && W.system.unavailable(unavailable)}
  >
    <Table
      label={W.system.databases}
      rows={rows}
      columns={[
        { head: W.system.database, cell: ({ name }) => name },
        {
          head: W.system.size,
          isNumeric: true,
          cell: (row) => (row.bytes === null ? <Badge status="unavailable" /> : formatBytes(row.bytes)),
        },
      ]}
    />
  </Section>
)

const DeadLetterTable = ({ rows }: { rows: DeadLetter[] }) => (
  <Table
    label={W.deadLetters.title}
    rows={rows}
    columns={[
      { head: W.deadLetters.message, isLong: true, cell: ({ body }) => <code>{JSON.stringify(body)}</code> },
      { head: W.audit.when, cell: (row) => <Time at={row.createdAt} /> },
      { head: W.deadLetters.retried, cell: (row) => <Time at={row.rerunAt} none={W.store.not_yet} /> },
      {
        head: W.common.actions,
        hasActions: true,
        cell: (row) => (
          <ActionButton
            action={`${PATH}/dead-letters/${row.id}/run`}
            label={W.deadLetters.retry}
            about={`#${row.id}`}
          />
        ),
      },
    ]}
  />
)

const FailingJobs = ({ jobs }: { jobs: FailingJob[] }) => (
  <Section
    title={W.failingJobs.title}
    id="failing-jobs"
    summary={formatNumber(0)}
    problem={jobs.length > 0 && W.failingJobs.failing(jobs.length)}
  >
    {jobs.length === 0 ? (
      <p>{W.failingJobs.none}</p>
    ) : (
      <Table
        label={W.failingJobs.title}
        rows={jobs}
        columns={[
          { head: W.system.job, cell: ({ kind }) => kind },
          { head: W.failingJobs.subject, cell: ({ subject }) => <code>{subject}</code> },
          { head: W.failingJobs.attempts, isNumeric: true, cell: ({ attempts }) => attempts },
          { head: W.failingJobs.error, isLong: true, cell: ({ lastError }) => lastError },
          { head: W.failingJobs.next, cell: ({ nextAt }) => <Time at={nextAt} /> },
        ]}
      />
    )}
  </Section>
)

function ScheduledJobs({ runs, overdue, now }: { runs: CronRun[]; overdue: string[]; now: Date }) {
  const findRun = (name: string) => runs.find(({ job }) => job === name)
  return (
    <Section
      title={W.system.cron}
      id="cron"
      summary={W.system.all_on_time(SCHEDULED_JOBS.length)}
      problem={overdue.length > 0 && W.system.not_on_time(overdue.length)}
    >
      <Table
        label={W.system.cron}
        rows={SCHEDULED_JOBS}
        columns={[
          { head: W.system.job, cell: ({ name }) => name },
          { head: W.system.schedule, cell: ({ schedule }) => <code>{schedule}</code> },
          { head: W.system.last, cell: ({ name }) => <Time at={findRun(name)?.startedAt} none={W.system.never_ran} /> },
          {
            head: W.system.duration,
            isNumeric: true,
            cell: ({ name }) => {
              const run = findRun(name)
              return run && `${run.durationMs} ms`
            },
          },
          {
            head: W.system.result,
            isLong: true,
            cell: ({ name }) => {
              const run = findRun(name)
              if (!run) return null
              return (
                <>
                  <Badge status={run.error ? "failed" : overdue.includes(name) ? "late" : "ok"} /> {run.error}
                  {run.failedItems > 0 && ` ${W.system.failed_items(run.failedItems, run.items)}`}
                  {run.stoppedAt && (
                    <>
                      {" "}
                      {W.system.out_of_time} <Time at={run.stoppedAt} />
                    </>
                  )}
                </>
              )
            },
          },
          { head: W.system.next, cell: ({ schedule }) => <Time at={getNextRun(schedule, now)} /> },
          {
            head: W.common.actions,
            hasActions: true,
            cell: ({ name }) => (
              <ActionButton action={`${PATH}/cron`} label={W.system.run} hidden={{ job: name }} about={name} />
            ),
          },
        ]}
      />
    </Section>
  )
}
