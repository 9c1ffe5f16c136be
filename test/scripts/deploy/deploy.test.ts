// Runs npm run deploy against a mock wrangler, whose account is a file, and a health check on loopback.
import { spawn, spawnSync } from "node:child_process"
import { chmodSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { createServer, type Server } from "node:http"
import type { AddressInfo } from "node:net"
import { tmpdir } from "node:os"
import { delimiter, join } from "node:path"
import { afterEach, beforeEach, describe, expect, test } from "vitest"
import { readWranglerConfig, root } from "../../../tools/lib/project"

interface Account {
  code: string
  /** Null when there is no Worker. */
  secrets: string[] | null
  serving: string | null
  versions: Record<string, string>
  files: Record<string, string[]>
  applied: Record<string, string[]>
  replication: string
  /** Prefixes of failing commands, with their error messages. */
  failures: Record<string, string>
}

const filesOf = (schema: string) =>
  readdirSync(join(root, "migrations", schema))
    .filter((name) => name.endsWith(".sql"))
    .sort()
const files = { DB: filesOf("central"), SITES_1: filesOf("sites") }
const omitLast = (count: number) => ({ DB: files.DB.slice(0, files.DB.length - count), SITES_1: files.SITES_1 })

let directory: string
let server: Server
/** Response of the health check; null reports the serving version as healthy. */
let healthResponse: { status: number; body: object } | null

const accountFile = () => join(directory, "account.json")
const readAccount = (): Account => JSON.parse(readFileSync(accountFile(), "utf8"))
const listCalls = (): string[] =>
  existsSync(`${accountFile()}.calls`) ? readFileSync(`${accountFile()}.calls`, "utf8").trim().split("\n") : []
/** Lists the commands that change something, without their options. */
const listChanges = () =>
  listCalls()
    .filter((line) =>
      /^(versions (upload|deploy)|deploy (?!--dry-run)|triggers|d1 (migrations|time-travel))/.test(line),
    )
    .map((line) => line.replace(/ --.*$/, "").trim())

beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), "deploy-test-"))
  healthResponse = null
  server = createServer((_, response) => {
    const { status, body } = healthResponse ?? { status: 200, body: { status: "ok", version: readAccount().serving } }
    response.writeHead(status).end(JSON.stringify(body))
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const program = join(directory, "wrangler")
  writeFileSync(program, `#!/bin/sh\nexec "${process.execPath}" "${join(import.meta.dirname, "wrangler.mjs")}" "$@"\n`)
  chmodSync(program, 0o755)
  const { port } = server.address() as AddressInfo
  writeFileSync(
    join(directory, "wrangler.toml"),
    readFileSync(join(root, "wrangler.toml"), "utf8")
      .replaceAll("00000000-0000-0000-0000-", "12345678-0000-0000-0000-")
      .replace('CENTRAL_DOMAIN = "localhost"', 'CENTRAL_DOMAIN = "127.0.0.1"')
      .replace('PUBLIC_URL = "https://{host}"', `PUBLIC_URL = "http://{host}:${port}"`)
      .replace("no-reply@example.com", "no-reply@shops.test")
      .replace(/^/, 'routes = [{ pattern = "*/*", zone_name = "shops.test" }]\n'),
  )
})

afterEach(() => {
  server.close().closeAllConnections()
  rmSync(directory, { recursive: true, force: true })
})

/** An account in which version-1 serves other code, and every migration is applied. */
const setAccount = (differences: Partial<Account> = {}) =>
  writeFileSync(
    accountFile(),
    JSON.stringify({
      code: "export default {}",
      secrets: ["APP_KEY", "OPERATOR_TOKEN"],
      serving: "version-1",
      versions: { "version-1": "build-of-yesterday" },
      files,
      applied: files,
      replication: "auto",
      failures: {},
      ...differences,
    }),
  )

