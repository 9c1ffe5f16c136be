// npm run deploy: migrates the remote databases, then deploys the Worker. With --dry-run it only shows what it would do.
import { spawnSync } from "node:child_process"
import { join } from "node:path"
import { applyCommand, migrationsOf } from "./lib/migrations.ts"
import { root, type WranglerConfig, wranglerConfig } from "./lib/project.ts"
import { settingIn } from "./lib/worker.ts"

const args = process.argv.slice(2)
const dryRun = args.includes("--dry-run")
const config = wranglerConfig()

for (const fault of faultsOf(config)) {
  console.error(fault)
  if (!dryRun) process.exitCode = 1
}
if (process.exitCode) process.exit()

for (const database of config.d1_databases) {
  const files = migrationsOf(database)
  console.log(`${database.binding}: up to ${files.at(-1) ?? "no migration"} of ${database.migrations_dir}`)
  if (!dryRun && files.length > 0) wrangler(applyCommand(database, ["--remote"]))
}
wrangler(["deploy", ...args])

/** Sentences about what wrangler.toml still holds from the day it was cloned. */
function faultsOf({ d1_databases, vars }: WranglerConfig): string[] {
  const unmade = d1_databases.filter(({ database_id }) => database_id.startsWith("00000000-0000-0000-0000-"))
  const domain = settingIn(args, "CENTRAL_DOMAIN") ?? vars.CENTRAL_DOMAIN
  return [
    ...unmade.map(
      ({ binding, database_name }) =>
        `wrangler.toml has no real database_id for ${binding}: run "npx wrangler d1 create ${database_name}" and write its id there.`,
    ),
    ...(domain === "localhost"
      ? ["wrangler.toml has no real CENTRAL_DOMAIN: write the platform's host name there."]
      : []),
  ]
}

/** Runs wrangler on this terminal and ends with its status when it fails. */
function wrangler(command: string[]): void {
  const entry = join(root, "node_modules", "wrangler", "bin", "wrangler.js")
  const { status } = spawnSync(process.execPath, [entry, ...command], { cwd: root, stdio: "inherit" })
  if (status !== 0) process.exit(status ?? 1)
}
