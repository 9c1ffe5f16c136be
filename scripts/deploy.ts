// npm run deploy: deploys the working directory to Cloudflare. See docs/operations/deployment.md.
import { existsSync } from "node:fs"
import { join, relative, resolve } from "node:path"
import { parseArgs } from "node:util"
import { printBookmarks } from "../tools/deploy/bookmarks.ts"
import { checkDeployment } from "../tools/deploy/check.ts"
import { findConfigErrors } from "../tools/deploy/config-errors.ts"
import { rollOut } from "../tools/deploy/roll-out.ts"
import { createWranglerRunner } from "../tools/deploy/wrangler.ts"
import { readWranglerConfig, root, UserError } from "../tools/lib/project.ts"

const USAGE = `Usage: npm run deploy [-- options]
  --check                  list missing resources without changing anything
  --bookmarks              list the Time Travel bookmarks of the last deployments
  --dry-run                build the Worker and validate its settings without network access
  --gradual                shift traffic in steps of 5, 25 and 100%, with health checks
  --step=<seconds>         duration of each step of --gradual (default: 60)
  --force                  deploy a new version even if this code is already running
  --contract               allow destructive migrations
  --secrets-file=<file>    secrets to set with this deployment; required for the first one
  --timeout=<seconds>      time limit for the new version to become healthy (default: 90)
  --config=<file>          path of wrangler.toml, e.g. for a staging platform
  --help, -h               print this help`

try {
  await run()
} catch (error) {
  if (!(error instanceof UserError)) throw error
  console.error(error.message)
  process.exitCode = 1
}

async function run(): Promise<void> {
  const options = parseOptions(process.argv.slice(2))
  if (options.help) return console.log(USAGE)
  const file = options.config ? resolve(options.config) : join(root, "wrangler.toml")
  const config = readWranglerConfig(file)
  const wrangler = createWranglerRunner(options.config ? ["--config", file] : [])
  const shownFile = relative(process.cwd(), file)
  const errors = await findConfigErrors(config, shownFile)
  if (options.check) {
    if (!(await checkDeployment({ config, file: shownFile, errors, wrangler, print: console.log })))
      process.exitCode = 1
    return
  }
  if (options.bookmarks) return printBookmarks(wrangler, config, console.log)
  if (options["dry-run"]) {
    for (const error of errors) console.error(error)
    const result = wrangler(["deploy", "--dry-run"])
    console.log(result.output)
    if (!result.ok) process.exitCode = 1
    return
  }
  if (errors.length > 0) throw new UserError(errors.join("\n"))
  await rollOut({
    config,
    file,
    wrangler,
    contract: options.contract,
    force: options.force,
    gradual: options.gradual,
    stepMs: Number(options.step) * 1000,
    secretsFile: options["secrets-file"],
    timeoutMs: Number(options.timeout) * 1000,
    say: console.log,
  })
}

/** @throws UserError with the usage for an invalid option */
function parseOptions(args: string[]) {
  try {
    const { values } = parseArgs({
      args,
      options: {
        check: { type: "boolean", default: false },
        bookmarks: { type: "boolean", default: false },
        "dry-run": { type: "boolean", default: false },
        gradual: { type: "boolean", default: false },
        step: { type: "string", default: "60" },
        force: { type: "boolean", default: false },
        contract: { type: "boolean", default: false },
        "secrets-file": { type: "string" },
        timeout: { type: "string", default: "90" },
        config: { type: "string" },
        help: { type: "boolean", short: "h", default: false },
      },
    })
    for (const name of ["timeout", "step"] as const) {
      if (!(Number(values[name]) >= 0)) throw new Error(`--${name} must be a number of seconds.`)
    }
    if (values["secrets-file"] && !existsSync(values["secrets-file"])) {
      throw new Error(`File ${values["secrets-file"]} not found.`)
    }
    return values
  } catch (error) {
    throw new UserError(`${(error as Error).message}\n${USAGE}`)
  }
}
