// A mock wrangler: commands read and change an account in a JSON file, and every command is recorded.
import { appendFileSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"

const file = process.env.STAND_IN_ACCOUNT
const account = JSON.parse(readFileSync(file, "utf8"))
const args = process.argv.slice(2)
const line = args.join(" ")
const after = (option) => args[args.indexOf(option) + 1]
const say = (value) => console.log(typeof value === "string" ? value : JSON.stringify(value))
const entry = (value) => appendFileSync(process.env.WRANGLER_OUTPUT_FILE_PATH, `${JSON.stringify(value)}\n`)
const refuse = (words) => {
  console.error(words)
  process.exit(1)
}

appendFileSync(`${file}.calls`, `${line}\n`)
const failure = Object.entries(account.failures).find(([command]) => line.startsWith(command))
if (failure) refuse(failure[1])

/** Kills the deployment, once, before or after a command takes effect. */
const killAt = (moment) => {
  if (!line.startsWith(account.kill?.command) || account.kill.moment !== moment) return
  delete account.kill
  writeFileSync(file, JSON.stringify(account))
  process.kill(process.ppid, "SIGKILL")
  process.exit(1)
}
killAt("before")

/** Commands by the beginning of their line. */
const commands = {
  whoami: () => say({ loggedIn: true, accounts: [{ id: "account-1", name: "Tests" }] }),
  "auth token": () => say({ type: "api_token", token: "token-of-tests" }),
  "secret list": () =>
    account.secrets ? say(account.secrets.map((name) => ({ name }))) : refuse('Worker "tenancy" not found.'),
  "deployments status": () =>
    account.deployment.length
      ? say({ versions: account.deployment })
      : refuse("The Worker tenancy has no deployments."),
  "versions view": () =>
    say({
      id: args[2],
      metadata: { created_on: `2026-01-01T00:00:0${args[2].split("-")[1]}Z` },
      annotations: { "workers/tag": account.versions[args[2]] },
    }),
  "versions upload": () => entry({ type: "version-upload", version_id: made() }),
  "versions deploy": () => {
    account.deployment = args
      .filter((argument) => /@\d+%$/.test(argument))
      .map((spec) => spec.split("@"))
      .map(([version_id, percentage]) => ({ version_id, percentage: Number.parseInt(percentage, 10) }))
  },
  "triggers deploy": () => {
    account.published = true
  },
  "queues consumer remove": () => {
    const queue = account.queues.find(({ queue_name }) => queue_name === args[3])
    queue.consumers = queue.consumers.filter(({ script }) => script !== args[4])
  },
  "d1 execute": () => {
    const applied = account.applied[args[2]]
    if (after("--command").includes("AS operators")) say([{ results: [{ operators: 1, plans: 0 }] }])
    else if (after("--command").startsWith("SELECT count")) say([{ results: [{ n: 3 }] }])
    else if (after("--command").includes("sqlite_master"))
      say([{ results: applied.length ? [{ name: "d1_migrations" }] : [] }])
    else say([{ results: applied.map((name) => ({ name })) }])
  },
  "d1 time-travel info": () => say({ bookmark: `bookmark-of-${args[3]}` }),
  "r2 object get": () => (account.bookmarks ? say(account.bookmarks) : refuse("The specified key does not exist.")),
  "r2 object put": () => {
    account.bookmarks = JSON.parse(readFileSync(after("--file"), "utf8"))
  },
  "d1 migrations apply": () => {
    account.applied[args[3]] = account.files[args[3]]
  },
  "d1 info": () => say({ read_replication: { mode: account.replication } }),
  "queues info": () => {},
  "r2 bucket info": () => {},
  "email sending settings": () => {},
  "deploy --dry-run": () => writeFileSync(join(after("--outdir"), "index.js"), account.code),
  deploy: () => {
    account.deployment = [{ version_id: made(), percentage: 100 }]
    account.secrets ??= ["APP_KEY", "OPERATOR_TOKEN"]
    entry({ type: "deploy", version_id: account.deployment[0].version_id })
  },
}

function made() {
  const id = `version-${Object.keys(account.versions).length + 1}`
  account.versions[id] = after("--tag")
  return id
}

const [, run] = Object.entries(commands).find(([command]) => line.startsWith(command)) ?? [
  0,
  () => refuse(`Unknown: ${line}`),
]
run()
killAt("after")
writeFileSync(file, JSON.stringify(account))
