// The command line of the operator: `<command> [word …] --name=value …`.
import { UserError } from "../lib/project.ts"

export interface CommandLine {
  /** Undefined when none was given. */
  command: string | undefined
  /** What else was given without a name: `GET /stores` of `api GET /stores`. */
  words: string[]
  /** Options as the Worker gets them: text as given, `true` for a flag, an array when repeated. */
  options: Record<string, string | true | (string | true)[]>
  json: boolean
  /** Who the command is made for: `--as=`. */
  as: string | undefined
  /** The platform, by the name it was saved under: `--profile=`. */
  profile: string | undefined
}

/** Commands that take words beside their options, and how many. */
const WORDS: Record<string, number> = { api: 2, completion: 1, help: 1, trigger: 1 }

/** Options that are for the command line itself. */
const OWN = ["as", "profile"] as const

/**
 * Reads a command line. `--name value` and `--name=value` are the same; a name without a value is a flag.
 * @param args what was given after `npm run operator --`
 * @throws UserError for a word too many, or an option of our own without a value
 */
export function parseCommandLine(args: string[]): CommandLine {
  const line: CommandLine = {
    command: undefined,
    words: [],
    options: {},
    json: false,
    as: undefined,
    profile: undefined,
  }
  const rest = [...args]
  for (let arg = rest.shift(); arg !== undefined; arg = rest.shift()) {
    if (!arg.startsWith("--")) {
      if (line.command === undefined) line.command = arg
      else if (line.words.length < (WORDS[line.command] ?? 0)) line.words.push(arg)
      else throw new UserError(`"${short(arg)}" belongs to no option; options are written --name=value.`)
    } else if (arg === "--json") {
      line.json = true
    } else {
      const equals = arg.indexOf("=")
      const name = equals < 0 ? arg.slice(2) : arg.slice(2, equals)
      // Before the command there are flags only: what follows one is the command.
      const hasNext = line.command !== undefined && rest[0] !== undefined && !rest[0].startsWith("--")
      const value = equals < 0 ? (hasNext && rest.shift()) || true : arg.slice(equals + 1)
      const own = OWN.find((known) => known === name)
      if (own) line[own] = ownValue(own, value)
      else add(line.options, name, value)
    }
  }
  return line
}

/**
 * An option as one text.
 * @throws UserError when it was given without a value, or more than once
 */
export function textOption(options: CommandLine["options"], name: string): string | undefined {
  const value = options[name]
  if (value === undefined || typeof value === "string") return value
  throw new UserError(`--${name} takes one value: --${name}=…`)
}

/** @throws UserError for an option that none of `names` is */
export function allowOptions(options: CommandLine["options"], names: string[]): void {
  const unknown = Object.keys(options).find((name) => !names.includes(name))
  if (unknown !== undefined) throw new UserError(`There is no option --${short(unknown)} here.`)
}

function ownValue(name: string, value: string | true): string {
  if (value === true || !/^[\x21-\x7e]{1,190}$/.test(value))
    throw new UserError(`--${name} takes a name without spaces, of at most 190 characters: --${name}=…`)
  return value
}

function add(options: CommandLine["options"], name: string, value: string | true): void {
  const before = options[name]
  options[name] = before === undefined ? value : [before, value].flat()
}

/** What was typed, no longer than a sentence has room for. */
const short = (text: string): string => (text.length > 60 ? `${text.slice(0, 60)}…` : text)
