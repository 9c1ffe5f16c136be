// Installs and starts a peer: another content API from npm, with public posts.
import { type ChildProcess, spawn, spawnSync } from "node:child_process"
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { delimiter, dirname, join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"

const START_TIMEOUT_MS = 120_000

export interface Post {
  name: string
  slug: string
  content: string
}

export interface Peer {
  name: string
  /** npm package whose version is reported. */
  package: string
  /** Exact versions, so that runs are comparable. */
  dependencies: Record<string, string>
  /** Files of its project by their paths. */
  files: (posts: Post[]) => Record<string, string>
  /** Database file relative to the project; deleted before every run. */
  database: string
  /** Scripts with arguments; the last one starts the server. */
  commands: string[][]
  env: Record<string, string>
  /** Health check path; returns 200 once the server is ready. */
  health: string
  /** Creates the posts, unless its files do. */
  seed?: (base: string, posts: Post[]) => Promise<void>
  /** The path of a page of 25 posts, whole. */
  list: string
  /** The path of a post. @param row it, as the list has it */
  single: (row: Record<string, unknown>) => string
}

/** PATH without the project's Node, because the peer's native modules are built for the system's. */
const SYSTEM_PATH = (process.env.PATH ?? "")
  .split(delimiter)
  .filter((part) => !part.includes("node_modules"))
  .join(delimiter)

/** npm could not install a peer, because the registry lacks a package or a build failed. */
export class NotInstalledError extends Error {}

/**
 * Installs a peer if necessary, and starts it with the given posts.
 * @param directory install directory
 * @throws NotInstalledError
 */
export async function startPeer(peer: Peer, directory: string, port: number, posts: Post[]) {
  const manifest = { name: "tenancy-peer", private: true, dependencies: peer.dependencies }
  const files = { "package.json": JSON.stringify(manifest, null, 2), ...peer.files(posts) }
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(directory, name)), { recursive: true })
    writeFileSync(join(directory, name), text)
  }
  const installed = join(directory, "node_modules", peer.package, "package.json")
  // npm writes this file last, so an incomplete installation lacks it.
  const isComplete = existsSync(join(directory, "node_modules", ".package-lock.json"))
  const env = { ...process.env, PATH: SYSTEM_PATH, NODE_ENV: "production", PORT: String(port), ...peer.env }
  if (!isComplete || readVersion(installed) !== peer.dependencies[peer.package]) {
    console.log(`Installing ${peer.name} in ${directory}: some minutes.`)
    const args = ["install", "--no-audit", "--no-fund", "--loglevel=error"]
    const { status } = spawnSync("npm", args, { cwd: directory, env, stdio: "inherit" })
    if (status !== 0) throw new NotInstalledError(`npm could not install ${peer.name}`)
  }
  rmSync(join(directory, peer.database), { force: true })
  for (const args of peer.commands.slice(0, -1)) {
    const { status, stderr } = spawnSync("node", args, { cwd: directory, env, encoding: "utf8" })
    if (status !== 0) throw new Error(`${peer.name}: ${args.join(" ")}: ${stderr}`)
  }
  const server = spawn("node", peer.commands.at(-1) ?? [], { cwd: directory, env, stdio: "ignore" })
  const base = `http://127.0.0.1:${port}`
  await waitUntilReady(server, base + peer.health)
  await peer.seed?.(base, posts)
  return { base, name: `${peer.name} ${readVersion(installed)}`, stop: () => void server.kill() }
}

/** Reads the version of a package manifest; undefined when it does not exist. */
const readVersion = (manifest: string): string | undefined =>
  existsSync(manifest) ? (JSON.parse(readFileSync(manifest, "utf8")) as { version: string }).version : undefined

async function waitUntilReady(server: ChildProcess, url: string): Promise<void> {
  for (const end = Date.now() + START_TIMEOUT_MS; Date.now() < end && server.exitCode === null; await sleep(500)) {
    const ready = await fetch(url).then(
      ({ ok }) => ok,
      () => false,
    )
    if (ready) return
  }
  server.kill()
  throw new Error(`${url} did not answer within ${START_TIMEOUT_MS / 1000} seconds`)
}
