// npm start: runs the platform locally with demo data and cron triggers until Ctrl-C.
// Configured by PORT, STATE_DIR and its options (`npm start -- --help`).
import { join, relative } from "node:path"
import { alignColumns } from "../tools/cli/table.ts"
import { getPort, getStateDirectory, readWranglerConfig, root, secretsFile, UserError } from "../tools/lib/project.ts"
import { type Page, renderBanner } from "../tools/local/banner.ts"
import { type Credentials, readCredentials, writeCredentials } from "../tools/local/credentials.ts"
import { startCrons } from "../tools/local/cron.ts"
import { addDeliveryDatabases, DELIVERY_DATABASES } from "../tools/local/delivery-databases.ts"
import { startDemoPayments } from "../tools/local/demo-payments.ts"
import { startDemoPush } from "../tools/local/demo-push.ts"
import { ensureSecrets } from "../tools/local/dev-vars.ts"
import { applyLocalMigrations } from "../tools/local/migrations.ts"
import { createOutputFilter } from "../tools/local/output.ts"
import { findFreePort, getPortError } from "../tools/local/port.ts"
import { lockStateDirectory } from "../tools/local/state-lock.ts"
import { findSetting, startWorker } from "../tools/local/worker.ts"
import { stopAllWranglers } from "../tools/local/wrangler.ts"
import { seedDemoData } from "./seed.ts"

/** Options of `wrangler dev` that must be set through an environment variable. */
const RESERVED_OPTIONS: Record<string, string> = { "--port": "PORT", "--persist-to": "STATE_DIR" }

/** Overrides for the seed, which must not depend on the settings of the first start. */
const SEED_VARS = { TENANCY_API_ENABLED: "true", TENANCY_API_RATE_LIMIT: "100000", TENANCY_API_RATE_LIMIT_PER_IP: "0" }

/** The store of the demo data that the front page links to. */
const DEMO_STORE = "acme"

/** Runs the mock payment provider. */
const DEMO_PAYMENTS = "--demo-payments"

/**
 * Makes a share of all calls to databases, objects, queues, buckets, static assets, mail and DNS fail: `--faults=0.01`.
 */
const FAULTS = "--faults="

/** Runs the mock push provider. */
const DEMO_PUSH = "--demo-push"

/** The entry point of a Worker whose bindings fail. */
const FAULTY_WORKER = "tools/faults/worker.ts"

const USAGE = `Usage: [PORT=8787] [STATE_DIR=.wrangler/state] npm start [-- option …]

Runs the platform with demo data until Ctrl-C. PORT is its port, STATE_DIR the directory of its data.

${alignColumns([
  [DEMO_PAYMENTS, "take card payments with a mock provider"],
  [DEMO_PUSH, "send push notifications to a mock provider; also allows webhook endpoints with private hosts"],
  [`${DELIVERY_DATABASES}<1–16>`, "add databases for webhook deliveries"],
  [
    `${FAULTS}<0–1>`,
    "let this share of calls to databases, objects, queues, buckets, static assets, mail and DNS fail",
  ],
  ["--help, -h", "print this help"],
])}

Other options are those of wrangler dev, such as --var NAME:value.`

let isStopping = false

for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
  process.on(signal, async () => {
    if (isStopping) return
    isStopping = true
    await stopAllWranglers()
    process.exit(0)
  })
}

run(process.argv.slice(2)).catch(async (error) => {
  if (isStopping) return
  isStopping = true
  console.error(error instanceof UserError ? error.message : error)
  await stopAllWranglers()
  process.exit(1)
})

