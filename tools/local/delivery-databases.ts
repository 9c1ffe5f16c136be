// Adds delivery databases to the configuration of a local platform: `npm start -- --delivery-databases=4`.
import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { type Database, root, UserError } from "../lib/project.ts"

/** The option of `npm start`. */
export const DELIVERY_DATABASES = "--delivery-databases="

const MAX_DATABASES = 16

/** What runs the platform with delivery databases. */
interface DeliveryDatabases {
  databases: Database[]
  /** Arguments for `wrangler dev`. */
  args: string[]
}

/**
 * Writes a configuration with the delivery databases that the arguments ask for.
 * @param argv what was given after `npm start --`
 * @returns nothing to add without the option
 * @throws UserError for anything but a number from 1 to 16
 */
export function addDeliveryDatabases(argv: readonly string[]): DeliveryDatabases {
  const text = argv.find((arg) => arg.startsWith(DELIVERY_DATABASES))?.slice(DELIVERY_DATABASES.length)
  if (text === undefined) return { databases: [], args: [] }
  const count = Number(text)
  if (!Number.isInteger(count) || count < 1 || count > MAX_DATABASES)
    throw new UserError(`${DELIVERY_DATABASES}${text} is not a number from 1 to ${MAX_DATABASES}.`)
  const databases = Array.from({ length: count }, (_, index) => buildDatabase(index + 1))
  // Its paths are relative to its folder, so it has to be in the root.
  const file = join(root, `.wrangler-delivery-databases-${count}.toml`)
  writeFileSync(file, [readFileSync(join(root, "wrangler.toml"), "utf8"), ...databases.map(formatDatabase)].join("\n"))
  // Endpoints of the demo data are in the central database.
  const names = ["DB", ...databases.map(({ binding }) => binding)].join()
  return { databases, args: ["--config", file, "--var", `WEBHOOK_DATABASES:${names}`] }
}

const buildDatabase = (number: number): Database => ({
  binding: `WEBHOOKS_${number}`,
  database_name: `tenancy-webhooks-${number}`,
  database_id: `00000000-0000-0000-0001-${String(number).padStart(12, "0")}`,
  migrations_dir: "migrations/central",
})

const formatDatabase = (database: Database): string =>
  ["[[d1_databases]]", ...Object.entries(database).map(([name, value]) => `${name} = "${value}"`), ""].join("\n")
