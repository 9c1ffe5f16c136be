// The operator's command line: npm run operator -- <command> [argument …] [--name=value …] [--json]
// It calls a running Worker over HTTP: the local one unless a profile or TENANCY_URL selects another.
import { readFileSync } from "node:fs"
import { join, resolve } from "node:path"
import { sendApiRequest } from "../tools/cli/api-command.ts"
import { type CommandLine, getTextOption, parseCommandLine } from "../tools/cli/arguments.ts"
import { runBackfill } from "../tools/cli/backfill.ts"
import { type Command, listLocalCommands } from "../tools/cli/commands.ts"
import { addEventTypes, buildCompletionScript } from "../tools/cli/completion.ts"
import { arrangeReport } from "../tools/cli/doctor.ts"
import { describeError, formatErrorJson } from "../tools/cli/errors.ts"
import { type ExitCode, getExitCode } from "../tools/cli/exit.ts"
import { exportEvents } from "../tools/cli/export.ts"
import { renderCommand, renderGroup, renderOverview } from "../tools/cli/help.ts"
import { listen } from "../tools/cli/listen.ts"
import { listEventTypes, listResourceCommands } from "../tools/cli/operations.ts"
import { type Platform, resolvePlatform } from "../tools/cli/platform.ts"
import { getProfilesFile, listProfiles, removeProfile, saveProfile, useProfile } from "../tools/cli/profiles.ts"
import { withElapsedTime } from "../tools/cli/progress.ts"
import { askForConfirmation, readPlatformDocument, runResourceCommand } from "../tools/cli/resource-commands.ts"
import { readSecrets } from "../tools/cli/secrets.ts"
import { formatData, type Json } from "../tools/cli/table.ts"
import { createPainter, escapeUnprintable, getTerminalWidth, supportsColor } from "../tools/cli/terminal.ts"
import { createUnknownCommandError, findCommand, listGroup, resolveOptions } from "../tools/cli/usage.ts"
import { VERIFY_COMMANDS, verifyAll } from "../tools/cli/verify.ts"
import { type RunCommand, recoverWebhooks, tailDeliveries } from "../tools/cli/watch.ts"
import { checkRestore } from "../tools/deploy/bookmarks.ts"
import { createWranglerRunner } from "../tools/deploy/wrangler.ts"
import { callApi } from "../tools/lib/api.ts"
import { readWranglerConfig, root } from "../tools/lib/project.ts"

const OPERATOR_API_PATH = "/api/operator/v1"

// The reader may close the pipe early, e.g. `head`.
process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  if (error.code !== "EPIPE") throw error
  process.exit()
})

const document = readPlatformDocument()
const localCommands = listLocalCommands(listEventTypes(document))
const resourceCommands = listResourceCommands(document)

/** Printed where the operator commands would be, if they could not be read. */
const UNKNOWN_COMMANDS_NOTE = "Not listed: the platform lists these commands, and the request for them failed."

/** The options of the command that runs; errors name them as its help does. */
let commandOptions: Command["options"] = []

async function run(args: string[]): Promise<ExitCode> {
  const line = parseCommandLine(args)
  if (line.version) return printVersion(line)
  if (line.command === undefined) return printHelp(line, undefined)
  const named = { ...line, command: line.command }
  const local = findCommand(localCommands, named)
  if (line.help) return printHelp(line, (local?.line ?? line).command, line.positionals[0])
  if (local) return runLocalCommand(local.command, local.line)
  const resource = findCommand(resourceCommands, named)
  if (resource) {
    const { command } = resource
    commandOptions = command.options
    const resolved = resolveOptions(command, await askForConfirmation(command, resource.line))
    const work = runResourceCommand(command, resolved, resolvePlatform(line.profile))
    const { data, columns, footer } = await withElapsedTime(work, command.name)
    printResult(line, data, columns)
    if (footer && !line.json) console.error(footer)
    return 0
  }
  // No operator command has the name of a group of API commands.
  if (!line.positionals.length && listGroup(resourceCommands, named.command).length)
    return printHelp(line, named.command)
  return runOperatorCommand(named)
}