async function deploy(...args: string[]): Promise<{ status: number | null; output: string }> {
  const config = ["--config", join(directory, "wrangler.toml"), "--patience=0"]
  const child = spawn(process.execPath, [join(root, "scripts/deploy.ts"), ...config, ...args], {
    env: { ...process.env, PATH: [directory, process.env.PATH].join(delimiter), STAND_IN_ACCOUNT: accountFile() },
  })
  let output = ""
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk) => (output += chunk))
  const status = await new Promise<number | null>((resolve) => child.once("close", resolve))
  return { status, output }
}

describe("a deployment", { timeout: 60_000 }, () => {
  test("uploads, saves bookmarks, migrates, activates and runs the health check, in that order", async () => {
    setAccount({ applied: { DB: files.DB, SITES_1: [] } })
    const { status, output } = await deploy()
    expect(output).toContain("The new version is healthy.")
    expect(status).toBe(0)
    expect(listChanges()).toEqual([
      "versions upload",
      "d1 time-travel info DB",
      "d1 time-travel info SITES_1",
      "d1 migrations apply SITES_1",
      "versions deploy version-2@100%",
      "triggers deploy",
    ])
    const upload = listCalls().find((line) => line.startsWith("versions upload"))
    expect(upload).toMatch(/ --define RENDERING_HASH:"[0-9a-f]{20}"/)
    expect(output).toContain("npx wrangler rollback version-1 --yes")
    expect(output).toContain("npx wrangler d1 time-travel restore SITES_1 --bookmark=bookmark-of-SITES_1")
  })

  test("a repeated deployment changes nothing", async () => {
    setAccount()
    expect((await deploy()).status).toBe(0)
    const before = listChanges().length
    const { status, output } = await deploy()
    expect(status).toBe(0)
    expect(output).toContain("Nothing to deploy: version-2 already serves this code")
    expect(listChanges()).toHaveLength(before)
    // Other code is another deployment.
    writeFileSync(accountFile(), JSON.stringify({ ...readAccount(), code: "export default { changed: true }" }))
    await deploy()
    expect(readAccount().serving).toBe("version-3")
  })

  test("the first deployment requires a secrets file and deploys the whole Worker", async () => {
    setAccount({ secrets: null, serving: null, versions: {}, applied: { DB: [], SITES_1: [] } })
    const refused = await deploy()
    expect(refused.status).toBe(1)
    expect(refused.output).toContain(
      "The Worker tenancy does not exist yet. Pass its secrets (APP_KEY, OPERATOR_TOKEN) in a file",
    )
    expect(listChanges()).toEqual([])
    const secrets = join(directory, "secrets.env")
    writeFileSync(secrets, "APP_KEY=a\nOPERATOR_TOKEN=b\n")
    const made = await deploy(`--secrets-file=${secrets}`)
    expect(made.output).toContain("Deployed version-1.")
    expect(made.status).toBe(0)
    expect(readAccount().applied).toEqual(files)
    expect(
      listCalls().some((line) => line.startsWith("deploy --tag") && line.includes(`--secrets-file ${secrets}`)),
    ).toBe(true)
  })

  test("a new Durable Object class causes a full deployment instead of an upload", async () => {
    setAccount({ failures: { "versions upload": "Version upload failed. [code: 10211]" } })
    const { status } = await deploy()
    expect(status).toBe(0)
    expect(listChanges()).toEqual([
      "versions upload",
      "d1 time-travel info DB",
      "d1 time-travel info SITES_1",
      "deploy",
    ])
  })

  test("a missing required secret stops the deployment before any change", async () => {
    setAccount({ secrets: ["APP_KEY"] })
    const { status, output } = await deploy()
    expect(status).toBe(1)
    expect(output).toContain('Missing secrets. Run "npx wrangler secret put OPERATOR_TOKEN".')
    expect(listChanges()).toEqual([])
  })

  test.each([
    ["whoami", "Not logged in", []],
    ["secret list", "Could not list the secrets", []],
    ["d1 execute", "Could not read the migrations of DB", []],
    ["deploy --dry-run", "Could not build the Worker", []],
    ["versions upload", "The upload failed. Nothing was changed", ["versions upload"]],
    [
      "d1 time-travel info SITES_1",
      "Could not get a bookmark of SITES_1",
      ["versions upload", "d1 time-travel info DB", "d1 time-travel info SITES_1"],
    ],
    [
      "d1 migrations apply",
      "Could not migrate SITES_1",
      ["versions upload", "d1 time-travel info DB", "d1 time-travel info SITES_1", "d1 migrations apply SITES_1"],
    ],
  ])("a failure of %s leaves the serving version unchanged", async (command, words, expected) => {
    setAccount({ applied: { DB: files.DB, SITES_1: [] }, failures: { [command]: "boom" } })
    const { status, output } = await deploy()
    expect(status).toBe(1)
    expect(output).toContain(words)
    expect(listChanges()).toEqual(expected)
    expect(readAccount().serving).toBe("version-1")
  })

  test.each(["versions deploy", "triggers deploy"])("a failure of %s prints rollback instructions", async (command) => {
    setAccount({ failures: { [command]: "boom" } })
    const { status, output } = await deploy()
    expect(status).toBe(1)
    expect(output).toContain("boom")
    expect(output).toContain("npx wrangler rollback version-1 --yes")
  })

  test("an unhealthy deployment fails with the health check's message and rollback instructions", async () => {
    setAccount()
    healthResponse = { status: 503, body: { status: "error", message: "No answer from DB." } }
    const { status, output } = await deploy()
    expect(status).toBe(1)
    expect(output).toContain("No answer from DB.")
    expect(output).toContain("npx wrangler rollback version-1 --yes")
  })

  test("a deployment fails while another version is serving", async () => {
    setAccount()
    healthResponse = { status: 200, body: { status: "ok", version: "version-1" } }
    const { status, output } = await deploy()
    expect(status).toBe(1)
    expect(output).toContain("version version-1 is serving, not version-2")
  })
})

