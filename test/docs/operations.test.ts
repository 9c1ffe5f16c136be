// docs/operations/runbook.md lists every scheduled job.
import { expect, test } from "vitest"
import operations from "../../docs/operations/runbook.md?raw"
import { SCHEDULED_JOBS } from "../../src/jobs/cron"

test("lists every scheduled job in the operations table", () => {
  const [firstTable = ""] = /(?:^\|.*\n)+/m.exec(operations) ?? []
  const documented = firstTable
    .split("\n")
    .filter((line) => line.startsWith("| ") && !/^\| (When|---)/.test(line))
    .flatMap((line) => (line.split(" | ")[1] ?? "").split(", "))
  expect(documented.toSorted()).toEqual(SCHEDULED_JOBS.map(({ name }) => name).toSorted())
})
