// Resolves the platform and credentials of a command: a named profile, else TENANCY_URL, else the current profile, else
// the local platform, whose URL and credentials `npm start` writes to the state directory.
import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { parseEnv } from "node:util"
import { getPort, getStateDirectory, MissingCredentialsError, secretsFile, UserError } from "../lib/project.ts"
import { readCredentials } from "../local/credentials.ts"
import { findProfile, getProfilesFile, type Profile } from "./profiles.ts"

export interface Platform {
  /** Origin. */
  base: string
  /** @throws MissingCredentialsError when there is none */
  operatorToken: () => string
  /** @throws MissingCredentialsError when there is none */
  apiKey: () => string
}

/**
 * Resolves the platform of a command.
 * @param name the profile from `--profile=`
 * @throws UserError for an invalid URL or an unknown profile
 */
export function resolvePlatform(name: string | undefined, env: NodeJS.ProcessEnv = process.env): Platform {
  const profileName = name ?? (env.TENANCY_PROFILE || undefined)
  const usesProfile = profileName !== undefined || !env.TENANCY_URL
  const profile = usesProfile ? findProfile(getProfilesFile(env), profileName) : null
  if (profile) return createProfilePlatform(profile)
  const credentials = readCredentials(join(getStateDirectory(env), "credentials.json"))
  const localBase = env.PORT ? `http://localhost:${getPort(env)}` : (credentials?.base_url ?? DEFAULT_BASE)
  const base = env.TENANCY_URL || localBase
  if (!URL.canParse(base))
    throw new UserError(`TENANCY_URL must be a URL such as https://shops.example.com, not "${base}".`)
  // The local credentials are only sent to the local platform.
  const isLocal = [localBase, credentials?.base_url].some((local) => local && isSameOrigin(local, base))
  return {
    base,
    operatorToken: () => {
      const token = env.OPERATOR_TOKEN || (isLocal && (credentials?.operator_token ?? readLocalToken()))
      if (!token)
        throw new MissingCredentialsError(
          isLocal
            ? "OPERATOR_TOKEN is not set. Run npm start to generate a local one, or set the environment variable."
            : `OPERATOR_TOKEN is not set. Set it to the operator token of ${base}, or save the token in a profile with profiles:save --token=-.`,
        )
      return token
    },
    apiKey: () => {
      const key = env.TENANCY_KEY || (isLocal && credentials?.platform?.write_key)
      if (!key)
        throw new MissingCredentialsError(
          "No API key found. Set TENANCY_KEY, or save one in a profile with profiles:save --key=-.",
        )
      return key
    },
  }
}

const DEFAULT_BASE = "http://localhost:8787"

const createProfilePlatform = (profile: Profile): Platform => ({
  base: profile.url,
  operatorToken: () => {
    if (!profile.token)
      throw new MissingCredentialsError("This profile has no operator token. Save one with profiles:save --token=-.")
    return profile.token
  },
  apiKey: () => {
    if (!profile.key)
      throw new MissingCredentialsError("This profile has no API key. Save one with profiles:save --key=-.")
    return profile.key
  },
})

const isSameOrigin = (a: string, b: string): boolean => new URL(a).origin === new URL(b).origin

const readLocalToken = (): string | undefined =>
  existsSync(secretsFile) ? parseEnv(readFileSync(secretsFile, "utf8")).OPERATOR_TOKEN : undefined
