// Installs the locked dependencies before a script runs, on any Node version from 18. Imports only built-in modules,
// because nothing else may be installed yet.
import { spawnSync } from "node:child_process"
import { existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const lockFile = join(root, ".wrangler", "bootstrap.lock")
const LOCK_EXPIRES_MS = 10 * 60_000

if (!installed()) exclusively(() => installed() || install())
requireTypeScript()

/**
 * Checks that node_modules contains every locked package at its locked version, by comparing the lockfile with npm's
 * own list. Only optional packages, such as those of other platforms, may be absent.
 */
function installed() {
  const wanted = packagesOf(join(root, "package-lock.json"))
  const present = packagesOf(join(root, "node_modules", ".package-lock.json"))
  if (!wanted || !present) return false
  const same = (path) =>
    present[path].version === wanted[path].version && present[path].integrity === wanted[path].integrity
  return (
    Object.keys(present).every((path) => wanted[path]) &&
    Object.keys(wanted).every((path) => path === "" || (present[path] ? same(path) : wanted[path].optional))
  )
}

/** Reads the `packages` map of a lockfile; undefined when it is missing or unreadable. */
function packagesOf(file) {
  try {
    return JSON.parse(readFileSync(file, "utf8")).packages
  } catch {
    return undefined
  }
}

/** Runs `npm ci`, with development dependencies in production mode too; exits with npm's status when it fails. */
function install() {
  const reason = existsSync(join(root, "node_modules"))
    ? "node_modules does not match package-lock.json"
    : "First start"
  console.error(`${reason}: installing dependencies with npm ci.`)
  const args = ["ci", "--include=dev", "--no-audit", "--no-fund", "--loglevel=error"]
  const cli = process.env.npm_execpath
  const npm = cli?.endsWith("npm-cli.js") ? [process.execPath, cli] : ["npm"]
  const { status } = spawnSync(npm[0], [...npm.slice(1), ...args], { cwd: root, stdio: ["ignore", 2, 2] })
  if (status !== 0) {
    rmSync(lockFile, { force: true })
    process.exit(status ?? 1)
  }
}

/** Runs `work` under a file lock. The lock of a process that no longer runs is ignored. */
function exclusively(work) {
  mkdirSync(dirname(lockFile), { recursive: true })
  for (;;) {
    try {
      writeFileSync(lockFile, String(process.pid), { flag: "wx" })
      break
    } catch (error) {
      if (error.code !== "EEXIST") throw error
      if (abandoned()) rmSync(lockFile, { force: true })
      else Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 200)
    }
  }
  try {
    work()
  } finally {
    rmSync(lockFile, { force: true })
  }
}

function abandoned() {
  try {
    if (Date.now() - statSync(lockFile).mtimeMs > LOCK_EXPIRES_MS) return true
    const owner = Number(readFileSync(lockFile, "utf8"))
    if (owner) process.kill(owner, 0)
    return false
  } catch (error) {
    return error.code === "ESRCH"
  }
}

/** Exits with an error message when this Node cannot run TypeScript and npm did not install one that can. */
function requireTypeScript() {
  const [major, minor] = process.versions.node.split(".").map(Number)
  if (major > 22 || (major === 22 && minor >= 18)) return
  if (existsSync(join(root, "node_modules", ".bin", "node"))) return
  console.error(`Node ${process.versions.node} is too old. On this platform, install Node 22.18 or newer.`)
  process.exit(1)
}