/** @param argv what was given after `npm start --` */
async function run(argv: string[]): Promise<void> {
  if (argv.includes("--help") || argv.includes("-h")) {
    console.log(USAGE)
    return
  }
  const options = [DEMO_PAYMENTS, DEMO_PUSH, FAULTS, DELIVERY_DATABASES]
  const delivery = addDeliveryDatabases(argv)
  const args = [...delivery.args, ...argv.filter((arg) => !options.some((option) => arg.startsWith(option)))]
  const faultRate = parseFaultRate(argv)
  for (const [option, variable] of Object.entries(RESERVED_OPTIONS)) {
    if (args.some((arg) => arg === option || arg.startsWith(`${option}=`))) {
      throw new UserError(`${option} cannot be used here. Set the environment variable ${variable} instead.`)
    }
  }
  const port = getPort(process.env)
  const stateDirectory = getStateDirectory(process.env)
  await assertPortIsFree(port)
  lockStateDirectory(stateDirectory, "start.ts")
  const secrets = ensureSecrets(secretsFile)
  const config = readWranglerConfig()
  const domain = findSetting(args, "CENTRAL_DOMAIN") ?? "localhost"
  const vars = {
    ...listOptionalSecrets(config.secrets.required, secrets),
    CENTRAL_DOMAIN: domain,
    PUBLIC_URL: `http://{host}:${port}`,
    TENANCY_TEST_CLOCK: "true",
  }
  const base = `http://${domain}:${port}`
  const credentials = await prepareData(join(stateDirectory, "credentials.json"), {
    base,
    operatorToken: secrets.OPERATOR_TOKEN ?? "",
    stateDirectory,
    databases: [...config.d1_databases, ...delivery.databases],
    vars: { ...vars, ...SEED_VARS },
    onLine: createLogPrinter(true),
  })

  const provider = argv.includes(DEMO_PAYMENTS)
    ? await startDemoPayments(`http://localhost:${port}/webhooks/stripe`, secrets.STRIPE_WEBHOOK_SECRET ?? "")
    : null
  const cards: Record<string, string> = provider ? { STRIPE_SECRET_KEY: "sk_demo", STRIPE_API_URL: provider.url } : {}
  const push = argv.includes(DEMO_PUSH) ? await startDemoPush() : null
  // The mock is on loopback, which token endpoints may not use by default.
  const phones: Record<string, string> = push
    ? { FCM_BASE_URL: push.url, TENANCY_WEBHOOKS_ALLOW_PRIVATE_HOSTS: "true" }
    : {}
  const demo = { ...cards, ...phones }
  const worker = startWorker({
    port,
    stateDirectory,
    vars: {
      TENANCY_DEMO_STORE: DEMO_STORE,
      ...listDocsKeys(credentials),
      ...vars,
      ...demo,
      ...(faultRate && { FAULT_RATE: String(faultRate) }),
    },
    ...(faultRate && { entry: FAULTY_WORKER }),
    args,
    onLine: createLogPrinter(false),
  })
  await worker.waitUntilHealthy()
  await push?.setUp(base, secrets.OPERATOR_TOKEN ?? "")
  const stopCrons = startCrons(config.triggers.crons, `http://localhost:${port}`, console.error)
  console.log(renderBanner(credentials, base, await listPages(base), formatPath(stateDirectory)))

  const status = await worker.exited
  stopCrons()
  provider?.close()
  push?.close()
  if (!isStopping) throw new UserError(`wrangler dev exited unexpectedly with status ${status}.`)
}

/**
 * Returns the share of calls that fail; 0 without the option.
 * @throws UserError for anything but a number from 0 to 1
 */
function parseFaultRate(argv: string[]): number {
  const text = argv.find((arg) => arg.startsWith(FAULTS))?.slice(FAULTS.length) ?? "0"
  const rate = Number(text)
  if (text === "" || !(rate >= 0 && rate <= 1))
    throw new UserError(`${FAULTS}${text} is not a share from 0 to 1, such as ${FAULTS}0.01.`)
  return rate
}

/** Lists the secrets that `wrangler dev` does not load from .dev.vars, because wrangler.toml does not require them. */
const listOptionalSecrets = (required: string[], secrets: Record<string, string | undefined>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(secrets).flatMap(([name, value]) => (value && !required.includes(name) ? [[name, value]] : [])),
  )

/** @throws UserError when the port is unavailable */
async function assertPortIsFree(port: number): Promise<void> {
  const error = await getPortError(port)
  if (error === "EACCES")
    throw new UserError(`Permission denied for port ${port}. Use another port, e.g. PORT=8787 npm start.`)
  if (error)
    throw new UserError(
      `Port ${port} is already in use. Stop the other process, or use another port, e.g. PORT=${port + 1} npm start.`,
    )
}

