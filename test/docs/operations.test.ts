// The pages of docs/operations match the code: scheduled jobs, queue messages, alerts and causes of late deliveries. Every
// command line of the documentation names a command, and options that it has; every SQL statement runs.
import { env } from "cloudflare:workers"
import { expect, test } from "vitest"
import operations from "../../docs/operations/runbook.md?raw"
import { routeTable } from "../../src/core/http/route"
import { SCHEDULED_JOBS } from "../../src/jobs/cron"
import { RESUMED_BY } from "../../src/jobs/queue"
import { describeCommand } from "../../src/operator/command"
import { COMMANDS } from "../../src/operator/commands"
import { ALERT_NAMES, findAlert } from "../../src/platform/alerts/definitions"
import { platform } from "../../src/platform/app"
import causes from "../../src/platform/system/causes.ts?raw"
import { parseCommandLine } from "../../tools/cli/arguments"
import { listLocalCommands } from "../../tools/cli/commands"
import { listEventTypes, listResourceCommands, OPERATOR_COMMANDS, toCommandName } from "../../tools/cli/operations"
import { findCommand, resolveOptions } from "../../tools/cli/usage"
import { APIS, buildDocument } from "../../tools/openapi/documents"

const runbooks = import.meta.glob("../../docs/operations/runbooks/*.md", {
  query: "?raw",
  import: "default",
  eager: true,
})

const names = Object.keys(runbooks).map((path) => path.split("/").at(-1) ?? "")

const textOf = (runbook: string) => String(runbooks[`../../docs/operations/runbooks/${runbook}`])

/** Lists the names in backticks. */
const listCode = (text = "") => [...text.matchAll(/`([^`]+)`/g)].map(([, name = ""]) => name)

test("lists every scheduled job in the operations table", () => {
  const [firstTable = ""] = /(?:^\|.*\n)+/m.exec(operations) ?? []
  const documented = firstTable
    .split("\n")
    .filter((line) => line.startsWith("| ") && !/^\| (When|---)/.test(line))
    .flatMap((line) => (line.split(" | ")[1] ?? "").split(", "))
  expect(documented.toSorted()).toEqual(SCHEDULED_JOBS.map(({ name }) => name).toSorted())
})

test("has a runbook for every alert and for every cause of late deliveries", () => {
  const referenced = [
    ...ALERT_NAMES.map((name) => findAlert(name).runbook),
    ...[...causes.matchAll(/"([\w-]+\.md)"/g)].map(([, file = ""]) => file),
  ]
  expect(names).toEqual(expect.arrayContaining(referenced))
  expect([...new Set([...referenced, "README.md"])].toSorted()).toEqual(names.toSorted())
  const index = runbooks["../../docs/operations/runbooks/README.md"] ?? ""
  for (const name of ALERT_NAMES) {
    expect(index).toContain(`\`${name}\``)
    const { runbook } = findAlert(name)
    expect(textOf(runbook).split("\n## ")[0], runbook).toContain(`\`${name}\``)
  }
})

