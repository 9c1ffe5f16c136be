// What a command is to the command line, those that it carries out itself, and the help about all.

import { EXITS } from "./exit.ts"
import { SECRET_HINT } from "./secrets.ts"
import { columns } from "./table.ts"
import { painter } from "./terminal.ts"

/** A command as the Worker describes it. */
export interface Command {
  name: string
  summary: string
  options: { name: string; required: boolean; summary: string; secret?: true }[]
}

const option = (name: string, summary: string, required = false) => ({ name, required, summary })

/** The commands that need no command of the Worker. */
export const OWN_COMMANDS: Command[] = [
  {
    name: "api",
    summary: "Make any request with an API key: api <VERB> <path>",
    options: [option("data", "the body as JSON; @file reads a file, - standard input")],
  },
  { name: "completion", summary: "Print a script that completes commands: completion <bash|zsh|fish>", options: [] },
  { name: "help", summary: "Say what commands there are, or what one takes: help [command]", options: [] },
  {
    name: "listen",
    summary: "Print events as they come, and forward each, signed, to a receiver on this machine",
    options: [
      option("forward", "the receiver's URL, such as http://localhost:3000/hook"),
      option("types", "only these events, comma separated"),
      option("store", "only those about this store"),
      option("from", "where to begin: start, now, a cursor or an event's id; where it ended unless said otherwise"),
    ],
  },
  { name: "profiles:list", summary: "List the platforms that are known by name", options: [] },
  {
    name: "profiles:save",
    summary: "Keep a platform under a name, or change what is kept of it",
    options: [
      option("name", "what it is called", true),
      option("url", "its URL"),
      { ...option("token", "its OPERATOR_TOKEN"), secret: true },
      { ...option("key", "an API key of it"), secret: true },
    ],
  },
  { name: "profiles:use", summary: "Make a platform the one that is meant", options: [option("name", "which", true)] },
  { name: "profiles:remove", summary: "Forget a platform", options: [option("name", "which", true)] },
]

const explained = ({ summary, required, secret }: Command["options"][number]): string =>
  [summary, secret && SECRET_HINT].filter(Boolean).join("; ") + (required ? "" : " (optional)")

/**
 * The commands with their options, how to call one, and what its exit code says.
 * @param width columns of the terminal
 */
export function usage(commands: Command[], { width, isColoured }: { width?: number; isColoured: boolean }): string {
  const paint = painter(isColoured)
  const rows = commands.flatMap(({ name, summary, options }) => [
    [name, summary],
    ...options.map((option) => [`  --${option.name}=`, explained(option)]),
  ])
  const everywhere = [
    ["--json", "print JSON, for programs"],
    ["--as=", "who the command is made for, by e-mail or name; the trail shows it"],
    ["--profile=", "which platform is meant; TENANCY_PROFILE or TENANCY_URL say it too"],
  ]
  return [
    "npm run operator -- <command> [--name=value …] [--json]",
    columns(rows, width),
    paint("bold", "With every command"),
    columns(everywhere, width),
    paint("bold", "Exit codes"),
    columns(Object.entries(EXITS), width),
  ].join("\n\n")
}
