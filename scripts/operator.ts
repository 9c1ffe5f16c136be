// The operator's command line: npm run operator -- <command> [--name=value …] [--json]
// It calls a running Worker over HTTP: the local one unless a profile or TENANCY_URL selects another.
import { sendApiRequest } from "../tools/cli/api-command.ts"
import { assertKnownOptions, type CommandLine, getTextOption, parseCommandLine } from "../tools/cli/arguments.ts"
import { type Command, LOCAL_COMMANDS, renderHelp } from "../tools/cli/commands.ts"
import { buildCompletionScript } from "../tools/cli/completion.ts"
import { type ExitCode, getExitCode } from "../tools/cli/exit.ts"
import { listen } from "../tools/cli/listen.ts"
import { type Platform, resolvePlatform } from "../tools/cli/platform.ts"
import { getProfilesFile, listProfiles, removeProfile, saveProfile, useProfile } from "../tools/cli/profiles.ts"
import { withElapsedTime } from "../tools/cli/progress.ts"
import { readSecrets } from "../tools/cli/secrets.ts"
import { formatData, type Json } from "../tools/cli/table.ts"
import {
  createPainter,
  escapeUnprintable,
  getTerminalWidth,
  replaceUnprintable,
  supportsColor,
  truncateText,
} from "../tools/cli/terminal.ts"
import { recoverWebhooks, tailDeliveries } from "../tools/cli/watch.ts"
import { ApiError, callApi } from "../tools/lib/api.ts"
import { UserError } from "../tools/lib/project.ts"

const OPERATOR_API_PATH = "/api/operator/v1"

/** Longer error messages are truncated. */
const MAX_ERROR_LENGTH = 500

// The reader may close the pipe early, e.g. `head`.
process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  if (error.code !== "EPIPE") throw error
  process.exit()
})

async function run(args: string[]): Promise<ExitCode> {
  const line = parseCommandLine(args)
  switch (line.command) {
    case undefined:
    case "help":
      return printHelp(line)
    case "api": {
      const { text, exit } = await sendApiRequest(line, resolvePlatform(line.profile))
      if (text) console.log(text)
      return exit
    }
    case "completion":
      assertKnownOptions(line.options, [])
      console.log(buildCompletionScript(line.positionals[0], await listAllCommands(resolvePlatform(line.profile))))
      return 0
    case "profiles:list":
    case "profiles:save":
    case "profiles:use":
    case "profiles:remove":
      printResult(line, (await runProfilesCommand(line)) as Json)
      return 0
    case "listen":
      return listen(line, resolvePlatform(line.profile))
    case "deliveries:tail":
      return tailDeliveries(line, createCommandRunner(line))
    case "webhooks:recover":
      printResult(line, (await recoverWebhooks(line, createCommandRunner(line))) as unknown as Json)
      return 0
    case "trigger": {
      const [event] = line.positionals
      const options = event === undefined ? line.options : { ...line.options, event }
      printResult(line, await runCommand({ ...line, options }, "trigger"))
      return 0
    }
    default:
      printResult(line, await runCommand(line, line.command).catch(rethrowUnlessUnknownCommand(line, line.command)))
      return 0
  }
}

/** Runs a command in the Worker. */
async function runCommand({ options: rawOptions, as, profile }: CommandLine, name: string): Promise<Json> {
  const platform = resolvePlatform(profile)
  const options = Object.keys(rawOptions).length
    ? await readSecrets(rawOptions, await listSecretOptions(platform, name))
    : rawOptions
  const headers: Record<string, string> = as === undefined ? {} : { "X-Operator": as }
  const path = `${OPERATOR_API_PATH}/${encodeURIComponent(name).replaceAll("%3A", ":")}`
  return withElapsedTime(callApi<Json>(platform.base, platform.operatorToken(), "POST", path, options, headers), name)
}

/** Lists the secret options of a command; empty for an unknown command. */
async function listSecretOptions(platform: Platform, name: string): Promise<string[]> {
  const described = (await fetchCommands(platform)).find((command) => command.name === name)
  return described?.options.filter(({ secret }) => secret).map((option) => option.name) ?? []
}

