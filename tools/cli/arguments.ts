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
  /** Whether `--help` or `-h` is given. */
  help: boolean
  /** Whether `--version` is given. */
  version: boolean
  /** The operator on whose behalf the command runs: `--as=`. */
  as: string | undefined
  /** Name of the saved platform: `--profile=`. */
  profile: string | undefined
}

/** Options handled by the command line itself, not sent to the platform. */
const GLOBAL_OPTIONS = ["as", "profile"] as const
const GLOBAL_FLAGS: Record<string, "json" | "help" | "version"> = {
  "--json": "json",
  "--help": "help",
  "-h": "help",
  "--version": "version",
}

/**
 * Parses a command line. `--name value` equals `--name=value`; a name without a value is a flag. After `--`, every
 * argument is positional.
 * @param args the arguments after `npm run operator --`
 * @throws UserError for an unknown short option, or a global option without a value
 */
export function parseCommandLine(args: string[]): CommandLine {
  const line: CommandLine = {
    command: undefined,
    positionals: [],
    options: {},
    json: false,
    help: false,
    version: false,
    as: undefined,
    profile: undefined,
  }
  const end = args.indexOf("--")
  const rest = end < 0 ? [...args] : args.slice(0, end)
  const addPositional = (arg: string) => {
    if (line.command === undefined) line.command = arg
    else line.positionals.push(arg)
  }
  for (let arg = rest.shift(); arg !== undefined; arg = rest.shift()) {
    const flag = Object.hasOwn(GLOBAL_FLAGS, arg) ? GLOBAL_FLAGS[arg] : undefined
    if (flag) line[flag] = true
    else if (/^-[a-z]/i.test(arg)) throw new UserError(`Unknown option ${truncateArgument(arg)}.`)
    else if (arg.startsWith("--")) parseOption(line, arg, rest)
    else addPositional(arg)
  }
  if (end >= 0) for (const arg of args.slice(end + 1)) addPositional(arg)
  return line
}

/** Parses `--name=value`, `--name value` or `--name`, taking a value from the remaining arguments. */
function parseOption(line: CommandLine, arg: string, rest: string[]): void {
  const equals = arg.indexOf("=")
  const name = equals < 0 ? arg.slice(2) : arg.slice(2, equals)
  // Options before the command are flags, so the next argument is the command.
  const hasNext = line.command !== undefined && rest[0] !== undefined && !/^-[-a-z]/i.test(rest[0])
  const value = equals < 0 ? (hasNext && rest.shift()) || true : arg.slice(equals + 1)
  const own = GLOBAL_OPTIONS.find((known) => known === name)
  if (own) line[own] = parseGlobalOption(own, value)
  else addOption(line.options, name, value)
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

function parseGlobalOption(name: string, value: string | true): string {
  if (value === true || !/^[\x21-\x7e]{1,190}$/.test(value))
    throw new UserError(`--${name} must be 1 to 190 printable ASCII characters without spaces: --${name}=<value>`)
  return value
}

/** Adds an option; its name may use dashes or underscores, and the platform's spelling is found later. */
function addOption(options: CommandLine["options"], name: string, value: string | true): void {
  const before = options[name]
  options[name] = before === undefined ? value : [before, value].flat()
}

/** Shortens text from the command line for an error message. */
export const truncateArgument = (text: string): string => text.slice(0, 60)
