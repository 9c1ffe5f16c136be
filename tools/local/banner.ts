// Renders the banner of `npm start`: URLs, demo credentials and sample commands.
import { join } from "node:path"
import { demoStores } from "../seed/stores.ts"
import type { Credentials } from "./credentials.ts"

/** The display path of the data directory without STATE_DIR. */
const DEFAULT_STATE = join(".wrangler", "state")

/** A page of the running Worker. */
export interface Page {
  label: string
  url: string
}

/**
 * Renders the banner.
 * @param credentials of the running platform; null when creating the demo data failed
 * @param base URL of the central host, e.g. `http://localhost:8787`
 * @param pages in display order
 * @param state display path of the data directory
 */
export function renderBanner(credentials: Credentials | null, base: string, pages: Page[], state: string): string {
  const { protocol, host } = new URL(base)
  const rows: [label: string, value: string][] = [
    ["Control plane", `${base}/api/platform/v1`],
    ...pages.map(({ label, url }): [string, string] => [label, url]),
    ...(credentials ? listDemoRows(credentials, (store) => `${protocol}//${store}.${host}`) : []),
    ["Emails", ".wrangler/tmp/email (not sent; the log names each file; deleted when the platform stops)"],
    ["Data", `${state} (persists between starts; delete it to reset)`],
  ]
  const width = Math.max(...rows.map(([label]) => label.length))
  const lines = rows.map(([label, value]) => `  ${label.padEnd(width)}  ${value}`)
  const commands = listSampleCommands(credentials, base, state).map((command) => `  ${command}`)
  return ["", "Tenancy is running. Press Ctrl-C to stop.", "", ...lines, "", "Try:", ...commands, ""].join("\n")
}

function listDemoRows(
  { operator, owner, platform }: Credentials,
  urlOf: (store: string) => string,
): [string, string][] {
  const stores = demoStores.map(({ name, subdomain, suspended }, index): [string, string] => [
    index === 0 ? "Stores" : "",
    `${urlOf(subdomain)}  ${name}${suspended ? ", suspended" : ""}`,
  ])
  return [
    ...stores,
    ...(owner ? listOwnerRows(owner, urlOf) : []),
    ...(operator ? [["Operator", `${operator.email}  ${operator.password}`] satisfies [string, string]] : []),
    ...(platform ? [["Write key", platform.write_key] satisfies [string, string]] : []),
    ...(platform ? [["Read key", platform.read_key] satisfies [string, string]] : []),
  ]
}

/** The admin of the first store, and who may sign in there. */
const listOwnerRows = (
  { email, password }: NonNullable<Credentials["owner"]>,
  urlOf: (store: string) => string,
): [string, string][] => [
  ["Store admin", `${urlOf(demoStores[0]?.subdomain ?? "")}/admin`],
  ["Store owner", `${email}  ${password}`],
]

/** Lists commands that work when pasted. */
function listSampleCommands(credentials: Credentials | null, base: string, state: string): string[] {
  const { port } = new URL(base)
  // The command reads the credentials in the directory of the data.
  const directory = state === DEFAULT_STATE ? "" : `STATE_DIR='${state.replaceAll("'", `'\\''`)}' `
  const listKeys = `${port === "8787" ? "" : `PORT=${port} `}${directory}npm run operator -- keys:list`
  if (!credentials?.platform) return [`curl ${base}/api/health-check`, listKeys]
  const { read_key, write_key } = credentials.platform
  const offline = demoStores.find(({ suspended }) => suspended)
  return [
    `curl -H 'Authorization: Bearer ${read_key}' ${base}/api/platform/v1/stores`,
    `curl -H 'Authorization: Bearer ${write_key}' -X POST ${base}/api/platform/v1/stores/${offline?.subdomain}/resume`,
    listKeys,
  ]
}
