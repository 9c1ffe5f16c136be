// The pages of docs/operations match the code: scheduled jobs, alerts and causes of late deliveries. Every command line of
// the documentation names a command, and options that it has.
import { expect, test } from "vitest"
import operations from "../../docs/operations/runbook.md?raw"
import { routeTable } from "../../src/core/http/route"
import { SCHEDULED_JOBS } from "../../src/jobs/cron"
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
  for (const name of ALERT_NAMES) expect(index).toContain(`\`${name}\``)
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

test("an operation with the name of an operator command has no command of its own", () => {
  const names = routeTable(platform).map(({ id }) => toCommandName(id))
  expect(names.filter((name) => COMMANDS[name]).toSorted()).toEqual(OPERATOR_COMMANDS.toSorted())
})