describe("a destructive migration", { timeout: 60_000 }, () => {
  test("a destructive migration is rejected without --contract", async () => {
    const at = files.SITES_1.indexOf("0009_apps_stand_with_the_store.sql")
    setAccount({ applied: { DB: files.DB, SITES_1: files.SITES_1.slice(0, at) } })
    const { status, output } = await deploy()
    expect(status).toBe(1)
    expect(output).toContain("SITES_1, 0009_apps_stand_with_the_store.sql is destructive: DROP TABLE enabled_apps.")
    expect(listChanges()).toEqual([])
    expect((await deploy("--contract")).status).toBe(0)
    expect(readAccount().applied.SITES_1).toEqual(files.SITES_1)
  })

  test("a destructive migration runs on a new database", async () => {
    setAccount({ applied: { DB: [], SITES_1: [] } })
    expect((await deploy()).status).toBe(0)
  })
})

describe("a check", { timeout: 60_000 }, () => {
  test("--check succeeds when only DNS is missing, and changes nothing", async () => {
    setAccount({ serving: "version-1" })
    const { output } = await deploy("--check")
    expect(output).toMatch(/^ok {7}wrangler\.toml$/m)
    expect(output.split("\n").filter((line) => line.startsWith("missing") && !line.includes("DNS"))).toEqual([])
    expect(listChanges()).toEqual([])
  })

  test("--check lists each missing resource with the command that creates it", async () => {
    setAccount({
      secrets: ["APP_KEY"],
      replication: "disabled",
      applied: omitLast(1),
      failures: { "queues info tenancy-jobs": "no", "r2 bucket info tenancy-media": "no", "email sending": "no" },
    })
    const { status, output } = await deploy("--check")
    expect(status).toBe(1)
    for (const line of [
      "missing  queue tenancy-jobs: npx wrangler queues create tenancy-jobs",
      "missing  bucket tenancy-media: npx wrangler r2 bucket create tenancy-media",
      "missing  secret OPERATOR_TOKEN: npx wrangler secret put OPERATOR_TOKEN",
      "missing  mail from shops.test: npx wrangler email sending enable shops.test",
      `missing  migrations of DB: npm run deploy applies ${files.DB.at(-1)}`,
    ]) {
      expect.soft(output).toContain(line)
    }
    expect(output).toContain("missing  read replication of DB")
    expect(output).toContain("ok       queue tenancy-webhooks")
  })

  test("--check only checks wrangler.toml without a login", async () => {
    setAccount({ failures: { whoami: "no" } })
    const toml = join(directory, "wrangler.toml")
    writeFileSync(
      toml,
      readFileSync(toml, "utf8")
        .replace('CENTRAL_DOMAIN = "127.0.0.1"', 'CENTRAL_DOMAIN = "localhost"')
        .replace("no-reply@shops.test", "no-reply@example.com")
        .replaceAll("12345678-0000-0000-0000-", "00000000-0000-0000-0000-")
        .replace(/^routes.*$/m, "")
        .replace('TENANCY_WEBHOOK_TIMEOUT = "10"', 'TENANCY_WEBHOOK_TIMEOUT = "40"'),
    )
    const { status, output } = await deploy("--check")
    expect(status).toBe(1)
    for (const words of [
      "DB has no real database_id",
      "SITES_1 has no real database_id",
      "CENTRAL_DOMAIN is localhost",
      "MAIL_FROM is no-reply@example.com",
      "No routes are configured",
      "TENANCY_WEBHOOK_TIMEOUT must be 1 to 25 seconds",
      "the account was not checked",
    ]) {
      expect.soft(output).toContain(words)
    }
    expect(listCalls()).toEqual([`whoami --json --config ${toml}`])
  })
})

