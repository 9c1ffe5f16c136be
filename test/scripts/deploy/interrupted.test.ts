// Deployments in steps, and deployments that fail, are interrupted or killed at any command.
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, test } from "vitest"
import {
  account,
  at,
  deploy,
  directory,
  files,
  health,
  interrupt,
  listChanges,
  setAccount,
  useAccount,
} from "./support"

useAccount()

describe("a gradual deployment", { timeout: 60_000 }, () => {
  const steps = [
    "versions deploy version-2@0% version-1@100%",
    "versions deploy version-2@5% version-1@95%",
    "versions deploy version-2@25% version-1@75%",
    "versions deploy version-2@100%",
  ]
  const listTrafficChanges = () => listChanges().filter((line) => line.startsWith("versions deploy"))

  test("shifts 5, 25 and 100% of the requests after checks without traffic", async () => {
    setAccount()
    const { status, output } = await deploy("--gradual")
    expect(output).toContain("version-2 is healthy with 25% of the requests.")
    expect(status).toBe(0)
    expect(listTrafficChanges()).toEqual(steps)
    expect(account.published).toBe(true)
  })

  test.each([
    [0, 1],
    [5, 2],
    [25, 3],
    [100, 4],
  ])("returns to the previous version when the new one fails at %i%%", async (percentage, count) => {
    setAccount()
    let healthyChecks = 0
    health.getProblem = (version, share) =>
      version === "version-2" && share === percentage && healthyChecks++ >= 3 ? { status: 503, body: {} } : null
    const { status, output } = await deploy("--gradual")
    expect(status).toBe(1)
    expect(output).toContain("failed check 3 of 5: 503")
    expect(listTrafficChanges()).toEqual([...steps.slice(0, count), "versions deploy version-1@100%"])
    expect(account.deployment).toEqual(at("version-1", 100))
  })

  test("says so when returning to the previous version fails", async () => {
    setAccount({ failures: { "versions deploy version-1@100%": "no permission" } })
    health.getProblem = (_, share) => (share === 5 ? { status: 503, body: {} } : null)
    const { status, output } = await deploy("--gradual")
    expect(status).toBe(1)
    expect(output).toContain("Returning to the previous version failed, so the new one may still get requests.")
    expect(output).toContain("no permission")
    expect(account.deployment).toEqual(at("version-2", 5, "version-1", 95))
    expect((await deploy("--check")).output).toContain("missing  one version with all requests")
  })

  test("returns to the previous version when it is interrupted", async () => {
    setAccount()
    health.getProblem = (_, share) => {
      if (share === 5) interrupt()
      return null
    }
    const { status, output } = await deploy("--gradual", "--step=60")
    expect(status).toBe(1)
    expect(output).toContain("The deployment was interrupted.")
    expect(account.deployment).toEqual(at("version-1", 100))
  })
})

describe("a deployment that was killed", { timeout: 60_000 }, () => {
  const commands = [
    "versions upload",
    "d1 time-travel info SITES_1",
    "r2 object put",
    "d1 migrations apply",
    "versions deploy version-2@0%",
    "versions deploy version-2@5%",
    "versions deploy version-2@25%",
    "versions deploy version-2@100%",
    "triggers deploy",
  ]

  // Killed after a command is the same as killed before the next one.
  test.each([["versions upload", "before"] as const, ...commands.map((command) => [command, "after"] as const)])(
    "at %s, %s it took effect, completes when repeated",
    async (command, moment) => {
      setAccount({ applied: { DB: files.DB, SITES_1: [] }, kill: { command, moment } })
      expect((await deploy("--gradual")).status).toBeNull()
      const { status, output } = await deploy("--gradual")
      expect(output).toContain(output.includes("Nothing to deploy") ? "already serves" : "The new version is healthy.")
      expect(status).toBe(0)
      const { deployment, versions, applied, published } = account
      expect(deployment).toHaveLength(1)
      expect(versions[deployment[0]?.version_id ?? ""]).not.toBe("build-of-yesterday")
      expect({ applied, published }).toEqual({ applied: files, published: true })
    },
  )

  test("continues at the percentage it had reached", async () => {
    setAccount({ kill: { command: "versions deploy version-2@25%", moment: "after" } })
    await deploy("--gradual")
    const before = listChanges().length
    const { output } = await deploy("--gradual")
    expect(output).toContain("An earlier deployment of version-2 stopped at 25%; continuing it.")
    expect(listChanges().slice(before)).toEqual([
      "d1 time-travel info DB",
      "d1 time-travel info SITES_1",
      "versions deploy version-2@25% version-1@75%",
      "versions deploy version-2@100%",
      "triggers deploy",
    ])
  })

  test("returns to the previous version before other code is deployed", async () => {
    setAccount({ kill: { command: "versions deploy version-2@25%", moment: "after" } })
    await deploy("--gradual")
    Object.assign(account, { code: "export default { fixed: true }" })
    const before = listChanges().length
    const { output } = await deploy()
    expect(output).toContain("version-2 stopped at 25%; returning all requests to version-1.")
    expect(listChanges().slice(before)).toEqual([
      "versions deploy version-1@100%",
      "versions upload",
      "d1 time-travel info DB",
      "d1 time-travel info SITES_1",
      "versions deploy version-3@0% version-1@100%",
      "versions deploy version-3@100%",
      "triggers deploy",
    ])
  })

  test.each(["before", "after"] as const)(
    "is a first one and completes when killed %s it took effect",
    async (moment) => {
      setAccount({
        secrets: null,
        deployment: [],
        versions: {},
        applied: { DB: [], SITES_1: [] },
        kill: { command: "deploy --tag", moment },
      })
      const secrets = join(directory, "secrets.env")
      writeFileSync(secrets, "APP_KEY=a\nOPERATOR_TOKEN=b\n")
      expect((await deploy(`--secrets-file=${secrets}`)).status).toBeNull()
      expect((await deploy(`--secrets-file=${secrets}`)).status).toBe(0)
      expect(account).toMatchObject({ applied: files, published: true })
      expect(account.deployment).toHaveLength(1)
    },
  )
})