/** Runs a command that the command line implements itself. */
async function runLocalCommand(command: Command, line: CommandLine): Promise<ExitCode> {
  const options = resolveOptions(command, line)
  switch (command.name) {
    case "help":
      return printHelp(line, getTextOption(options, "command"))
    case "api": {
      const { text, exit } = await sendApiRequest(options, resolvePlatform(line.profile))
      if (text) console.log(text)
      return exit
    }
    case "completion": {
      const fetched = addEventTypes(await fetchCommands(resolvePlatform(line.profile)), listEventTypes(document))
      const commands = [...fetched, ...resourceCommands, ...localCommands]
      console.log(buildCompletionScript(getTextOption(options, "shell"), commands))
      return 0
    }
    case "listen":
      return listen({ ...line, options }, resolvePlatform(line.profile))
    case "restore:check":
      rehearseRestore(getTextOption(options, "at") ?? "", getTextOption(options, "config"))
      return 0
    default:
      printResult(line, (await runProfilesCommand(command.name, options)) as Json)
      return 0
  }
}

/** Rehearses a restore with the account's API, which also works while the Worker is down. */
function rehearseRestore(at: string, file?: string): void {
  const config = file ? resolve(file) : join(root, "wrangler.toml")
  checkRestore(createWranglerRunner(file ? ["--config", config] : []), readWranglerConfig(config), at, console.log)
}

/** Runs a command in the Worker. */
async function runOperatorCommand(line: CommandLine & { command: string }): Promise<ExitCode> {
  const platform = resolvePlatform(line.profile)
  const commands = await fetchCommands(platform)
  const found = findCommand(commands, line)
  if (!found) {
    const group = listGroup([...commands, ...resourceCommands, ...localCommands], line.command)
    if (group.length && !line.positionals.length) return printHelp(line, line.command)
    throw createUnknownCommandError([...commands, ...resourceCommands, ...localCommands], line.command)
  }
  const { command } = found
  commandOptions = command.options
  const resolved = resolveOptions(command, found.line)
  const secrets = command.options.filter(({ secret }) => secret).map(({ name }) => name)
  const options = await readSecrets(resolved, secrets)
  const runCommand = createCommandRunner(line, platform)
  if (command.name === "deliveries:tail") return tailDeliveries({ options, json: line.json }, runCommand)
  if (command.name === "webhooks:recover") {
    printResult(line, (await recoverWebhooks({ options }, runCommand)) as unknown as Json)
    return 0
  }
  if (command.name === "backfill:run") {
    printResult(line, await runBackfill(options, runCommand))
    return 0
  }
  if (command.name === "events:export") {
    await exportEvents(options, runCommand, (lines) => process.stdout.write(lines))
    return 0
  }
  if (VERIFY_COMMANDS.includes(command.name)) return verify(line, command.name, options, runCommand)
  const result = await withElapsedTime(runCommand<Json>(command.name, options), command.name)
  if (command.name === "events:list") printResult(line, parsePayloads(result))
  else if (command.name === "delivery:doctor" && !line.json) printResult(line, arrangeReport(result as never))
  else printResult(line, result)
  return 0
}

/** Verifies an archive and prints the result. The exit code is 1 when something is wrong. */
async function verify(line: CommandLine, name: string, options: object, runCommand: RunCommand): Promise<ExitCode> {
  const { problems, ...totals } = await verifyAll(name, options, runCommand)
  if (line.json) printResult(line, { ...totals, problems })
  else {
    printResult(line, { ...totals, problems: problems.length })
    if (problems.length)
      console.log(`\n${formatData(problems, { width: getTerminalWidth(process.stdout) ?? Infinity })}`)
  }
  return problems.length ? 1 : 0
}

/** Replaces the text of each event, which `listen` forwards unchanged, by the event. */
function parsePayloads(result: Json): Json {
  const { events, ...page } = result as { events: { payload: string }[]; [name: string]: unknown }
  return { events: events.map(({ payload }) => JSON.parse(payload)), ...page } as Json
}

/** Creates a function that runs commands in the Worker. */
const createCommandRunner =
  ({ as }: CommandLine, platform: Platform) =>
  <Result>(name: string, options: object): Promise<Result> => {
    const headers: Record<string, string> = as === undefined ? {} : { "X-Operator": as }
    const path = `${OPERATOR_API_PATH}/${name}`
    return callApi<Result>(platform.base, platform.operatorToken(), "POST", path, options, headers)
  }

