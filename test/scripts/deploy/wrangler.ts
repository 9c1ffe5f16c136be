// A mock wrangler: a program that sends its arguments to the test's process, whose commands read and change an account.
// It is a shell script, because starting Node for each of the hundreds of commands would take most of the tests' time.
import { appendFileSync, chmodSync, readFileSync, writeFileSync } from "node:fs"
import { type AddressInfo, createServer, type Server, type Socket } from "node:net"
import { join } from "node:path"

export interface Account {
  code: string
  /** Null when there is no Worker. */
  secrets: string[] | null
  /** Empty before the first deployment. */
  deployment: { version_id: string; percentage: number }[]
  /** Tags of uploaded versions. */
  versions: Record<string, string>
  /** Whether routes, crons and consumers were published. */
  published: boolean
  queues: { queue_name: string; consumers: { script: string; environment?: string }[] }[]
  /** Results of other API requests, by path. */
  api: Record<string, unknown>
  files: Record<string, string[]>
  applied: Record<string, string[]>
  replication: string
  /** Prefixes of failing commands, with their error messages. */
  failures: Record<string, string>
  /** The bookmarks in R2. */
  bookmarks?: { at: string; version: string | null; bookmarks: { binding: string; bookmark: string }[] }[]
  /** Kills the deployment, once, before or after the command takes effect. */
  kill?: { command: string; moment: "before" | "after" }
}

/** A running command. */
interface Command {
  /** The arguments, joined by spaces. */
  line: string
  args: string[]
  getOption: (name: string) => string
  /** Appends to wrangler's structured output. */
  writeEntry: (entry: object) => void
}

/** Wrangler's error message, with exit status 1. */
class CommandError extends Error {}

/** Sends the arguments; the reply is the exit status and the output. */
const programFor = (port: number) => `#!/bin/bash
exec 3<>/dev/tcp/127.0.0.1/${port}
printf '%s\\0' "$#" "$PPID" "$WRANGLER_OUTPUT_FILE_PATH" "$@" >&3
IFS= read -r -d '' status <&3
IFS= read -r -d '' output <&3
if [ "$status" = 0 ]; then printf '%s' "$output"; else printf '%s' "$output" >&2; fi
exit "$status"
`

/**
 * Installs the program in a directory of PATH.
 * @param getAccount returns the account of the running test
 * @param calls receives the line of each command
 * @returns the server that the program calls
 */
