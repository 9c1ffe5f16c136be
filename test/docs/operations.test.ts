// docs/operations.md names what runs by itself: a new cron part is told of, and one that went is not.
import { expect, test } from "vitest"
import operations from "../../docs/operations.md?raw"
import { PARTS } from "../../src/jobs/cron"

test("every part of every schedule has its place in the table", () => {
  const [, table = ""] = /## What runs by itself([\s\S]*?)\n## /.exec(operations) ?? []
  const named = table
    .split("\n")
    .filter((line) => line.startsWith("| ") && !/^\| (When|---)/.test(line))
    .flatMap((line) => (line.split(" | ")[1] ?? "").split(", "))
  expect(named.toSorted()).toEqual(PARTS.map(({ name }) => name).toSorted())
})
