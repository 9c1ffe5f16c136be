// Finds problems in wrangler.toml without network access.
import type { Bindings } from "../../src/env.ts"
import type { WranglerConfig } from "../lib/project.ts"
import "../lib/worker-imports.ts"

/** Formats the command that creates a database. Its location cannot be changed later. */
export const formatDatabaseCommand = (name: string): string =>
  `npx wrangler d1 create ${name} --location=<near your users>`

/**
 * Lists placeholders left in wrangler.toml, and settings that the Worker would reject.
 * @param file the configuration's path, which the errors name
 */
export async function findConfigErrors(config: WranglerConfig, file: string): Promise<string[]> {
  const { d1_databases, vars, routes, queues } = config
  const placeholderDatabases = d1_databases.filter(({ database_id }) => /^0{8}-0{4}-0{4}-0{4}-/.test(database_id))
  const from = String(vars.MAIL_FROM)
  return [
    ...placeholderDatabases.map(
      ({ binding, database_name }) =>
        `${binding} has no real database_id. Run "${formatDatabaseCommand(database_name)}" and copy the id to ${file}.`,
    ),
    ...(vars.CENTRAL_DOMAIN === "localhost"
      ? [`CENTRAL_DOMAIN is localhost. Set the platform's host name in ${file}.`]
      : []),
    ...(/@(.*\.)?example\.(com|org|net)$/.test(from) ? [`MAIL_FROM is ${from}, so no email would be sent.`] : []),
    ...queues.consumers
      .flatMap(({ dead_letter_queue: name }) => name ?? [])
      .filter((name, index, all) => !name.endsWith("-dead") && all.indexOf(name) === index)
      .map(
        (name) => `The dead letter queue ${name} needs a name that ends in -dead, by which the Worker recognizes it.`,
      ),
    ...(routes.length === 0 ? ["No routes are configured, so no request would reach the Worker."] : []),
    ...(await findSettingErrors(config)),
  ]
}

/** Validates the vars with the Worker's own parser, with placeholders for bindings and secrets. */
async function findSettingErrors({ vars, d1_databases, queues, secrets }: WranglerConfig): Promise<string[]> {
  try {
    const { settingsOf } = await import("../../src/env.ts")
    const bound = Object.fromEntries([...d1_databases, ...queues.producers].map(({ binding }) => [binding, {}]))
    const secretValues = { APP_KEY: `base64:${Buffer.alloc(32).toString("base64")}`, OPERATOR_TOKEN: "x".repeat(32) }
    settingsOf({ ...vars, ...bound, ...secretValues } as unknown as Bindings)
    return []
  } catch (thrown) {
    const { problems } = thrown as { problems?: Record<string, string> }
    if (!problems) throw thrown
    return Object.entries(problems)
      .filter(([name]) => !secrets.required.includes(name))
      .map(([name, fault]) => `${name} ${fault}.`)
  }
}
