// The options of npm scripts: their help, and what they reject before they start anything.
import { spawnSync } from "node:child_process"
import { expect, test } from "vitest"
import { root } from "../../tools/lib/project"

const runScript = (script: string, option: string) =>
  spawnSync(process.execPath, [script, option], { cwd: root, encoding: "utf8" })

test.each([
  ["scripts/chaos.ts", "--kills"],
  ["scripts/deploy.ts", "--gradual"],
  ["scripts/mutants.ts", "npm run mutants"],
  ["scripts/soak.ts", "--minutes"],
  ["scripts/start.ts", "--faults"],
])("%s prints its options with --help", { timeout: 20_000 }, (script, expected) => {
  const { status, stdout, stderr } = runScript(script, "--help")
  expect([status, stderr]).toEqual([0, ""])
  expect(stdout).toContain(expected)
})

test.each(["--minutes=soon", "--minutes=", "--minutes=-1", "--hours=1"])(
  "a script rejects %s with its usage",
  (option) => {
    const { status, stdout, stderr } = runScript("scripts/soak.ts", option)
    expect([status, stdout]).toEqual([2, ""])
    expect(stderr).toContain("npm run soak")
  },
)
