// npm run deploy -- --check: what is there and what is missing, line by line, with what to do about it. Changes nothing.
import { resolve4, resolve6 } from "node:dns/promises"
import type { WranglerConfig } from "../lib/project.ts"
import { migrationsOf } from "../local/migrations.ts"
import { appliedMigrations, secretNames, servingVersion } from "./account.ts"
import { jsonOf, type Wrangler } from "./wrangler.ts"

export interface Check {
  config: WranglerConfig
  /** What wrangler.toml itself shows to be missing. */
  faults: string[]
  wrangler: Wrangler
  say: (line: string) => void
}

/** One thing that was looked at: whether it is there, and what to do when it is not. */
type Finding = { ok: boolean; what: string; remedy?: string }

/**
 * Looks at wrangler.toml, then, when somebody is logged in, at the account and the names.
 * @returns whether nothing is missing
 */
export async function check({ config, faults, wrangler, say }: Check): Promise<boolean> {
  const findings: Finding[] = faults.map((fault) => ({ ok: false, what: fault }))
  if (faults.length === 0) findings.push({ ok: true, what: "wrangler.toml" })
  if (wrangler(["whoami", "--json"]).ok) {
    findings.push(
      ...resources(config, wrangler),
      ...databases(config, wrangler),
      ...worker(config, wrangler),
      ...mail(config, wrangler),
    )
    findings.push(...(await names(config)))
  } else {
    findings.push({ ok: false, what: "a login: the account was not looked at", remedy: "npx wrangler login" })
  }
  for (const { ok, what, remedy } of findings)
    say(`${ok ? "ok      " : "missing "} ${what}${!ok && remedy ? `: ${remedy}` : ""}`)
  return findings.every(({ ok }) => ok)
}

function resources({ queues, r2_buckets }: WranglerConfig, wrangler: Wrangler): Finding[] {
  const wanted = [...new Set([...queues.producers, ...queues.consumers].map(({ queue }) => queue))]
  return [
    ...wanted.map((queue) => ({
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

function databases({ d1_databases }: WranglerConfig, wrangler: Wrangler): Finding[] {
  return d1_databases.flatMap((database): Finding[] => {
    const { binding, database_name } = database
    const info = wrangler(["d1", "info", binding, "--json"])
    if (!info.ok) {
      return [
        {
          ok: false,
          what: `database ${binding}`,
          remedy: `npx wrangler d1 create ${database_name} --location=<near your users>`,
        },
      ]
    }
    const { read_replication } = jsonOf(info) as { read_replication?: { mode?: string } }
    const applied = new Set(appliedMigrations(wrangler, database))
    const pending = migrationsOf(database).filter((name) => !applied.has(name))
    return [
      { ok: true, what: `database ${binding}` },
      {
        ok: read_replication?.mode === "auto",
        what: `read replication of ${binding}`,
        remedy: "switch it on in the dashboard, database, Settings; reads fall on one place until then",
      },
      {
        ok: pending.length === 0,
        what: `migrations of ${binding}`,
        remedy: `npm run deploy applies ${pending.join(", ")}`,
      },
    ]
  })
}

function worker({ name, secrets, vars }: WranglerConfig, wrangler: Wrangler): Finding[] {
  const known = secretNames(wrangler)
  const required = secrets.required.map((secret) => ({
    ok: known?.includes(secret) ?? false,
    what: `secret ${secret}`,
    remedy: known
      ? `npx wrangler secret put ${secret}`
      : "npm run deploy -- --secrets-file=<file> with the first deployment",
  }))
  const serving = known ? servingVersion(wrangler) : null
  const hostnames =
    vars.CLOUDFLARE_ZONE_ID && !known?.includes("CLOUDFLARE_API_TOKEN")
      ? [
          {
            ok: false,
            what: "secret CLOUDFLARE_API_TOKEN, without which customers' domains are set up by hand",
            remedy: "npx wrangler secret put CLOUDFLARE_API_TOKEN",
          },
        ]
      : []
  return [
    ...required,
    ...hostnames,
    { ok: serving !== null, what: `a deployment of ${name}`, remedy: "npm run deploy" },
  ]
}

function mail({ vars }: WranglerConfig, wrangler: Wrangler): Finding[] {
  const domain = String(vars.MAIL_FROM).split("@")[1] ?? ""
  return [
    {
      ok: wrangler(["email", "sending", "settings", domain]).ok,
      what: `mail from ${domain}`,
      remedy: `npx wrangler email sending enable ${domain}`,
    },
  ]
}

/** The central domain and any name under it must lead to Cloudflare; a name no store has shows whether the wildcard does. */
async function names({ vars }: WranglerConfig): Promise<Finding[]> {
  const central = String(vars.CENTRAL_DOMAIN)
  const wanted = [
    central,
    `check-of-the-wildcard.${central}`,
    ...(vars.TENANCY_CNAME_HOST ? [String(vars.TENANCY_CNAME_HOST)] : []),
  ]
  return Promise.all(
    wanted.map(async (name) => ({
      ok: await resolves(name),
      what: `DNS of ${name}`,
      remedy: `a proxied record, AAAA 100::, for ${name.replace(/^check-of-the-wildcard/, "*")}`,
    })),
  )
}

const resolves = async (name: string): Promise<boolean> =>
  (await Promise.allSettled([resolve4(name), resolve6(name)])).some(({ status }) => status === "fulfilled")
