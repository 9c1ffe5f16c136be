// Profiles: platforms by name, with what opens them. One file in the user's configuration, readable by its owner only.
import { chmodSync, existsSync, mkdirSync, readFileSync, renameSync, statSync, writeFileSync } from "node:fs"
import { homedir } from "node:os"
import { dirname, join } from "node:path"
import { UserError } from "../lib/project.ts"

/** A platform and its credentials. */
export interface Profile {
  /** Its origin. */
  url: string
  /** Its OPERATOR_TOKEN, for commands. */
  token?: string
  /** An API key, for `api`. */
  key?: string
}

interface Kept {
  /** The one that is used when none is named. */
  current: string | null
  profiles: Record<string, Profile>
}

/** Where profiles are kept: `$XDG_CONFIG_HOME/tenancy/profiles.json`, else below `~/.config`. */
export const profilesFile = (env: NodeJS.ProcessEnv = process.env): string =>
  join(env.XDG_CONFIG_HOME || join(homedir(), ".config"), "tenancy", "profiles.json")

/** @throws UserError when others may read the file, or it is not ours */
function readProfiles(file: string): Kept {
  if (!existsSync(file)) return { current: null, profiles: {} }
  const shared = statSync(file).mode & 0o077
  if (shared && process.platform !== "win32")
    throw new UserError(`${file} holds credentials and others may read it: chmod 600 ${file}`)
  try {
    const { current, profiles } = JSON.parse(readFileSync(file, "utf8"))
    return { current, profiles: Object.assign(Object.create(null), profiles) }
  } catch {
    throw new UserError(`${file} cannot be read; it is JSON that profiles:save writes.`)
  }
}

function writeProfiles(file: string, kept: Kept): void {
  const directory = dirname(file)
  mkdirSync(directory, { recursive: true, mode: 0o700 })
  const draft = `${file}.${process.pid}`
  writeFileSync(draft, `${JSON.stringify(kept, null, 2)}\n`, { mode: 0o600 })
  chmodSync(draft, 0o600)
  renameSync(draft, file)
}

/**
 * The profile that is asked for.
 * @param name as `--profile=` or TENANCY_PROFILE give it; the current one when undefined
 * @returns null when none is asked for and none is current
 * @throws UserError when there is none of that name
 */
export function findProfile(file: string, name: string | undefined): Profile | null {
  const { current, profiles } = readProfiles(file)
  const wanted = name ?? current
  if (wanted === null) return null
  const profile = profiles[wanted]
  if (!profile) throw new UserError(`There is no profile "${wanted}"; profiles:list names those that are.`)
  return profile
}

/** A profile as it is listed: what opens the platform is only said to be there. */
const listed = (name: string, { url, token, key }: Profile, current: string | null) => ({
  name,
  url,
  token: token ? "kept" : null,
  key: key ? `${key.slice(0, 12)}…` : null,
  current: name === current,
})

/** Every profile, in the order of the names. */
export function listProfiles(file: string) {
  const { current, profiles } = readProfiles(file)
  return Object.keys(profiles)
    .sort()
    .map((name) => listed(name, profiles[name] as Profile, current))
}

/**
 * Saves a profile, or changes what is given of one; the first becomes the current one.
 * @throws UserError for a name or URL that cannot be one
 */
export function saveProfile(file: string, name: string, given: Partial<Profile>) {
  if (!/^[A-Za-z0-9][A-Za-z0-9._-]{0,62}$/.test(name))
    throw new UserError("--name takes letters, digits, dots, dashes and underscores, at most 63.")
  const kept = readProfiles(file)
  const url = given.url ?? kept.profiles[name]?.url
  if (!url || !URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol))
    throw new UserError("--url takes the platform's URL, such as https://shops.example.com.")
  const changes = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined))
  const profile = { ...kept.profiles[name], ...changes, url: new URL(url).origin }
  const current = kept.current ?? name
  writeProfiles(file, { current, profiles: { ...kept.profiles, [name]: profile } })
  return listed(name, profile, current)
}

/** @throws UserError when there is none of that name */
export function useProfile(file: string, name: string) {
  const profile = findProfile(file, name) as Profile
  writeProfiles(file, { ...readProfiles(file), current: name })
  return listed(name, profile, name)
}

/** @throws UserError when there is none of that name */
export function removeProfile(file: string, name: string): void {
  findProfile(file, name)
  const { current, profiles } = readProfiles(file)
  delete profiles[name]
  writeProfiles(file, { current: current === name ? null : current, profiles })
}