test("explains every cause of late deliveries in a runbook", () => {
  const documented = [...textOf("deliveries-late.md").matchAll(/^\| (`[^|]*`) \|/gm)].flatMap(([, cell]) =>
    listCode(cell),
  )
  const known = [...causes.matchAll(/toCause\(\s*"(\w+)"/g)].map(([, name]) => name)
  expect(documented.toSorted()).toEqual([...new Set(known)].toSorted())
})

/** How often the jobs of a schedule run. */
const FREQUENCIES = { "* * * * *": "every minute", "7 * * * *": "every hour", "30 2 * * *": "every night" }

test("lists for every queue message the scheduled job that resumes it", () => {
  const [, ...rows] = textOf("dead-letters.md").match(/^\| [^-].*$/gm) ?? []
  const documented = rows.flatMap((row) => {
    const [messages, job, frequency] = row
      .split("|")
      .slice(1)
      .map((cell) => cell.trim())
    return listCode(messages).map((message) => [message, `${job} ${frequency}`])
  })
  const known = Object.entries(RESUMED_BY).map(([message, job]) => {
    const schedule = SCHEDULED_JOBS.find(({ name }) => name === job)?.schedule
    return [message, `\`${job}\` ${schedule && FREQUENCIES[schedule]}`]
  })
  expect(documented).toHaveLength(known.length)
  expect(Object.fromEntries(documented)).toEqual(Object.fromEntries(known))
})

test.each(Object.entries(runbooks).filter(([path]) => !path.endsWith("README.md")))(
  "%s has the sections of a runbook",
  (_, text) => {
    const sections = [...text.matchAll(/^## (.*)$/gm)].map(([, title]) => title)
    expect(sections).toEqual(["Symptoms", "Confirm", "What to do", "Verify"])
  },
)

const pages = import.meta.glob(
  ["../../docs/**/*.md", "../../*.md", "../../examples/**/*.md", "../../clients/**/*.md"],
  { query: "?raw", import: "default", eager: true },
)

test("the documentation's command lines quote values that a shell would expand", () => {
  const unquoted = Object.entries(pages).flatMap(([path, text]) =>
    [...text.matchAll(/ --[\w-]+=[^\s`'"*]*\*/g)].map(([option]) => `${path}:${option}`),
  )
  expect(unquoted).toEqual([])
})

/** Finds the command lines of a page, without the comments and pipes behind them. */
const findCommandLines = (text: string): string[][] =>
  [...text.replaceAll(/\\\n\s*/g, "").matchAll(/npm run operator -- ([a-z](?:<[\w-]+>|[^\n`|<>#;])*)/g)].map(
    ([, line = ""]) => (line.match(/(?:"[^"]*"|'[^']*'|[^\s"'])+/g) ?? []).map((word) => word.replaceAll(/["']/g, "")),
  )

test("the documentation's command lines name commands and options that exist, with everything they require", () => {
  const document = buildDocument(APIS.platform)
  const commands = [
    ...listLocalCommands(listEventTypes(document)),
    ...listResourceCommands(document),
    ...Object.entries(COMMANDS).map(([name, command]) => describeCommand(name, command)),
  ]
  const lines = Object.entries(pages).flatMap(([path, text]) => findCommandLines(text).map((line) => ({ path, line })))
  expect(lines.length).toBeGreaterThan(60)
  const problems = lines.flatMap(({ path, line }) => {
    const parsed = parseCommandLine(line)
    const found = findCommand(commands, { ...parsed, command: parsed.command ?? "" })
    if (!found) return [`${path}: ${line.join(" ")}: unknown command`]
    // A command without options is only mentioned.
    if (line.length === 1 || parsed.help) return []
    try {
      resolveOptions(found.command, found.line)
      return []
    } catch (cause) {
      return [`${path}: ${line.join(" ")}: ${cause}`]
    }
  })
  expect(problems).toEqual([])
})

const DATABASES: Record<string, D1Database> = { DB: env.DB, tenancy: env.DB, "tenancy-sites-1": env.SITES_1 }

/** Finds the statements that a page runs on a database. */
const findStatements = (text: string) =>
  [...text.matchAll(/wrangler d1 execute (\S+) --remote --command (?:\\\n\s*)?"([^"]*)"/g)].map(
    ([, database = "", sql = ""]) => ({ database, sql }),
  )

test("the SQL statements of the documentation run on the databases that they name", async () => {
  const statements = Object.entries(pages).flatMap(([path, text]) =>
    findStatements(text).map((statement) => ({ path, ...statement })),
  )
  expect(statements.length).toBeGreaterThan(6)
  for (const { path, database, sql } of statements) {
    const { success } = await (DATABASES[database] as D1Database).prepare(sql).all()
    expect(success, path).toBe(true)
  }
})

test("an operation with the name of an operator command has no generated command", () => {
  const names = routeTable(platform).map(({ id }) => toCommandName(id))
  expect(names.filter((name) => COMMANDS[name]).toSorted()).toEqual(OPERATOR_COMMANDS.toSorted())
})
