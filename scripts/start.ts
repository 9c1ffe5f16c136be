// npm start: from a fresh clone to a running platform with demo data, its cron triggers driven, until Ctrl-C.
// PORT, STATE_DIR and the arguments of `wrangler dev` shape it; README.md says how.
import { join, relative } from "node:path"
import { portOf, root, secretsFile, stateDirectoryOf, UserError, wranglerConfig } from "../tools/lib/project.ts"
import { banner, type Page } from "../tools/local/banner.ts"
import { type Credentials, readCredentials, writeCredentials } from "../tools/local/credentials.ts"
import { driveCrons } from "../tools/local/cron.ts"
import { startDemoPayments } from "../tools/local/demo-payments.ts"
import { startDemoPush } from "../tools/local/demo-push.ts"
import { ensureSecrets } from "../tools/local/dev-vars.ts"
import { migrateLocally } from "../tools/local/migrations.ts"
import { outputFilter } from "../tools/local/output.ts"
import { freePort, portFault } from "../tools/local/port.ts"
import { claimState } from "../tools/local/state-lock.ts"
import { settingIn, startWorker } from "../tools/local/worker.ts"
import { stopAllWranglers } from "../tools/local/wrangler.ts"
import { seed } from "./seed.ts"

/** Options of `wrangler dev` that everything else here depends on, and how to set them. */
const reserved: Record<string, string> = { "--port": "PORT", "--persist-to": "STATE_DIR" }

/** The seed must not depend on settings that somebody tries out in the very first start. */
const seedVars = { TENANCY_API_ENABLED: "true", TENANCY_API_RATE_LIMIT: "100000", TENANCY_API_RATE_LIMIT_PER_IP: "0" }

/** Lets a stand-in take the card payments. */
const DEMO_PAYMENTS = "--demo-payments"

/** Lets a stand-in take the push notifications. */
const DEMO_PUSH = "--demo-push"

let stopping = false

for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
  process.on(signal, async () => {
    if (stopping) return
    stopping = true
    await stopAllWranglers()
    process.exit(0)
  })
}

run(process.argv.slice(2)).catch(async (error) => {
  if (stopping) return
  stopping = true
  console.error(error instanceof UserError ? error.message : error)
  await stopAllWranglers()
  process.exit(1)
})

/** @param given what was given after `npm start --` */
async function run(given: string[]): Promise<void> {
  const args = given.filter((arg) => arg !== DEMO_PAYMENTS && arg !== DEMO_PUSH)
  for (const [option, variable] of Object.entries(reserved)) {
    if (args.some((arg) => arg === option || arg.startsWith(`${option}=`))) {
      throw new UserError(`${option} is set by the environment variable ${variable}.`)
    }
  }
  const port = portOf(process.env)
  const stateDirectory = stateDirectoryOf(process.env)
  await requirePort(port)
  claimState(stateDirectory, "start.ts")
  const secrets = ensureSecrets(secretsFile)
  const config = wranglerConfig()
  const migrated = await migrateLocally(config.d1_databases, stateDirectory)
  if (migrated.length > 0) console.log(`Migrated ${migrated.join(", ")}.`)

  const domain = settingIn(args, "CENTRAL_DOMAIN") ?? "localhost"
  const vars = {
    ...beyond(config.secrets.required, secrets),
    CENTRAL_DOMAIN: domain,
    PUBLIC_URL: `http://{host}:${port}`,
    TENANCY_TEST_CLOCK: "true",
  }
  const base = `http://${domain}:${port}`
  const credentials = await ensureDemoData(join(stateDirectory, "credentials.json"), {
    base,
    operatorToken: secrets.OPERATOR_TOKEN ?? "",
    stateDirectory,
    vars: { ...vars, ...seedVars },
    onLine: shower(true),
  })

  const provider = given.includes(DEMO_PAYMENTS)
    ? await startDemoPayments(`http://localhost:${port}/webhooks/stripe`, secrets.STRIPE_WEBHOOK_SECRET ?? "")
    : null
  const cards: Record<string, string> = provider ? { STRIPE_SECRET_KEY: "sk_demo", STRIPE_API_URL: provider.url } : {}
  const push = given.includes(DEMO_PUSH) ? await startDemoPush() : null
  // The stand-in is on loopback, where no token endpoint may be otherwise.
  const phones: Record<string, string> = push
    ? { FCM_BASE_URL: push.url, TENANCY_WEBHOOKS_ALLOW_PRIVATE_HOSTS: "true" }
    : {}
  const demo = { ...cards, ...phones }
  const worker = startWorker({ port, stateDirectory, vars: { ...vars, ...demo }, args, onLine: shower(false) })
  await worker.healthy()
  await push?.setUp(base, secrets.OPERATOR_TOKEN ?? "")
  const stopCrons = driveCrons(config.triggers.crons, `http://localhost:${port}`, console.error)
  console.log(banner(credentials, base, await pagesOf(base), shortPath(stateDirectory)))

  const status = await worker.exited
  stopCrons()
  provider?.close()
  push?.close()
  if (!stopping) throw new UserError(`wrangler dev ended by itself, with status ${status}.`)
}