export async function startWrangler(directory: string, getAccount: () => Account, calls: string[]): Promise<Server> {
  const server = createServer((socket) => {
    let received = ""
    socket.on("error", () => {})
    socket.on("data", (chunk) => {
      received += chunk
      const [count, parent, output, ...args] = received.split("\0")
      if (count && output !== undefined && args.length > Number(count))
        reply(socket, getAccount(), calls, Number(parent), output, args.slice(0, -1))
    })
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const program = join(directory, "wrangler")
  writeFileSync(program, programFor((server.address() as AddressInfo).port))
  chmodSync(program, 0o755)
  return server
}

function reply(
  socket: Socket,
  account: Account,
  calls: string[],
  parent: number,
  outputFile: string,
  args: string[],
): void {
  const command: Command = {
    line: args.join(" "),
    args,
    getOption: (name) => args[args.indexOf(name) + 1] ?? "",
    writeEntry: (entry) => appendFileSync(outputFile, `${JSON.stringify(entry)}\n`),
  }
  calls.push(command.line)
  try {
    const result = runCommand(account, command, parent)
    socket.end(`0\0${typeof result === "string" ? result : JSON.stringify(result ?? "")}\n\0`)
  } catch (error) {
    if (!(error instanceof CommandError)) throw error
    socket.end(`1\0${error.message}\n\0`)
  }
}

function runCommand(account: Account, command: Command, parent: number): unknown {
  const failure = Object.entries(account.failures).find(([start]) => command.line.startsWith(start))
  if (failure) throw new CommandError(failure[1])
  const run = Object.entries(commands).find(([start]) => command.line.startsWith(start))?.[1]
  if (!run) throw new CommandError(`Unknown: ${command.line}`)
  killDeployment(account, command, parent, "before")
  const result = run(account, command)
  killDeployment(account, command, parent, "after")
  return result
}

function killDeployment(account: Account, { line }: Command, parent: number, moment: "before" | "after"): void {
  if (account.kill?.moment !== moment || !line.startsWith(account.kill.command)) return
  delete account.kill
  process.kill(parent, "SIGKILL")
  if (moment === "before") throw new CommandError("The deployment was killed.")
}

/** Commands by the beginning of their line. Each returns its output. */
const commands: Record<string, (account: Account, command: Command) => unknown> = {
  whoami: () => ({ loggedIn: true, accounts: [{ id: "account-1", name: "Tests" }] }),
  "auth token": () => ({ type: "api_token", token: "token-of-tests" }),
  "secret list": ({ secrets }) => {
    if (!secrets) throw new CommandError('Worker "tenancy" not found.')
    return secrets.map((name) => ({ name }))
  },
  "deployments status": ({ deployment }) => {
    if (!deployment.length) throw new CommandError("The Worker tenancy has no deployments.")
    return { versions: deployment }
  },
  "versions view": ({ versions }, { args: [, , id = ""] }) => ({
    id,
    metadata: { created_on: `2026-01-01T00:00:0${id.split("-")[1]}Z` },
    annotations: { "workers/tag": versions[id] },
  }),
  "versions upload": (account, command) =>
    command.writeEntry({ type: "version-upload", version_id: addVersion(account, command) }),
  "versions deploy": (account, { args }) => {
    account.deployment = args
      .filter((argument) => /@\d+%$/.test(argument))
      .map((spec) => spec.split("@"))
      .map(([version_id = "", percentage = ""]) => ({ version_id, percentage: Number.parseInt(percentage, 10) }))
  },
  "triggers deploy": (account) => {
    account.published = true
  },
  "queues consumer remove": ({ queues }, { args: [, , , name, removed] }) => {
    for (const queue of queues.filter(({ queue_name }) => queue_name === name))
      queue.consumers = queue.consumers.filter(({ script }) => script !== removed)
  },
  "d1 execute": ({ applied }, { args: [, , database = ""], getOption }) => {
    const names = applied[database] ?? []
    const sql = getOption("--command")
    if (sql.includes("AS operators")) return [{ results: [{ operators: 1, plans: 0 }] }]
    if (sql.startsWith("SELECT count")) return [{ results: [{ n: 3 }] }]
    if (sql.includes("sqlite_master")) return [{ results: names.length ? [{ name: "d1_migrations" }] : [] }]
    return [{ results: names.map((name) => ({ name })) }]
  },
  "d1 time-travel info": (_, { args }) => ({ bookmark: `bookmark-of-${args[3]}` }),
  "r2 object get": ({ bookmarks }) => {
    if (!bookmarks) throw new CommandError("The specified key does not exist.")
    return bookmarks
  },
  "r2 object put": (account, { getOption }) => {
    account.bookmarks = JSON.parse(readFileSync(getOption("--file"), "utf8"))
  },
  "d1 migrations apply": ({ applied, files }, { args: [, , , database = ""] }) => {
    applied[database] = files[database] ?? []
  },
  "d1 info": ({ replication }) => ({ read_replication: { mode: replication } }),
  "queues info": () => {},
  "r2 bucket info": () => {},
  "email sending settings": () => {},
  "deploy --dry-run": ({ code }, { getOption }) => writeFileSync(join(getOption("--outdir"), "index.js"), code),
  deploy: (account, command) => {
    const version_id = addVersion(account, command)
    account.deployment = [{ version_id, percentage: 100 }]
    account.secrets ??= ["APP_KEY", "OPERATOR_TOKEN"]
    command.writeEntry({ type: "deploy", version_id })
  },
}

function addVersion({ versions }: Account, { getOption }: Command): string {
  const id = `version-${Object.keys(versions).length + 1}`
  versions[id] = getOption("--tag")
  return id
}
