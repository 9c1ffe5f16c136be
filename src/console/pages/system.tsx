// What runs by itself, what the platform stands on, and the billing clock.
import { type Context, Hono } from "hono"
import * as z from "zod"
import { rowId } from "../../core/http/row-id"
import { fault } from "../../core/http/validation"
import { type DeadLetter, listDeadLetters, rerunDeadLetter } from "../../core/queue/dead-letters"
import { lateParts, nextRun, PARTS, runPart } from "../../jobs/cron"
import { type CronRun, readRuns } from "../../platform/cron/service"
import { operateBilling } from "../../platform/subscriptions/clock"
import { readDatabases, readSettings } from "../../platform/system/service"
import { done, type FormState, NOTHING, submit } from "../forms"
import { Button, Check, Field, Form } from "../kit/form"
import { page } from "../kit/page"
import { Badge, bytes, Card, Json, Table, Time } from "../kit/parts"
import { recentPassword } from "../reauthentication"
import { W } from "../strings"
import type { ConsoleEnv } from "../types"

const PATH = "/console/system"

const RunPart = z.object({ part: z.string().min(1).max(100) })

const moment = z
  .string()
  .refine((value) => !Number.isNaN(Date.parse(value)), { ...fault("date"), abort: true })
  .transform((value) => new Date(/[zZ]|[+-]\d\d:?\d\d$/.test(value) ? value : `${value}Z`))

const RunClock = z.object({
  at: moment.optional(),
  store: z.string().min(1).max(63).optional(),
  dry_run: z.boolean().default(false),
})

export const system = new Hono<ConsoleEnv>()
  .get(PATH, (c) => show(c))
  .post(`${PATH}/cron`, recentPassword("runs scheduled work, which may be the billing clock"), (c) =>
    submit(
      c,
      RunPart,
      async ({ part }) => {
        await runPart(c.var.ctx, part)
        return done(`${PATH}#cron`, "ran")
      },
      (state) => show(c, state),
    ),
  )
  .post(
    `${PATH}/dead-letters/:id/run`,
    recentPassword("sends failed work again, which may be the billing clock"),
    (c) =>
      submit(
        c,
        NOTHING,
        async () => {
          await rerunDeadLetter(c.var.ctx, rowId(c.req.param("id")))
          return done(`${PATH}#letters`, "ran")
        },
        (state) => show(c, state),
      ),
  )
  .post(`${PATH}/billing`, recentPassword("runs the billing clock"), (c) =>
    submit(
      c,
      RunClock,
      async ({ dry_run, ...input }) => {
        const result = await operateBilling(c.var.ctx, { ...input, dryRun: dry_run })
        return page(c, {
          title: dry_run ? W.system.clock_foresight : W.system.clock_result,
          crumbs: [[W.system.title, PATH]],
          children: <Json value={result} />,
        })
      },
      (state) => show(c, state),
    ),
  )

async function show(c: Context<ConsoleEnv>, state?: FormState) {
  const { ctx } = c.var
  const [runs, databases, letters] = await Promise.all([readRuns(ctx), readDatabases(ctx), listDeadLetters(ctx)])
  return page(c, {
    title: W.system.title,
    state,
    children: (
      <>
        <Cron runs={runs} now={ctx.now} />
        <Card title={W.letters.title} id="letters">
          {letters.length === 0 ? <p>{W.letters.none}</p> : <Letters rows={letters} />}
        </Card>
        <Card title={W.system.test_clock} id="clock" writes>
          <p>{W.system.clock_hint}</p>
          <Form action={`${PATH}/billing`} submit={W.system.run_clock}>
            <Field name="at" label={W.system.at} type="datetime-local" />
            <Field name="store" />
            <Check name="dry_run" label={W.system.dry_run} on />
          </Form>
        </Card>
        <Card title={W.system.databases} id="databases">
          <Table
            label={W.system.databases}
            rows={databases}
            columns={[
              { head: W.system.database, cell: ({ name }) => name },
              {
                head: W.system.size,
                num: true,
                cell: (row) => (row.bytes === null ? <Badge of="unavailable" /> : bytes(row.bytes)),
              },
            ]}
          />
        </Card>
        <Card title={W.system.settings} id="settings">
          <Table
            label={W.system.settings}
            rows={[{ name: W.system.version, value: ctx.env.VERSION.id }, ...readSettings(ctx)]}
            columns={[
              { head: W.system.setting, cell: ({ name }) => name },
              {
                head: W.system.value,
                long: true,
                cell: ({ value }) => value ?? <span class="sub">{W.system.secret_set}</span>,
              },
            ]}
          />
        </Card>
      </>
    ),
  })
}

const Letters = ({ rows }: { rows: DeadLetter[] }) => (
  <Table
    label={W.letters.title}
    rows={rows}
    columns={[
      { head: W.letters.message, long: true, cell: ({ body }) => <code>{JSON.stringify(body)}</code> },
      { head: W.audit.when, cell: (row) => <Time at={row.createdAt} /> },
      { head: W.letters.reran, cell: (row) => <Time at={row.rerunAt} none={W.store.not_yet} /> },
      {
        head: W.common.actions,
        cell: (row) => <Button action={`${PATH}/dead-letters/${row.id}/run`} label={W.letters.again} />,
      },
    ]}
  />
)

function Cron({ runs, now }: { runs: CronRun[]; now: Date }) {
  const late = lateParts(runs, now)
  const runOf = (name: string) => runs.find(({ part }) => part === name)
  return (
    <Card title={W.system.cron} id="cron">
      <Table
        label={W.system.cron}
        rows={PARTS}
        columns={[
          { head: W.system.part, cell: ({ name }) => name },
          { head: W.system.schedule, cell: ({ schedule }) => <code>{schedule}</code> },
          { head: W.system.last, cell: ({ name }) => <Time at={runOf(name)?.startedAt} none={W.system.never_ran} /> },
          {
            head: W.system.took,
            num: true,
            cell: ({ name }) => {
              const run = runOf(name)
              return run && `${run.durationMs} ms`
            },
          },
          {
            head: W.system.outcome,
            long: true,
            cell: ({ name }) => {
              const run = runOf(name)
              if (!run) return null
              return (
                <>
                  <Badge of={run.error ? "failed" : late.includes(name) ? "late" : "ok"} /> {run.error}
                </>
              )
            },
          },
          { head: W.system.next, cell: ({ schedule }) => <Time at={nextRun(schedule, now)} /> },
          {
            head: W.common.actions,
            cell: ({ name }) => <Button action={`${PATH}/cron`} label={W.system.run} hidden={{ part: name }} />,
          },
        ]}
      />
    </Card>
  )
}
