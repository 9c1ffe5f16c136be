import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterEach, expect, test } from "vitest"
import { listDescendants } from "../../tools/local/processes"
import { lockStateDirectory } from "../../tools/local/state-lock"

const directories: string[] = []
const directory = () => {
  const made = mkdtempSync(join(tmpdir(), "state-"))
  directories.push(made)
  return made
}

afterEach(() => {
  for (const made of directories.splice(0)) rmSync(made, { recursive: true })
})

test("locks a free directory for this process", () => {
  const state = join(directory(), "new")
  lockStateDirectory(state, "vitest")
  expect(readFileSync(join(state, "owner.pid"), "utf8")).toBe(String(process.pid))
})

test("rejects a directory while its owner is running", () => {
  const state = directory()
  writeFileSync(join(state, "owner.pid"), String(process.ppid))
  expect(() => lockStateDirectory(state, "node")).toThrow(`in use by another platform, process ${process.ppid}`)
})

test("ignores the lock of a process id that another program reused", () => {
  const state = directory()
  writeFileSync(join(state, "owner.pid"), String(process.ppid))
  lockStateDirectory(state, "no such program")
  expect(readFileSync(join(state, "owner.pid"), "utf8")).toBe(String(process.pid))
})

test("lists this process as a descendant of its parent", () => {
  expect(listDescendants(process.ppid)).toContain(process.pid)
})
