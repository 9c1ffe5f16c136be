// Stores profiles, which are platforms with their credentials, in a configuration file that only its owner can read.
import { chmodSync, existsSync, mkdirSync, readFileSync, renameSync, statSync, writeFileSync } from "node:fs"
import { homedir } from "node:os"
import { dirname, join } from "node:path"
import { UserError } from "../lib/project.ts"

/** A platform and its credentials. */
export interface Profile {
  /** Origin. */
  url: string
  /** The platform's OPERATOR_TOKEN, for commands. */
  token?: string
  /** An API key, for `api`. */
  key?: string
}

interface ProfileStore {
  /** The profile used when the command names none. */
  current: string | null
  profiles: Record<string, Profile>
}

/** Returns the file of the profiles: `$XDG_CONFIG_HOME/tenancy/profiles.json`, below `~/.config` by default. */
export const getProfilesFile = (env: NodeJS.ProcessEnv = process.env): string =>
  join(env.XDG_CONFIG_HOME || join(homedir(), ".config"), "tenancy", "profiles.json")

/** @throws UserError when the file is invalid, or readable by other users */
function readProfiles(file: string): ProfileStore {
  if (!existsSync(file)) return { current: null, profiles: {} }
  const shared = statSync(file).mode & 0o077
  if (shared && process.platform !== "win32")
    throw new UserError(`${file} contains credentials but is readable by other users. Run: chmod 600 ${file}`)
  try {
    const { current, profiles } = JSON.parse(readFileSync(file, "utf8"))
    return { current, profiles: Object.assign(Object.create(null), profiles) }
  } catch {
    throw new UserError(`${file} is not a valid profiles file. Fix or delete it, then run profiles:save.`)
  }
}

function writeProfiles(file: string, store: ProfileStore): void {
  const directory = dirname(file)
  mkdirSync(directory, { recursive: true, mode: 0o700 })
  const draft = `${file}.${process.pid}`
  writeFileSync(draft, `${JSON.stringify(store, null, 2)}\n`, { mode: 0o600 })
  chmodSync(draft, 0o600)
  renameSync(draft, file)
}

/**
 * Finds a profile.
 * @param name from `--profile=` or TENANCY_PROFILE; undefined selects the current profile
 * @returns null without a name and a current profile
 * @throws UserError for an unknown profile
 */
export function findProfile(file: string, name: string | undefined): Profile | null {
  const { current, profiles } = readProfiles(file)
  const profileName = name ?? current
  if (profileName === null) return null
  const profile = profiles[profileName]
  if (!profile) throw new UserError(`Profile "${profileName}" not found. Run profiles:list to see saved profiles.`)
  return profile
}

/** Summarizes a profile without its credentials. */
const summarizeProfile = (name: string, { url, token, key }: Profile, current: string | null) => ({
  name,
  url,
  token: token ? "saved" : null,
  key: key ? `${key.slice(0, 12)}…` : null,
  current: name === current,
})

/** Lists the profiles by name. */
export function listProfiles(file: string) {
  const { current, profiles } = readProfiles(file)
  return Object.keys(profiles)
    .sort()
    .map((name) => summarizeProfile(name, profiles[name] as Profile, current))
}

/**
 * Creates a profile, or updates the given fields of an existing one. The first profile becomes the current one.
 * @throws UserError for an invalid name or URL
 */
export function saveProfile(file: string, name: string, changes: Partial<Profile>) {
  if (!/^[A-Za-z0-9][A-Za-z0-9._-]{0,62}$/.test(name))
    throw new UserError(
      "--name must be 1 to 63 letters, digits, dots, dashes and underscores, and start with a letter or digit.",
    )
  const store = readProfiles(file)
  const url = changes.url ?? store.profiles[name]?.url
  if (!url || !URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol))
    throw new UserError("--url must be the platform's URL, e.g. https://shops.example.com.")
  const definedChanges = Object.fromEntries(Object.entries(changes).filter(([, value]) => value !== undefined))
  const profile = { ...store.profiles[name], ...definedChanges, url: new URL(url).origin }
  const current = store.current ?? name
  writeProfiles(file, { current, profiles: { ...store.profiles, [name]: profile } })
  return summarizeProfile(name, profile, current)
}

/**
 * Makes a profile the current one.
 * @throws UserError for an unknown profile
 */
export function useProfile(file: string, name: string) {
  const profile = findProfile(file, name) as Profile
  writeProfiles(file, { ...readProfiles(file), current: name })
  return summarizeProfile(name, profile, name)
}

/**
 * Removes a profile.
 * @throws UserError for an unknown profile
 */
export function removeProfile(file: string, name: string): void {
  findProfile(file, name)
  const { current, profiles } = readProfiles(file)
  delete profiles[name]
  writeProfiles(file, { current: current === name ? null : current, profiles })
}
