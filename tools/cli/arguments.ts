// Parses the operator's command line: `<command> [argument …] --name=value …`.
import { UserError } from "../lib/project.ts"

export interface CommandLine {
  /** Undefined when the command line names none. */
  command: string | undefined
  /** Positional arguments after the command: `GET /stores` in `api GET /stores`. */
  positionals: string[]
  /** Options as the Worker receives them: a string, `true` for a flag, an array when repeated. */
  options: Record<string, string | true | (string | true)[]>
  json: boolean
  /** The operator on whose behalf the command runs: `--as=`. */
  as: string | undefined
  /** Name of the saved platform: `--profile=`. */
  profile: string | undefined
}

/** Number of positional arguments, for the commands that accept any. */
const MAX_POSITIONALS: Record<string, number> = { api: 2, completion: 1, help: 1, trigger: 1 }

/** Options handled by the command line itself, not sent to the Worker. */
const GLOBAL_OPTIONS = ["as", "profile"] as const

/**
 * Parses a command line. `--name value` equals `--name=value`; a name without a value is a flag.
 * @param args the arguments after `npm run operator --`
 * @throws UserError for an unexpected argument, or a global option without a value
 */
export function parseCommandLine(args: string[]): CommandLine {
  const line: CommandLine = {
    command: undefined,
    positionals: [],
    options: {},
    json: false,
    as: undefined,
    profile: undefined,
  }
  const rest = [...args]
  for (let arg = rest.shift(); arg !== undefined; arg = rest.shift()) {
    if (!arg.startsWith("--")) {
      if (line.command === undefined) line.command = arg
      else if (line.positionals.length < (MAX_POSITIONALS[line.command] ?? 0)) line.positionals.push(arg)
      else throw new UserError(`Unexpected argument "${truncateArgument(arg)}". Write options as --name=value.`)
    } else if (arg === "--json") {
      line.json = true
    } else {
      const equals = arg.indexOf("=")
      const name = equals < 0 ? arg.slice(2) : arg.slice(2, equals)
      // Options before the command are flags, so the next argument is the command.
      const hasNext = line.command !== undefined && rest[0] !== undefined && !rest[0].startsWith("--")
      const value = equals < 0 ? (hasNext && rest.shift()) || true : arg.slice(equals + 1)
      const own = GLOBAL_OPTIONS.find((known) => known === name)
      if (own) line[own] = parseGlobalOption(own, value)
      else addOption(line.options, name, value)
    }
  }
  return line
}

/**
 * Returns a string option.
 * @throws UserError when it has no value or is repeated
 */
export function getTextOption(options: CommandLine["options"], name: string): string | undefined {
  const value = options[name]
  if (value === undefined || typeof value === "string") return value
  throw new UserError(`--${name} requires exactly one value: --${name}=<value>`)
}

/**
 * Rejects unknown options.
 * @throws UserError naming the first option that is not in `names`
 */
export function assertKnownOptions(options: CommandLine["options"], names: string[]): void {
  const unknown = Object.keys(options).find((name) => !names.includes(name))
  if (unknown !== undefined) throw new UserError(`Unknown option --${truncateArgument(unknown)}.`)
}

function parseGlobalOption(name: string, value: string | true): string {
  if (value === true || !/^[\x21-\x7e]{1,190}$/.test(value))
    throw new UserError(`--${name} must be 1 to 190 printable ASCII characters without spaces: --${name}=<value>`)
  return value
}

function addOption(options: CommandLine["options"], name: string, value: string | true): void {
  const before = options[name]
  options[name] = before === undefined ? value : [before, value].flat()
}

/** Shortens an argument for an error message. */
const truncateArgument = (text: string): string => (text.length > 60 ? `${text.slice(0, 60)}…` : text)