async function runProfilesCommand(command: string, options: CommandLine["options"]): Promise<unknown> {
  const file = getProfilesFile()
  if (command === "profiles:list") return listProfiles(file)
  const name = getTextOption(options, "name") ?? ""
  if (command !== "profiles:save")
    return command === "profiles:use" ? useProfile(file, name) : removeProfile(file, name)
  const read = await readSecrets(options, ["token", "key"])
  const [url, token, key] = ["url", "token", "key"].map((option) => getTextOption(read, option))
  return saveProfile(file, name, { url, token, key })
}

const fetchCommands = (platform: Platform): Promise<Command[]> =>
  callApi<Command[]>(platform.base, platform.operatorToken(), "GET", OPERATOR_API_PATH)

const byName = (a: Command, b: Command): number => (a.name < b.name ? -1 : 1)

/**
 * Prints the help of a command, of a group, or of everything. If the Worker is unreachable, its commands are missing.
 * @param verb the second word of a command such as `stores list`
 */
async function printHelp(line: CommandLine, name: string | undefined, verb?: string): Promise<ExitCode> {
  const ownCommands = [...localCommands, ...resourceCommands]
  const positionals = verb === undefined ? [] : [verb]
  const find = (commands: Command[]) =>
    name === undefined ? undefined : findCommand(commands, { ...line, command: name, positionals })?.command
  const own = find(ownCommands)
  const [operatorCommands, fault] = own
    ? [[], null]
    : await Promise.resolve()
        .then(() => fetchCommands(resolvePlatform(line.profile)))
        .then(
          (commands) => [commands, null] as const,
          (error: unknown) => [[], error] as const,
        )
  const all = [...operatorCommands, ...ownCommands].sort(byName)
  const command = own ?? find(all)
  const group = name === undefined ? all : command ? [command] : listGroup(all, name)
  if (!group.length) throw fault ?? createUnknownCommandError(all, String(name))
  const format = { width: getTerminalWidth(process.stdout), hasColor: supportsColor(process.stdout) }
  const sections = [
    { title: "API commands, with an API key", commands: resourceCommands.toSorted(byName) },
    {
      title: "Operator commands, with the operator token",
      commands: operatorCommands.toSorted(byName),
      ...(fault !== null && { note: UNKNOWN_COMMANDS_NOTE }),
    },
    { title: "Other commands", commands: localCommands.toSorted(byName) },
  ]
  if (line.json) console.log(JSON.stringify(group, null, 2))
  else if (command) console.log(renderCommand(command, format))
  else if (name === undefined) console.log(renderOverview(sections, format))
  else
    console.log(
      [
        renderGroup(group, format),
        ...(fault === null ? [] : ["Its operator commands are not listed: the request for them failed."]),
      ].join("\n\n"),
    )
  if (fault === null) return 0
  console.error(`\n${describeError(fault)}`)
  return line.json ? getExitCode(fault) : 0
}

function printVersion({ json }: CommandLine): ExitCode {
  const { name, version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"))
  console.log(json ? JSON.stringify({ version, api_version: document.info.version }) : `${name} ${version}`)
  return 0
}

/**
 * Prints a result as JSON, or as a table or lines that fit the terminal.
 * @param columns the fields of a table; all by default
 */
function printResult({ json }: CommandLine, data: Json, columns?: string[]): void {
  const head = (text: string) => createPainter(supportsColor(process.stdout))("bold", text)
  if (json) console.log(escapeUnprintable(JSON.stringify(data ?? null, null, 2)))
  else if (data === undefined || data === null) console.log("Done.")
  else
    console.log(
      formatData(columns ? selectColumns(data, columns) : data, { width: getTerminalWidth(process.stdout), head }),
    )
}

const selectColumns = (data: Json, columns: string[]): Json =>
  Array.isArray(data)
    ? data.map((row) => Object.fromEntries(columns.map((name) => [name, (row as Record<string, Json>)[name]])))
    : data

const args = process.argv.slice(2)
try {
  process.exitCode = await run(args)
} catch (error) {
  console.error(args.includes("--json") ? formatErrorJson(error) : describeError(error, commandOptions))
  process.exitCode = getExitCode(error)
}
