// An account with a mock wrangler, its API, and a health check on loopback, for tests of npm run deploy.
import { type ChildProcess, spawn } from "node:child_process"
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { createServer, type Server } from "node:http"
import type { AddressInfo, Server as NetServer } from "node:net"
import { tmpdir } from "node:os"
import { delimiter, join } from "node:path"
import { afterEach, beforeEach } from "vitest"
import { root } from "../../../tools/lib/project"
import { type Account, startWrangler } from "./wrangler"

const filesOf = (schema: string) =>
  readdirSync(join(root, "migrations", schema))
    .filter((name) => name.endsWith(".sql"))
    .sort()
export const files = { DB: filesOf("central"), SITES_1: filesOf("sites") }
export const at = (...specs: (string | number)[]) =>
  specs.flatMap((version_id, i) =>
    typeof version_id === "string" ? [{ version_id, percentage: Number(specs[i + 1]) }] : [],
  )
export const omitLast = (count: number) => ({ DB: files.DB.slice(0, files.DB.length - count), SITES_1: files.SITES_1 })

export let directory: string
/** The account of the running test. */
export let account: Account
/** The commands of the running test. */
let calls: string[]
let server: Server
let wrangler: NetServer
/** The running deployment. */
let child: ChildProcess | undefined

/** Responses of the health check: a problem of a version, by its percentage; null when it is healthy. */
export const health: { getProblem: (version: string, percentage: number) => { status: number; body: object } | null } =
  { getProblem: () => null }

export const listCalls = (): readonly string[] => calls
/** Lists the commands that change something, without their options. */
export const listChanges = () =>
  listCalls()
    .filter((line) =>
      /^(versions (upload|deploy)|deploy (?!--dry-run)|triggers|queues consumer|d1 (migrations|time-travel))/.test(
        line,
      ),
    )
    .map((line) => line.replace(/ --.*$/, "").trim())

/** Gives every test of a file its own account and health check. */
export function useAccount(): void {
  beforeEach(async () => {
    directory = mkdtempSync(join(tmpdir(), "deploy-test-"))
    health.getProblem = () => null
    server = createServer((request, response) => {
      const { status, body } = request.url?.startsWith("/client/v4/")
        ? respondAsApi(request.url.replace("/client/v4", ""))
        : respondAsWorker(request.headers["cloudflare-workers-version-overrides"])
      response.writeHead(status).end(JSON.stringify(body))
    })
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
    calls = []
    wrangler = await startWrangler(directory, () => account, calls)
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
    wrangler.close()
    rmSync(directory, { recursive: true, force: true })
  })
}

/** The version of most requests, or the one that the header selects, as Cloudflare does. */
function respondAsWorker(override: string | string[] | undefined): { status: number; body: object } {
  const { deployment } = account
  const [most] = deployment.toSorted((a, b) => b.percentage - a.percentage)
  const chosen = deployment.find(({ version_id }) => override === `tenancy="${version_id}"`) ?? most
  if (!chosen) return { status: 404, body: {} }
  const healthy = { status: 200, body: { status: "ok", version: chosen.version_id } }
  return health.getProblem(chosen.version_id, chosen.percentage) ?? healthy
}

function respondAsApi(path: string): { status: number; body: object } {
  const { queues, api } = account
  const result = { "/accounts/account-1/queues": queues, ...api }[path]
  return result ? { status: 200, body: { success: true, result } } : { status: 404, body: { success: false } }
}

/** An account in which version-1 serves other code, and every migration is applied. */
export function setAccount(differences: Partial<Account> = {}): void {
  account = structuredClone({
    code: "export default {}",
    secrets: ["APP_KEY", "OPERATOR_TOKEN"],
    deployment: at("version-1", 100),
    versions: { "version-1": "build-of-yesterday" },
    published: false,
    queues: [],
    api: {},
    files,
    applied: files,
    replication: "auto",
    failures: {},
    ...differences,
  })
}

/** Runs a deployment. */
export const deploy = (...args: string[]) => runScript("scripts/deploy.ts", "--timeout=0", "--step=0", ...args)

/** Runs a command of the operator. */
export const runOperator = (...args: string[]) => runScript("scripts/operator.ts", ...args)

async function runScript(script: string, ...args: string[]): Promise<{ status: number | null; output: string }> {
  const config = `--config=${join(directory, "wrangler.toml")}`
  child = spawn(process.execPath, [join(root, script), ...args, config], {
    env: {
      ...process.env,
      PATH: [directory, process.env.PATH].join(delimiter),
      CLOUDFLARE_API_BASE_URL: `http://127.0.0.1:${(server.address() as AddressInfo).port}/client/v4`,
    },
  })
  let output = ""
  for (const stream of [child.stdout, child.stderr]) stream?.on("data", (chunk) => (output += chunk))
  const status = await new Promise<number | null>((resolve) => child?.once("close", resolve))
  return { status, output }
}

/** Interrupts the running deployment. */
export const interrupt = (): void => void child?.kill("SIGINT")
