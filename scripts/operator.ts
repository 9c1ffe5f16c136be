// The operator's command line: npm run operator -- <command> [--name=value …] [--json]
// It speaks HTTP to a running Worker: the local one unless a profile, or TENANCY_URL, names another.

import { callPath } from "../tools/cli/api-command.ts"
import { allowOptions, type CommandLine, parseCommandLine, textOption } from "../tools/cli/arguments.ts"
import { type Command, OWN_COMMANDS, usage } from "../tools/cli/commands.ts"
import { completionScript } from "../tools/cli/completion.ts"
import { type Exit, exitOf } from "../tools/cli/exit.ts"
import { listen } from "../tools/cli/listen.ts"
import { choosePlatform, type Platform } from "../tools/cli/platform.ts"
import { listProfiles, profilesFile, removeProfile, saveProfile, useProfile } from "../tools/cli/profiles.ts"
import { whileWaiting } from "../tools/cli/progress.ts"
import { readSecrets } from "../tools/cli/secrets.ts"
import { type Json, readable } from "../tools/cli/table.ts"
import { cutTo, escaped, painter, printable, takesColour, widthOf } from "../tools/cli/terminal.ts"
import { recover, tailDeliveries } from "../tools/cli/watch.ts"
import { ApiRefusal, callApi } from "../tools/lib/api.ts"
import { UserError } from "../tools/lib/project.ts"

const PATH = "/api/operator/v1"

/** Characters of a refusal's sentence that are shown. */
const LONGEST_SENTENCE = 500

// Whoever reads may stop reading, such as `head`.
process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  if (error.code !== "EPIPE") throw error
  process.exit()
})

async function run(args: string[]): Promise<Exit> {
  const line = parseCommandLine(args)
  switch (line.command) {
    case undefined:
    case "help":
      return help(line)
    case "api": {
      const { text, exit } = await callPath(line, choosePlatform(line.profile))
      if (text) console.log(text)
      return exit
    }
    case "completion":
      allowOptions(line.options, [])
      console.log(completionScript(line.words[0], await everyCommand(choosePlatform(line.profile))))
      return 0
    case "profiles:list":
    case "profiles:save":
    case "profiles:use":
    case "profiles:remove":
      show(line, (await changeProfiles(line)) as Json)
      return 0
    case "listen":
      return listen(line, choosePlatform(line.profile))
    case "deliveries:tail":
      return tailDeliveries(line, asker(line))
    case "webhooks:recover":
      show(line, (await recover(line, asker(line))) as unknown as Json)
      return 0
    case "trigger": {
      const [event] = line.words
      const options = event === undefined ? line.options : { ...line.options, event }
      show(line, await command({ ...line, options }, "trigger"))
      return 0
    }
    default:
      show(line, await command(line, line.command).catch(unlessUnknown(line, line.command)))
      return 0
  }
}

/** Has the Worker carry a command out. */
async function command({ options: given, as, profile }: CommandLine, name: string): Promise<Json> {
  const platform = choosePlatform(profile)
  const options = Object.keys(given).length ? await readSecrets(given, await secretsOf(platform, name)) : given
  const headers: Record<string, string> = as === undefined ? {} : { "X-Operator": as }
  const path = `${PATH}/${encodeURIComponent(name).replaceAll("%3A", ":")}`
  return whileWaiting(callApi<Json>(platform.base, platform.operatorToken(), "POST", path, options, headers), name)
}

/** The secret options of a command, as the Worker describes it; none of one that is not there. */
async function secretsOf(platform: Platform, name: string): Promise<string[]> {
  const described = (await workerCommands(platform)).find((command) => command.name === name)
  return described?.options.filter(({ secret }) => secret).map((option) => option.name) ?? []
}

