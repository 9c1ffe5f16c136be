// The pages of docs/operations match the code: scheduled jobs, alerts, causes of late deliveries and commands.
import { expect, test } from "vitest"
import operations from "../../docs/operations/runbook.md?raw"
import { routeTable } from "../../src/core/http/route"
import { SCHEDULED_JOBS } from "../../src/jobs/cron"
import { COMMANDS } from "../../src/operator/commands"
import { ALERT_NAMES, findAlert } from "../../src/platform/alerts/definitions"
import { platform } from "../../src/platform/app"
import causes from "../../src/platform/system/causes.ts?raw"
import { OPERATOR_COMMANDS, toCommandName } from "../../tools/cli/operations"

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
  "%s has the sections of a runbook, and names commands that exist",
  (_, text) => {
    const sections = [...text.matchAll(/^## (.*)$/gm)].map(([, title]) => title)
    expect(sections).toEqual(["Symptoms", "Confirm", "What to do", "Verify"])
    const commands = [...text.matchAll(/npm run operator -- ([\w:-]+)/g)].map(([, name = ""]) => name)
    expect(commands.filter((name) => !COMMANDS[name])).toEqual([])
  },
)

test("an operation with the name of an operator command has no command of its own", () => {
  const names = routeTable(platform).map(({ id }) => toCommandName(id))
  expect(names.filter((name) => COMMANDS[name]).toSorted()).toEqual(OPERATOR_COMMANDS.toSorted())
})