test("the staging platform of docs/operations/deployment.md shares no resource with this one", () => {
  const production = readFileSync(join(root, "wrangler.toml"), "utf8").replaceAll("00000000-", "12345678-")
  const [, first = "", second = ""] =
    /sed -e '([^']+)' -e '([^']+)' \\\n {2}wrangler.toml/.exec(
      readFileSync(join(root, "docs/operations/deployment.md"), "utf8"),
    ) ?? []
  const file = join(directory, "wrangler.staging.toml")
  const { stdout } = spawnSync("sed", ["-e", first, "-e", second], { input: production, encoding: "utf8" })
  writeFileSync(file, stdout)
  const namesOf = ({ name, d1_databases, queues, r2_buckets }: ReturnType<typeof readWranglerConfig>) => [
    name,
    ...d1_databases.map(({ database_name }) => database_name),
    ...[...queues.producers, ...queues.consumers].map(({ queue }) => queue),
    ...r2_buckets.map(({ bucket_name }) => bucket_name),
  ]
  const staging = namesOf(readWranglerConfig(file))
  expect(readWranglerConfig(file).d1_databases.map(({ database_id }) => database_id)).not.toContainEqual(
    expect.stringMatching(/[1-9a-f]/),
  )
  expect(staging).toEqual(namesOf(readWranglerConfig()).map((name) => name.replace("tenancy", "tenancy-staging")))
})

test("docs/operations/deployment.md creates every resource that wrangler.toml names", () => {
  const guide = readFileSync(join(root, "docs/operations/deployment.md"), "utf8")
  const { d1_databases, queues, r2_buckets } = readWranglerConfig()
  const names = [
    ...d1_databases.map(({ database_name }) => `d1 create ${database_name} `),
    ...[...queues.producers, ...queues.consumers].map(({ queue }) => queue),
    ...r2_buckets.map(({ bucket_name }) => bucket_name),
  ]
  const commands = [...guide.matchAll(/```sh\n([\s\S]*?)```/g)].map(([, text]) => text).join("")
  for (const name of names) expect.soft(commands).toContain(name)
})
