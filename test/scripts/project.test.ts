import { expect, test } from "vitest"
import { getPort, getStateDirectory, readWranglerConfig } from "../../tools/lib/project"
import { findSetting } from "../../tools/local/worker"

test("PORT is 8787 unless it says something else", () => {
  expect(getPort({})).toBe(8787)
  expect(getPort({ PORT: "9000" })).toBe(9000)
})

test.each(["abc", "0", "65536", "80.5", "-1"])("PORT=%s is refused", (PORT) => {
  expect(() => getPort({ PORT })).toThrow("PORT must be a number from 1 to 65535")
})

test("resolves a relative STATE_DIR against the directory in which npm was called", () => {
  expect(getStateDirectory({ STATE_DIR: "here", INIT_CWD: "/some/where" })).toBe("/some/where/here")
  expect(getStateDirectory({ STATE_DIR: "/abs", INIT_CWD: "/some/where" })).toBe("/abs")
})

test("wrangler.toml names the databases with their migrations, and the cron triggers", () => {
  const { d1_databases, triggers } = readWranglerConfig()
  expect(d1_databases.map(({ binding }) => binding)).toContain("DB")
  expect(d1_databases.every(({ migrations_dir }) => migrations_dir.startsWith("migrations/"))).toBe(true)
  expect(triggers.crons).toContain("* * * * *")
})

test("uses the last --var of a name", () => {
  const args = ["--var", "A:1", "--var=CENTRAL_DOMAIN:a.test", "--var", "CENTRAL_DOMAIN:b.test:1"]
  expect(findSetting(args, "CENTRAL_DOMAIN")).toBe("b.test:1")
  expect(findSetting(args, "B")).toBeUndefined()
})
