// Describes commands: the shape of a description, and the commands that the command line implements itself.

/** Description of a command, in the shape that the Worker returns. */
export interface Command {
  name: string
  summary: string
  /** When to use it and what it changes. */
  description?: string
  /** Options that are given as positional arguments, in order; the only required option by default. */
  arguments?: string[]
  options: CommandOption[]
}

export interface CommandOption {
  name: string
  required: boolean
  summary: string
  secret?: boolean
  /** The allowed values, or those of each item of a list. */
  values?: string[]
  /** Whether the option is a list, comma-separated or repeated. */
  list?: true
  /** Whether the option has no value. */
  flag?: true
}

const option = (name: string, summary: string, more: Partial<CommandOption> = {}): CommandOption => ({
  name,
  required: false,
  summary,
  ...more,
})

const profileName = option("name", "profile name", { required: true })

/**
 * Lists the commands that the command line implements itself.
 * @param eventTypes the event types and wildcards that endpoints can subscribe to
 */
export const listLocalCommands = (eventTypes: string[]): Command[] => [
  {
    name: "api",
    summary: "Send any API request: api <METHOD> <path>",
    arguments: ["method", "path"],
    options: [
      option("method", "HTTP method", { required: true }),
      option("path", "path, below the control-plane API unless it starts with /api/", { required: true }),
      option("data", "JSON body; @file reads a file, - reads standard input"),
    ],
  },
  {
    name: "completion",
    summary: "Print a shell completion script: completion <bash|zsh|fish>",
    options: [option("shell", "shell", { required: true, values: ["bash", "zsh", "fish"] })],
  },
  {
    name: "help",
    summary: "Show all commands, those of a group, or the options of one: help [command]",
    arguments: ["command"],
    options: [option("command", "command or group")],
  },
  {
    name: "listen",
    summary: "Print events as they occur and forward them, signed, to a local receiver",
    options: [
      option("forward", "URL to forward events to, e.g. http://localhost:3000/hook"),
      option("types", "comma-separated event types to include", { values: eventTypes, list: true }),
      option("store", "only events of this store"),
      option("filter", "condition that events have to meet, as path:op:value; repeat it for further ones"),
      option("payload", "payload of the forwarded events", { values: ["full", "thin"] }),
      option("header", "header of each request, such as 'Authorization: Bearer 4f1c9a'; repeat it for further ones"),
      option("max-per-second", "most requests per second, from 1 to 1000"),
      option("reconcile", "forward events again that the receiver lacks by its webhook-cursor header", { flag: true }),
      option("from", "start position: start, now, a cursor or an event ID; defaults to the last position"),
    ],
  },
  {
    name: "restore:check",
    summary: "Rehearse a restore of all databases to a time, without changing anything; needs a Cloudflare login",
    options: [
      option("at", "a past time such as 2026-11-23T03:00:00Z", { required: true }),
      option("config", "path of wrangler.toml"),
    ],
  },
  { name: "profiles:list", summary: "List saved platforms", options: [] },
  {
    name: "profiles:save",
    summary: "Save a platform and its credentials",
    options: [
      profileName,
      option("url", "platform URL"),
      option("token", "the platform's OPERATOR_TOKEN", { secret: true }),
      option("key", "API key, for commands of the API", { secret: true }),
    ],
  },
  { name: "profiles:use", summary: "Set the default platform", options: [profileName] },
  { name: "profiles:remove", summary: "Remove a saved platform", options: [profileName] },
]