/** The secrets that `wrangler dev` leaves in .dev.vars, because wrangler.toml does not require them. */
const beyond = (required: string[], secrets: Record<string, string | undefined>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(secrets).flatMap(([name, value]) => (value && !required.includes(name) ? [[name, value]] : [])),
  )

/** @throws UserError when the port cannot be listened on */
async function requirePort(port: number): Promise<void> {
  const fault = await portFault(port)
  if (fault === "EACCES")
    throw new UserError(`Port ${port} needs more rights than this user has; choose another one with PORT=8787.`)
  if (fault)
    throw new UserError(
      `Port ${port} is already in use; stop what listens there, or choose another one, e.g. PORT=${port + 1} npm start.`,
    )
}

/**
 * Shows the Worker's log: short lines on a terminal, its JSON as it is anywhere else. What is said twice is shown once.
 * @param quiet show warnings and errors only
 */
function shower(quiet: boolean): (line: string) => void {
  const filter = outputFilter({ compact: process.stdout.isTTY === true, quiet })
  let last: string | null = null
  return (line) => {
    const text = stopping ? null : filter(line)
    if (text !== null && text !== last) console.log(text)
    last = text ?? last
  }
}

interface DemoData {
  /** The URL that the credentials are for. */
  base: string
  operatorToken: string
  stateDirectory: string
  vars: Parameters<typeof startWorker>[0]["vars"]
  onLine: (line: string) => void
}

/**
 * Makes the demo data unless it was made before, in a Worker of its own on a port that nobody knows: whoever finds the
 * platform healthy finds it complete.
 * @param file where the credentials are kept
 * @returns the credentials, or null when the data could not be made; the next start tries again
 */
async function ensureDemoData(
  file: string,
  { base, operatorToken, stateDirectory, vars, onLine }: DemoData,
): Promise<Credentials | null> {
  const known = readCredentials(file)
  if (known) {
    const current = { ...known, base_url: base, operator_token: operatorToken }
    if (known.base_url !== base || known.operator_token !== operatorToken) writeCredentials(file, current)
    return current
  }
  console.log("Making the demo data.")
  const port = await freePort()
  const worker = startWorker({ port, stateDirectory, vars, entry: "tools/seed/past.ts", args: [], onLine })
  try {
    await worker.healthy()
    const credentials = { base_url: base, ...(await seed(`http://${vars.CENTRAL_DOMAIN}:${port}`, operatorToken)) }
    writeCredentials(file, credentials)
    return credentials
  } catch (error) {
    if (!stopping) console.error(`The demo data could not be made, the next start tries again: ${error}`)
    return null
  } finally {
    await worker.stop()
  }
}

/** A path below the root as seen from there, any other as it is. */
const shortPath = (path: string): string => (path.startsWith(root) ? relative(root, path) || "." : path)

/** The pages for people that this Worker has. */
async function pagesOf(base: string): Promise<Page[]> {
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
