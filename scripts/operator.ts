// The operator's command line: npm run operator -- <command> [--name=value …] [--json]
// It speaks HTTP to a running Worker, the local one unless TENANCY_URL names another.
import { existsSync, readFileSync } from "node:fs"
import { parseEnv } from "node:util"
import { ApiRefusal, callApi } from "./lib/api.ts"
import { parseCommandLine } from "./lib/arguments.ts"
import { portOf, secretsFile, UserError } from "./lib/project.ts"
import { columns, readable } from "./lib/table.ts"

const PATH = "/api/operator/v1"

/** A command as the Worker describes it. */
interface Command {
  name: string
  summary: string
  options: { name: string; required: boolean; summary: string }[]
}

run(process.argv.slice(2)).catch((error) => {
  console.error(describe(error))
  process.exit(1)
})

async function run(args: string[]): Promise<void> {
  const { command, options, json } = parseCommandLine(args)
  const base = process.env.TENANCY_URL || `http://localhost:${portOf(process.env)}`
  if (!URL.canParse(base))
    throw new UserError(`TENANCY_URL must be a URL such as https://shops.example.com, not "${base}".`)
  if (command === undefined || command === "help") {
    const commands = await callApi<Command[]>(base, operatorToken(), "GET", PATH)
    console.log(json ? JSON.stringify(commands, null, 2) : usage(commands))
    return
  }
  const data = await callApi<Parameters<typeof readable>[0]>(
    base,
    operatorToken(),
    "POST",
    `${PATH}/${command}`,
    options,
  )
  console.log(json ? JSON.stringify(data ?? null, null, 2) : data === undefined ? "Done." : readable(data))
}

/** @throws UserError when neither the environment nor the local secrets have it */
function operatorToken(): string {
  const local = existsSync(secretsFile) ? parseEnv(readFileSync(secretsFile, "utf8")).OPERATOR_TOKEN : undefined
  const token = process.env.OPERATOR_TOKEN || local
  if (!token)
    throw new UserError(
      "There is no OPERATOR_TOKEN: npm start makes one for this machine, or set the environment variable.",
    )
  return token
}

/** The commands with their options, and how to call one. */
function usage(commands: Command[]): string {
  const rows = commands.flatMap(({ name, summary, options }) => [
    [name, summary],
    ...options.map((option) => [`  --${option.name}=`, `${option.summary}${option.required ? "" : " (optional)"}`]),
  ])
  return `npm run operator -- <command> [--name=value …] [--json]\n\n${columns(rows)}`
}

/** An error in one sentence; of a refusal over fields, a line a field below it. */
function describe(error: unknown): string {
  if (error instanceof ApiRefusal) {
    const faults = Object.entries(error.fields).map(([name, messages]) => `  --${name}: ${messages.join(" ")}`)
    return [`${error.message} (${error.code})`, ...faults].join("\n")
  }
  return error instanceof Error ? error.message : String(error)
}
