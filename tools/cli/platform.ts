// Which platform a command is for, and what opens it: the environment first, then a profile, then the one on this machine.
import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { parseEnv } from "node:util"
import { portOf, secretsFile, stateDirectoryOf, UserError } from "../lib/project.ts"
import { readCredentials } from "../local/credentials.ts"
import { findProfile, profilesFile } from "./profiles.ts"

export interface Platform {
  /** Its origin. */
  base: string
  /** @throws UserError when there is none */
  operatorToken: () => string
  /** @throws UserError when there is none */
  apiKey: () => string
}

/**
 * @param name the profile that `--profile=` names
 * @throws UserError for an address that is none, and for a profile that is not there
 */
export function choosePlatform(name: string | undefined, env: NodeJS.ProcessEnv = process.env): Platform {
  const wanted = name ?? (env.TENANCY_PROFILE || undefined)
  const named = wanted !== undefined || !env.TENANCY_URL
  const profile = named ? findProfile(profilesFile(env), wanted) : null
  const base = profile?.url ?? (env.TENANCY_URL || `http://localhost:${portOf(env)}`)
  if (!URL.canParse(base))
    throw new UserError(`TENANCY_URL must be a URL such as https://shops.example.com, not "${base}".`)
  return {
    base,
    operatorToken: () => {
      const token = profile ? profile.token : env.OPERATOR_TOKEN || localToken()
      if (!token && profile)
        throw new UserError("This profile has no operator token; profiles:save --token=- keeps one.")
      if (!token)
        throw new UserError(
          "There is no OPERATOR_TOKEN: npm start makes one for this machine, or set the environment variable.",
        )
      return token
    },
    apiKey: () => {
      const key = profile ? profile.key : env.TENANCY_KEY || localKey(env)
      if (!key)
        throw new UserError("There is no API key: set TENANCY_KEY, or keep one in a profile by profiles:save --key=-.")
      return key
    },
  }
}

const localToken = (): string | undefined =>
  existsSync(secretsFile) ? parseEnv(readFileSync(secretsFile, "utf8")).OPERATOR_TOKEN : undefined

const localKey = (env: NodeJS.ProcessEnv): string | undefined =>
  readCredentials(join(stateDirectoryOf(env), "credentials.json"))?.platform?.write_key
