// What wrangler.toml itself shows to be missing, without asking anybody.
import { rmSync } from "node:fs"
import { join } from "node:path"
import { pathToFileURL } from "node:url"
import { build } from "esbuild"
import { root, type WranglerConfig } from "../lib/project.ts"

/** Sentences about what wrangler.toml still holds from the day it was cloned, and about settings the Worker would refuse. */
export async function configFaults(config: WranglerConfig): Promise<string[]> {
  const { d1_databases, vars, routes } = config
  const unmade = d1_databases.filter(({ database_id }) => /^0{8}-0{4}-0{4}-0{4}-/.test(database_id))
  const from = String(vars.MAIL_FROM)
  return [
    ...unmade.map(
      ({ binding, database_name }) =>
        `${binding} has no real database_id: run "npx wrangler d1 create ${database_name}" and write its id in wrangler.toml.`,
    ),
    ...(vars.CENTRAL_DOMAIN === "localhost"
      ? ["CENTRAL_DOMAIN is localhost: write the platform's host name in wrangler.toml."]
      : []),
    ...(/@(.*\.)?example\.(com|org|net)$/.test(from) ? [`MAIL_FROM is ${from}: no mail would go out.`] : []),
    ...(routes.length === 0 ? ["There are no routes: nothing would reach the Worker."] : []),
    ...(await settingFaults(config)),
  ]
}

/** What the Worker's own parser says of the vars; secrets are another matter, and bindings are what the file binds. */
async function settingFaults({ vars, d1_databases, queues, secrets }: WranglerConfig): Promise<string[]> {
  const outfile = join(root, "node_modules", `.cache-settings-${process.pid}.mjs`)
  await build({
    entryPoints: [join(root, "src/env.ts")],
    outfile,
    bundle: true,
    format: "esm",
    platform: "node",
    external: ["cloudflare:*"],
  })
  try {
    const { settingsOf } = await import(pathToFileURL(outfile).href)
    const bound = Object.fromEntries([...d1_databases, ...queues.producers].map(({ binding }) => [binding, {}]))
    const sealed = { APP_KEY: `base64:${Buffer.alloc(32).toString("base64")}`, OPERATOR_TOKEN: "x".repeat(32) }
    settingsOf({ ...vars, ...bound, ...sealed })
    return []
  } catch (thrown) {
    const { faults } = thrown as { faults?: Record<string, string> }
    if (!faults) throw thrown
    return Object.entries(faults)
      .filter(([name]) => !secrets.required.includes(name))
      .map(([name, fault]) => `${name} ${fault}.`)
  } finally {
    rmSync(outfile, { force: true })
  }
}
