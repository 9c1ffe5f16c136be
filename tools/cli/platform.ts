// Resolves the platform and credentials of a command: a named profile, else TENANCY_URL, else the current profile, else
// the local platform.
import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { parseEnv } from "node:util"
import { getPort, getStateDirectory, secretsFile, UserError } from "../lib/project.ts"
import { readCredentials } from "../local/credentials.ts"
import { findProfile, getProfilesFile } from "./profiles.ts"

export interface Platform {
  /** Origin. */
  base: string
  /** @throws UserError when there is none */
  operatorToken: () => string
  /** @throws UserError when there is none */
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
  const base = profile?.url ?? (env.TENANCY_URL || `http://localhost:${getPort(env)}`)
  if (!URL.canParse(base))
    throw new UserError(`TENANCY_URL must be a URL such as https://shops.example.com, not "${base}".`)
  return {
    base,
    operatorToken: () => {
      const token = profile ? profile.token : env.OPERATOR_TOKEN || readLocalToken()
      if (!token && profile)
        throw new UserError("This profile has no operator token. Save one with profiles:save --token=-.")
      if (!token)
        throw new UserError(
          "OPERATOR_TOKEN is not set. Run npm start to generate a local one, or set the environment variable.",
        )
      return token
    },
    apiKey: () => {
      const key = profile ? profile.key : env.TENANCY_KEY || readLocalKey(env)
      if (!key)
        throw new UserError("No API key found. Set TENANCY_KEY, or save one in a profile with profiles:save --key=-.")
      return key
    },
  }
}

const readLocalToken = (): string | undefined =>
  existsSync(secretsFile) ? parseEnv(readFileSync(secretsFile, "utf8")).OPERATOR_TOKEN : undefined

const readLocalKey = (env: NodeJS.ProcessEnv): string | undefined =>
  readCredentials(join(getStateDirectory(env), "credentials.json"))?.platform?.write_key
