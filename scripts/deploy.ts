// npm run deploy: brings what stands here to Cloudflare. docs/operations/deployment.md says what it needs and how to go back.
import { existsSync } from "node:fs"
import { join, resolve } from "node:path"
import { parseArgs } from "node:util"
import { check } from "../tools/deploy/check.ts"
import { configFaults } from "../tools/deploy/config-errors.ts"
import { rollOut } from "../tools/deploy/roll-out.ts"
import { wranglerOnPath } from "../tools/deploy/wrangler.ts"
import { root, UserError, wranglerConfig } from "../tools/lib/project.ts"

const USAGE = `npm run deploy [-- options]
  --check                  tell what is missing, and change nothing
  --dry-run                build the Worker and tell what its settings lack, without asking the account
  --contract               run migrations that take something away
  --secrets-file=<file>    the secrets of a Worker that does not exist yet
  --patience=<seconds>     how long the new version may take until it answers (90)
  --config=<file>          another wrangler.toml, such as that of a staging platform`

try {
  await run()
} catch (error) {
  if (!(error instanceof UserError)) throw error
  console.error(error.message)
  process.exitCode = 1
}

async function run(): Promise<void> {
  const options = optionsOf(process.argv.slice(2))
  const file = options.config ? resolve(options.config) : join(root, "wrangler.toml")
  const config = wranglerConfig(file)
  const wrangler = wranglerOnPath(options.config ? ["--config", file] : [])
  const faults = await configFaults(config)
  if (options.check) {
    if (!(await check({ config, faults, wrangler, say: console.log }))) process.exitCode = 1
    return
  }
  if (options["dry-run"]) {
    for (const fault of faults) console.error(fault)
    const answer = wrangler(["deploy", "--dry-run"])
    console.log(answer.words)
    if (!answer.ok) process.exitCode = 1
    return
  }
  if (faults.length > 0) throw new UserError(faults.join("\n"))
  await rollOut({
    config,
    file,
    wrangler,
    contract: options.contract,
    secretsFile: options["secrets-file"],
    patienceMs: Number(options.patience) * 1000,
    say: console.log,
  })
}

/** @throws UserError with the usage for an option that is none */
function optionsOf(args: string[]) {
  try {
    const { values } = parseArgs({
      args,
      options: {
        check: { type: "boolean", default: false },
        "dry-run": { type: "boolean", default: false },
        contract: { type: "boolean", default: false },
        "secrets-file": { type: "string" },
        patience: { type: "string", default: "90" },
        config: { type: "string" },
      },
    })
    if (!(Number(values.patience) >= 0)) throw new Error("--patience is a number of seconds.")
    if (values["secrets-file"] && !existsSync(values["secrets-file"])) {
      throw new Error(`There is no file ${values["secrets-file"]}.`)
    }
    return values
  } catch (error) {
    throw new UserError(`${(error as Error).message}\n${USAGE}`)
  }
}
