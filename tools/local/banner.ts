// What a start ends with: where to go, whom to be, three commands to try.
import { demoStores } from "../seed/stores.ts"
import type { Credentials } from "./credentials.ts"

/** A page that is listed when the running Worker has it. */
export interface Page {
  label: string
  url: string
}

/**
 * The banner.
 * @param credentials of the running platform; null when the demo data could not be made
 * @param base URL of the central host, e.g. `http://localhost:8787`
 * @param pages pages for people, in order
 * @param state where the data is, as it is to be shown
 */
export function banner(credentials: Credentials | null, base: string, pages: Page[], state: string): string {
  const { protocol, host } = new URL(base)
  const rows: [label: string, value: string][] = [
    ["Control plane", `${base}/api/platform/v1`],
    ...pages.map(({ label, url }): [string, string] => [label, url]),
    ...(credentials ? demoRows(credentials, (store) => `${protocol}//${store}.${host}`) : []),
    ["Data", `${state} (npm start keeps it; delete it to begin anew)`],
  ]
  const width = Math.max(...rows.map(([label]) => label.length))
  const lines = rows.map(([label, value]) => `  ${label.padEnd(width)}  ${value}`)
  const commands = tryOut(credentials, base).map((command) => `  ${command}`)
  return ["", "Tenancy is running. Ctrl-C stops it.", "", ...lines, "", "Try:", ...commands, ""].join("\n")
}

function demoRows({ operator, platform }: Credentials, urlOf: (store: string) => string): [string, string][] {
  const stores = demoStores.map(({ name, subdomain, suspended }, index): [string, string] => [
    index === 0 ? "Stores" : "",
    `${urlOf(subdomain)}  ${name}${suspended ? ", suspended" : ""}`,
  ])
  return [
    ...stores,
    ...(operator ? [["Operator", `${operator.email}  ${operator.password}`] satisfies [string, string]] : []),
    ...(platform ? [["Write key", platform.write_key] satisfies [string, string]] : []),
    ...(platform ? [["Read key", platform.read_key] satisfies [string, string]] : []),
  ]
}

/** Commands that work as pasted. */
function tryOut(credentials: Credentials | null, base: string): string[] {
  const { port } = new URL(base)
  const listKeys = `${port === "8787" ? "" : `PORT=${port} `}npm run operator -- keys:list`
  if (!credentials?.platform) return [`curl ${base}/api/health-check`, listKeys]
  const { read_key, write_key } = credentials.platform
  const offline = demoStores.find(({ suspended }) => suspended)
  return [
    `curl -H 'Authorization: Bearer ${read_key}' ${base}/api/platform/v1/stores`,
    `curl -H 'Authorization: Bearer ${write_key}' -X POST ${base}/api/platform/v1/stores/${offline?.subdomain}/resume`,
    listKeys,
  ]
}