/** Tells a command that is not there from one that did not find what it was asked for. */
const unlessUnknown =
  ({ profile }: CommandLine, name: string) =>
  async (cause: unknown): Promise<never> => {
    if (!(cause instanceof ApiRefusal) || cause.status !== 404) throw cause
    const commands = await workerCommands(choosePlatform(profile))
    if (commands.some((one) => one.name === name)) throw cause
    throw new UserError(`${noCommand(name)} \`help\` lists them.`)
  }

const noCommand = (name: string): string => `There is no command "${printable(name).slice(0, 60)}".`

/** Has the Worker carry commands out for a command of ours. */
const asker =
  ({ as, profile }: CommandLine) =>
  <Answer>(name: string, options: object): Promise<Answer> => {
    const platform = choosePlatform(profile)
    const headers: Record<string, string> = as === undefined ? {} : { "X-Operator": as }
    return callApi<Answer>(platform.base, platform.operatorToken(), "POST", `${PATH}/${name}`, options, headers)
  }

async function changeProfiles({ command, options }: CommandLine): Promise<unknown> {
  const file = profilesFile()
  if (command === "profiles:list") {
    allowOptions(options, [])
    return listProfiles(file)
  }
  const name = textOption(options, "name")
  if (name === undefined) throw new UserError(`${command} needs --name=.`)
  if (command === "profiles:save") {
    allowOptions(options, ["name", "url", "token", "key"])
    const read = await readSecrets(options, ["token", "key"])
    const [url, token, key] = ["url", "token", "key"].map((option) => textOption(read, option))
    return saveProfile(file, name, { url, token, key })
  }
  allowOptions(options, ["name"])
  return command === "profiles:use" ? useProfile(file, name) : removeProfile(file, name)
}

const workerCommands = (platform: Platform): Promise<Command[]> =>
  callApi<Command[]>(platform.base, platform.operatorToken(), "GET", PATH)

const everyCommand = async (platform: Platform): Promise<Command[]> =>
  [...(await workerCommands(platform)), ...OWN_COMMANDS].sort((a, b) => (a.name < b.name ? -1 : 1))

/** Prints the help. Without a Worker it is about the commands that need none. */
async function help({ words, options, json, profile }: CommandLine): Promise<Exit> {
  allowOptions(options, [])
  const [known, fault] = await everyCommand(choosePlatform(profile)).then(
    (commands) => [commands, null] as const,
    (error: unknown) => [OWN_COMMANDS, error] as const,
  )
  const [only] = words
  const commands = only === undefined ? known : known.filter(({ name }) => name === only)
  if (!commands.length && !fault) throw new UserError(noCommand(String(only)))
  if (json) console.log(JSON.stringify(commands, null, 2))
  else console.log(usage(commands, { width: widthOf(process.stdout), isColoured: takesColour(process.stdout) }))
  if (fault === null) return 0
  console.error(`\n${describe(fault)}`)
  return exitOf(fault)
}

/** Prints an answer: JSON for programs, else a table or lines that fit the terminal. */
function show({ json }: CommandLine, data: Json): void {
  const head = (text: string) => painter(takesColour(process.stdout))("bold", text)
  if (json) console.log(escaped(JSON.stringify(data ?? null, null, 2)))
  else if (data === undefined) console.log("Done.")
  else console.log(readable(data, { width: widthOf(process.stdout), head }))
}

/** An error in one sentence; of a refusal over fields, a line a field below it. */
function describe(error: unknown): string {
  const paint = painter(takesColour(process.stderr))
  if (error instanceof ApiRefusal) {
    const faults = Object.entries(error.fields).map(([name, messages]) => `  --${name}: ${messages.join(" ")}`)
    const lines = [`${error.message} (${error.code})`, ...faults].map((line) =>
      cutTo(printable(line), LONGEST_SENTENCE),
    )
    return [paint("red", lines[0] ?? ""), ...lines.slice(1)].join("\n")
  }
  return paint("red", error instanceof Error ? error.message : String(error))
}

try {
  process.exitCode = await run(process.argv.slice(2))
} catch (error) {
  console.error(describe(error))
  process.exitCode = exitOf(error)
}
