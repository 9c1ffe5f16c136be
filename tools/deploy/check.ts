// npm run deploy -- --check: prints each required resource as ok or missing, with the command that fixes it. Changes
// nothing.
import { basename } from "node:path"
import type { WranglerConfig } from "../lib/project.ts"
import { listMigrations } from "../local/migrations.ts"
import { listAppliedMigrations, listDeployedVersions, listSecretNames } from "./account.ts"
import { createApi } from "./api.ts"
import { checkAccount } from "./check-account.ts"
import { formatDatabaseCommand } from "./config-errors.ts"
import { parseJson, type Wrangler } from "./wrangler.ts"

export interface CheckOptions {
  config: WranglerConfig
  /** The configuration's path, as it is printed. */
  file: string
  /** Problems found in wrangler.toml. */
  errors: string[]
  wrangler: Wrangler
  print: (line: string) => void
}

/** `ok` is null when the login cannot find out; `remedy` is then the reason. */
export type CheckResult = { ok: boolean | null; what: string; remedy?: string }

/**
 * Checks wrangler.toml and, when logged in, the account and DNS.
 * @returns whether nothing is known to be missing
 */
export async function checkDeployment({
  config,
  file,
  errors: faults,
  wrangler,
  print: say,
}: CheckOptions): Promise<boolean> {
  // Wrangler and the deployment read wrangler.toml by default.
  say(`Checking ${file}.${file === "wrangler.toml" ? "" : ` Add --config=${file} to the commands below.`}`)
  const findings: CheckResult[] = faults.map((fault) => ({ ok: false, what: fault }))
  if (faults.length === 0) findings.push({ ok: true, what: basename(file) })
  if (wrangler(["whoami", "--json"]).ok) {
    findings.push(
      ...checkResources(config, wrangler),
      ...checkDatabases(config, wrangler),
      ...checkWorker(config, wrangler),
      ...checkMail(config, wrangler),
    )
    findings.push(...(await checkAccount(config, wrangler, createApi(wrangler, config))))
  } else {
    findings.push({ ok: false, what: "Cloudflare login; the account was not checked", remedy: "npx wrangler login" })
  }
  for (const { ok, what: subject, remedy } of findings)
    say(`${ok ? "ok      " : ok === null ? "unknown " : "missing "} ${subject}${!ok && remedy ? `: ${remedy}` : ""}`)
  return findings.every(({ ok }) => ok !== false)
}

function checkResources({ queues, r2_buckets }: WranglerConfig, wrangler: Wrangler): CheckResult[] {
  const required = [...new Set([...queues.producers, ...queues.consumers].map(({ queue }) => queue))]
  return [
    ...required.map((queue) => ({
      ok: wrangler(["queues", "info", queue]).ok,
      what: `queue ${queue}`,
      remedy: `npx wrangler queues create ${queue}`,
    })),
    ...r2_buckets.map(({ bucket_name }) => ({
      ok: wrangler(["r2", "bucket", "info", bucket_name]).ok,
      what: `bucket ${bucket_name}`,
      remedy: `npx wrangler r2 bucket create ${bucket_name}`,
    })),
  ]
}

function checkDatabases({ d1_databases }: WranglerConfig, wrangler: Wrangler): CheckResult[] {
  return d1_databases.flatMap((database): CheckResult[] => {
    const { binding, database_name } = database
    const info = wrangler(["d1", "info", binding, "--json"])
    if (!info.ok) {
      return [
        {
          ok: false,
          what: `database ${binding}`,
          remedy: formatDatabaseCommand(database_name),
        },
      ]
    }
    const { read_replication } = parseJson(info) as { read_replication?: { mode?: string } }
    const applied = new Set(listAppliedMigrations(wrangler, database))
    const pending = listMigrations(database).filter((name) => !applied.has(name))
    return [
      { ok: true, what: `database ${binding}` },
      {
        ok: read_replication?.mode === "auto",
        what: `read replication of ${binding}`,
        remedy: "enable it in the dashboard under Settings of the database; until then, all reads go to one location",
      },
      {
        ok: pending.length === 0,
        what: `migrations of ${binding}`,
        remedy: `npm run deploy applies ${pending.join(", ")}`,
      },
    ]
  })
}

function checkWorker({ name, secrets, vars }: WranglerConfig, wrangler: Wrangler): CheckResult[] {
  const known = listSecretNames(wrangler)
  const required = secrets.required.map((secret) => ({
    ok: known?.includes(secret) ?? false,
    what: `secret ${secret}`,
    remedy: known
      ? `npx wrangler secret put ${secret}`
      : "npm run deploy -- --secrets-file=<file> with the first deployment",
  }))
  const deployed = known ? listDeployedVersions(wrangler) : []
  const hostnames =
    vars.CLOUDFLARE_ZONE_ID && !known?.includes("CLOUDFLARE_API_TOKEN")
      ? [
          {
            ok: false,
            what: "secret CLOUDFLARE_API_TOKEN of the Worker, which sets up custom domains automatically; not your login's token",
            remedy: "npx wrangler secret put CLOUDFLARE_API_TOKEN",
          },
        ]
      : []
  return [
    ...required,
    ...hostnames,
    { ok: deployed.length > 0, what: `a deployment of ${name}`, remedy: "npm run deploy" },
    ...(deployed.length > 1
      ? [
          {
            ok: false,
            what: `one version with all requests (${deployed.map(({ id, percentage }) => `${id} has ${percentage}%`).join(", ")})`,
            remedy: "a gradual deployment is in progress or was interrupted; npm run deploy continues it",
          },
        ]
      : []),
  ]
}

function checkMail({ vars }: WranglerConfig, wrangler: Wrangler): CheckResult[] {
  const domain = String(vars.MAIL_FROM).split("@")[1] ?? ""
  return [
    {
      ok: wrangler(["email", "sending", "settings", domain]).ok,
      what: `mail from ${domain}`,
      remedy: `npx wrangler email sending enable ${domain}`,
    },
  ]
}