/** Distinguishes an unknown command from a command that returned 404. */
const rethrowUnlessUnknownCommand =
  ({ profile }: CommandLine, name: string) =>
  async (cause: unknown): Promise<never> => {
    if (!(cause instanceof ApiError) || cause.status !== 404) throw cause
    const commands = await fetchCommands(resolvePlatform(profile))
    if (commands.some((one) => one.name === name)) throw cause
    throw new UserError(`${describeUnknownCommand(name)} Run help to see all commands.`)
  }

const describeUnknownCommand = (name: string): string => `Unknown command "${replaceUnprintable(name).slice(0, 60)}".`

/** Creates a function that runs commands in the Worker. */
const createCommandRunner =
  ({ as, profile }: CommandLine) =>
  <Answer>(name: string, options: object): Promise<Answer> => {
    const platform = resolvePlatform(profile)
    const headers: Record<string, string> = as === undefined ? {} : { "X-Operator": as }
    return callApi<Answer>(
      platform.base,
      platform.operatorToken(),
      "POST",
      `${OPERATOR_API_PATH}/${name}`,
      options,
      headers,
    )
  }

async function runProfilesCommand({ command, options }: CommandLine): Promise<unknown> {
  const file = getProfilesFile()
  if (command === "profiles:list") {
    assertKnownOptions(options, [])
    return listProfiles(file)
  }
  const name = getTextOption(options, "name")
  if (name === undefined) throw new UserError(`${command} requires --name=<name>.`)
  if (command === "profiles:save") {
    assertKnownOptions(options, ["name", "url", "token", "key"])
    const read = await readSecrets(options, ["token", "key"])
    const [url, token, key] = ["url", "token", "key"].map((option) => getTextOption(read, option))
    return saveProfile(file, name, { url, token, key })
  }
  assertKnownOptions(options, ["name"])
  return command === "profiles:use" ? useProfile(file, name) : removeProfile(file, name)
}

const fetchCommands = (platform: Platform): Promise<Command[]> =>
  callApi<Command[]>(platform.base, platform.operatorToken(), "GET", OPERATOR_API_PATH)

const listAllCommands = async (platform: Platform): Promise<Command[]> =>
  [...(await fetchCommands(platform)), ...LOCAL_COMMANDS].sort((a, b) => (a.name < b.name ? -1 : 1))

/** Prints the help; when the Worker is unreachable, only for the local commands. */
async function printHelp({ positionals, options, json, profile }: CommandLine): Promise<ExitCode> {
  assertKnownOptions(options, [])
  const [known, fault] = await listAllCommands(resolvePlatform(profile)).then(
    (commands) => [commands, null] as const,
    (error: unknown) => [LOCAL_COMMANDS, error] as const,
  )
  const [only] = positionals
  const commands = only === undefined ? known : known.filter(({ name }) => name === only)
  if (!commands.length && !fault) throw new UserError(describeUnknownCommand(String(only)))
  if (json) console.log(JSON.stringify(commands, null, 2))
  else
    console.log(
      renderHelp(commands, { width: getTerminalWidth(process.stdout), hasColor: supportsColor(process.stdout) }),
    )
  if (fault === null) return 0
  console.error(`\n${describeError(fault)}`)
  return getExitCode(fault)
}

/** Prints a result as JSON, or as a table or lines that fit the terminal. */
function printResult({ json }: CommandLine, data: Json): void {
  const head = (text: string) => createPainter(supportsColor(process.stdout))("bold", text)
  if (json) console.log(escapeUnprintable(JSON.stringify(data ?? null, null, 2)))
  else if (data === undefined) console.log("Done.")
  else console.log(formatData(data, { width: getTerminalWidth(process.stdout), head }))
}

/** Describes an error; field errors follow on one line each. */
function describeError(error: unknown): string {
  const paint = createPainter(supportsColor(process.stderr))
  if (error instanceof ApiError) {
    const faults = Object.entries(error.fields).map(([name, messages]) => `  --${name}: ${messages.join(" ")}`)
    const lines = [`${error.message} (${error.code})`, ...faults].map((line) =>
      truncateText(replaceUnprintable(line), MAX_ERROR_LENGTH),
    )
    return [paint("red", lines[0] ?? ""), ...lines.slice(1)].join("\n")
  }
  return paint("red", error instanceof Error ? error.message : String(error))
}

try {
  process.exitCode = await run(process.argv.slice(2))
} catch (error) {
  console.error(describeError(error))
  process.exitCode = getExitCode(error)
}
