// Describes the commands that run without the Worker, and renders the help of all commands.
import { EXIT_CODES } from "./exit.ts"
import { SECRET_HINT } from "./secrets.ts"
import { alignColumns } from "./table.ts"
import { createPainter } from "./terminal.ts"

/** Description of a command, in the shape that the Worker returns. */
export interface Command {
  name: string
  summary: string
  options: { name: string; required: boolean; summary: string; secret?: true }[]
}

const defineOption = (name: string, summary: string, required = false) => ({ name, required, summary })

/** Commands that the command line implements itself. */
export const LOCAL_COMMANDS: Command[] = [
  {
    name: "api",
    summary: "Send any API request: api <METHOD> <path>",
    options: [defineOption("data", "JSON body; @file reads a file, - reads standard input")],
  },
  { name: "completion", summary: "Print a shell completion script: completion <bash|zsh|fish>", options: [] },
  { name: "help", summary: "Show all commands, or the options of one: help [command]", options: [] },
  {
    name: "listen",
    summary: "Print events as they occur and forward them, signed, to a local receiver",
    options: [
      defineOption("forward", "URL to forward events to, e.g. http://localhost:3000/hook"),
      defineOption("types", "comma-separated event types to include"),
      defineOption("store", "only events of this store"),
      defineOption("from", "start position: start, now, a cursor or an event ID; defaults to the last position"),
    ],
  },
  { name: "profiles:list", summary: "List saved platforms", options: [] },
  {
    name: "profiles:save",
    summary: "Save a platform and its credentials",
    options: [
      defineOption("name", "profile name", true),
      defineOption("url", "platform URL"),
      { ...defineOption("token", "the platform's OPERATOR_TOKEN"), secret: true },
      { ...defineOption("key", "API key for the api command"), secret: true },
    ],
  },
  { name: "profiles:use", summary: "Set the default platform", options: [defineOption("name", "profile name", true)] },
  {
    name: "profiles:remove",
    summary: "Remove a saved platform",
    options: [defineOption("name", "profile name", true)],
  },
]

const describeOption = ({ summary, required, secret }: Command["options"][number]): string =>
  [summary, secret && SECRET_HINT].filter(Boolean).join("; ") + (required ? "" : " (optional)")

/**
 * Renders the help: usage, the commands with their options, the global options and the exit codes.
 * @param width columns of the terminal
 */
export function renderHelp(commands: Command[], { width, hasColor }: { width?: number; hasColor: boolean }): string {
  const paint = createPainter(hasColor)
  const rows = commands.flatMap(({ name, summary, options }) => [
    [name, summary],
    ...options.map((option) => [`  --${option.name}=`, describeOption(option)]),
  ])
  const globalOptions = [
    ["--json", "print JSON"],
    ["--as=", "run on behalf of this operator (email or name), recorded in the audit log"],
    ["--profile=", "use this saved platform; also set by TENANCY_PROFILE or TENANCY_URL"],
  ]
  return [
    "Usage: npm run operator -- <command> [--name=value …] [--json]",
    alignColumns(rows, width),
    paint("bold", "Global options"),
    alignColumns(globalOptions, width),
    paint("bold", "Exit codes"),
    alignColumns(Object.entries(EXIT_CODES), width),
  ].join("\n\n")
}
