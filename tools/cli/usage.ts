// Checks a command line against the description of its command, and suggests what the user may have meant.
import { UserError } from "../lib/project.ts"
import { type CommandLine, truncateArgument } from "./arguments.ts"
import type { Command } from "./commands.ts"
import { replaceUnprintable } from "./terminal.ts"

/** A suggestion differs from the input by at most this share of its characters. */
const MAX_DISTANCE_SHARE = 0.4

/** Errors list no more allowed values. */
const MAX_LISTED_VALUES = 10

/**
 * Finds a command by its name. `stores list` equals `stores:list`.
 * @returns the command, and the command line with its name and remaining arguments; undefined if there is none
 */
export function findCommand<Found extends Command>(
  commands: Found[],
  line: CommandLine & { command: string },
): { command: Found; line: CommandLine } | undefined {
  const command = commands.find(({ name }) => name === line.command)
  if (command) return { command, line }
  const [verb, ...positionals] = line.positionals
  const spaced = verb === undefined ? undefined : commands.find(({ name }) => name === `${line.command}:${verb}`)
  return spaced && { command: spaced, line: { ...line, command: spaced.name, positionals } }
}

/** Lists the commands of a group: those whose name starts with `<group>:`. */
export const listGroup = (commands: Command[], group: string): Command[] =>
  commands.filter(({ name }) => name.startsWith(`${group}:`))

/** Creates the error for a command that does not exist. */
export function createUnknownCommandError(commands: Command[], name: string): UserError {
  const groups = commands.map((command) => command.name.split(":")[0] ?? "")
  const [group = "", verb] = name.split(":")
  const verbs = listGroup(commands, group).map((command) => command.name)
  const suggestion =
    suggest(name, [...commands.map((command) => command.name), ...groups]) ??
    (verb === undefined ? undefined : suggest(name, verbs, 1))
  const hint = suggestion ? `Did you mean "${suggestion}"?` : "Run help to see all commands."
  return new UserError(`Unknown command "${replaceUnprintable(truncateArgument(name))}". ${hint}`)
}

/**
 * Checks the arguments and options of a command line, and assigns positional arguments to options.
 * @returns the options under the names that the command knows
 * @throws UserError for an unexpected argument, an unknown or missing option, or a value that is not allowed
 */
export function resolveOptions(command: Command, line: CommandLine): CommandLine["options"] {
  const options: CommandLine["options"] = {}
  for (const [given, value] of Object.entries(line.options)) options[findOption(command, given)] = value
  const names = listArguments(command)
  if (line.positionals.length > names.length) {
    const unexpected = replaceUnprintable(truncateArgument(line.positionals[names.length] ?? ""))
    throw new UserError(`Unexpected argument "${unexpected}". ${formatUsage(command)}`)
  }
  for (const [index, value] of line.positionals.entries()) options[names[index] as string] ??= value
  const missing = command.options.filter(({ name, required }) => required && options[name] === undefined)
  if (missing.length) {
    const list = missing.map(({ name }) => (names.includes(name) ? `<${name}>` : `--${name}`)).join(", ")
    throw new UserError(`Missing ${list}. ${formatUsage(command)}`)
  }
  for (const option of command.options) assertAllowedValue(command.name, option, options[option.name])
  return options
}

/** Lists the options that can be given as positional arguments: the declared ones, else the only required one. */
export function listArguments({ options, arguments: declared }: Command): string[] {
  if (declared) return declared
  const required = options.filter((option) => option.required && !option.secret)
  return required.length === 1 && required[0] ? [required[0].name] : []
}

/** Formats the usage line of a command: `Usage: stores:get <id>`. */
export function formatUsage(command: Command): string {
  const names = listArguments(command)
  const isRequired = (name: string) => command.options.find((option) => option.name === name)?.required ?? true
  const parts = names.map((name) => (isRequired(name) ? `<${name}>` : `[${name}]`))
  const required = command.options.filter(({ name, required }) => required && !names.includes(name))
  const flags = required.map(({ name }) => `--${name}=`)
  const hasOptional = command.options.some(({ name, required }) => !required && !names.includes(name))
  return ["Usage:", command.name, ...parts, ...flags, ...(hasOptional ? ["[options]"] : [])].join(" ")
}

/**
 * Finds an option, whose name may be written with dashes or underscores.
 * @throws UserError when there is none
 */
function findOption({ name: commandName, options }: Command, given: string): string {
  const names = options.map(({ name }) => name)
  const found = names.find((name) => toDashes(name) === toDashes(given))
  if (found !== undefined) return found
  const suggestion = suggest(toDashes(given), names)
  const hint = suggestion ? `Did you mean --${suggestion}?` : `Run ${commandName} --help to see its options.`
  throw new UserError(`Unknown option --${replaceUnprintable(truncateArgument(given))}. ${hint}`)
}

const toDashes = (name: string): string => name.replaceAll("_", "-")

function assertAllowedValue(
  commandName: string,
  { name, values, list }: Command["options"][number],
  value: unknown,
): void {
  if (!values || list || typeof value !== "string" || values.includes(value)) return
  const suggestion = suggest(value, values)
  const isShort = values.length <= MAX_LISTED_VALUES
  const hints = [
    ...(suggestion ? [`Did you mean ${suggestion}?`] : []),
    isShort ? `Allowed: ${values.join(", ")}.` : `Run ${commandName} --help to see the allowed values.`,
  ]
  throw new UserError(`--${name} cannot be "${replaceUnprintable(truncateArgument(value))}". ${hints.join(" ")}`)
}

/** Returns the candidate with the smallest edit distance; undefined if all of them differ too much. */
function suggest(text: string, candidates: string[], maxShare = MAX_DISTANCE_SHARE): string | undefined {
  const input = truncateArgument(text)
  const ranked = [...new Set(candidates)]
    .map((candidate) => ({ candidate, distance: computeEditDistance(input, candidate) }))
    .sort((a, b) => a.distance - b.distance)
  const [best] = ranked
  return best && best.distance <= Math.max(1, Math.floor(input.length * maxShare)) ? best.candidate : undefined
}

/** Computes the edit distance of two texts, in which swapping two neighbors counts once. */
function computeEditDistance(a: string, b: string): number {
  const rows: number[][] = [Array.from({ length: b.length + 1 }, (_, column) => column)]
  const at = (row: number, column: number) => rows[row]?.[column] ?? Number.POSITIVE_INFINITY
  for (let i = 1; i <= a.length; i++) {
    const row = [i]
    rows.push(row)
    for (let j = 1; j <= b.length; j++) {
      const substitution = at(i - 1, j - 1) + (a[i - 1] === b[j - 1] ? 0 : 1)
      const isSwap = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]
      row[j] = Math.min(at(i - 1, j) + 1, at(i, j - 1) + 1, substitution, isSwap ? at(i - 2, j - 2) + 1 : substitution)
    }
  }
  return at(a.length, b.length)
}