/**
 * Creates a printer for the Worker's log: short lines on a terminal, JSON elsewhere. Repeated lines are printed once.
 * @param quiet only print warnings and errors
 */
function createLogPrinter(quiet: boolean): (line: string) => void {
  const filter = createOutputFilter({ compact: process.stdout.isTTY === true, quiet })
  let last: string | null = null
  return (line) => {
    const text = isStopping ? null : filter(line)
    if (text !== null && text !== last) console.log(text)
    last = text ?? last
  }
}

interface Preparation {
  /** URL of the platform, stored with the credentials. */
  base: string
  operatorToken: string
  stateDirectory: string
  /** The databases to migrate. */
  databases: Parameters<typeof applyLocalMigrations>[0]
  vars: Parameters<typeof startWorker>[0]["vars"]
  onLine: (line: string) => void
}

/**
 * Migrates the databases, then creates the demo data unless it exists.
 * @param file path of the credentials
 * @returns the credentials, or null when creating the data failed; the next start retries
 */
async function prepareData(file: string, preparation: Preparation): Promise<Credentials | null> {
  const { base, operatorToken: operator_token, stateDirectory, databases } = preparation
  const existing = readCredentials(file)
  // Started first, because it bundles while the databases are migrated.
  const seed = existing ? null : await startSeedWorker(preparation)
  const migrated = await applyLocalMigrations(databases, stateDirectory)
  if (migrated.length > 0) console.log(`Migrated ${migrated.join(", ")}.`)
  const credentials = existing ?? (await seed?.createDemoData())
  if (!credentials) return null
  const current = { ...credentials, base_url: base, operator_token }
  if (existing?.base_url !== base || existing.operator_token !== operator_token) writeCredentials(file, current)
  return current
}

/** Starts a Worker on a random port for the demo data, so that the platform is complete as soon as it is reachable. */
async function startSeedWorker({ operatorToken, stateDirectory, vars, onLine }: Preparation) {
  const port = await findFreePort()
  const worker = startWorker({
    port,
    stateDirectory,
    // The clock jumps over the duration of a backup, which would then fail.
    vars: { ...vars, TENANCY_BACKUP_DAYS: "0" },
    entry: "tools/seed/past.ts",
    args: [],
    onLine,
  })
  return {
    /** Creates the data and stops the Worker; null when that failed. */
    async createDemoData() {
      console.log(
        "Creating demo data, on the first start only. This takes one to four minutes, depending on the machine.",
      )
      try {
        await worker.waitUntilHealthy()
        return await seedDemoData(`http://${vars.CENTRAL_DOMAIN}:${port}`, operatorToken, console.log)
      } catch (error) {
        if (!isStopping) console.error(`Could not create the demo data; the next start retries: ${error}`)
        return null
      } finally {
        await worker.stop()
      }
    },
  }
}

/** Formats a path relative to the root if it is inside. */
const formatPath = (path: string): string => (path.startsWith(root) ? relative(root, path) || "." : path)

/** Lists the pages that this Worker serves. */
async function listPages(base: string): Promise<Page[]> {
  const pages = [
    { label: "Console", url: `${base}/console` },
    { label: "API reference", url: `${base}/docs` },
  ]
  const found = await Promise.all(
    pages.map(async (page) => {
      const response = await fetch(page.url, { redirect: "manual" }).catch(() => null)
      await response?.body?.cancel()
      return response && response.status < 400 ? [page] : []
    }),
  )
  return found.flat()
}

/** The demo keys for the forms of /docs, by security scheme of the OpenAPI documents. */
function listDocsKeys(credentials: Credentials | null): Record<string, string> {
  const { platform, content, licenses } = credentials ?? {}
  const keys = {
    bearer: platform?.write_key,
    siteKey: content?.api_key,
    clientKey: licenses?.external_key,
    vendorKey: licenses?.internal_key,
  }
  const entries = Object.entries(keys).flatMap(([scheme, key]) => (key ? [`${scheme}=${key}`] : []))
  return { TENANCY_DOCS_DEMO_KEYS: entries.join(",") }
}
