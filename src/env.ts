// What the Worker is given: its bindings, and its settings, parsed and typed once.
import type { DeliveryMessage, JobMessage, LaneMessage, PushMessage } from "./jobs/messages"
import { type ApplicationKey, applicationKey } from "./lib/cipher"
import { chained, flag, hostname, list, Malformed, type Reader, text, textWhere, url, whole } from "./lib/setting"

/** The bindings of wrangler.toml. Settings and secrets arrive as text beside them; read those through `settingsOf`. */
export interface Env {
  DB: D1Database
  RATE_LIMIT: DurableObjectNamespace
  ENDPOINT_FAILURES: DurableObjectNamespace
  WEBHOOK_QUEUE: Queue<DeliveryMessage>
  RETRY_QUEUE: Queue<LaneMessage>
  PUSH_QUEUE: Queue<PushMessage>
  JOB_QUEUE: Queue<JobMessage>
  MEDIA: R2Bucket
  UPDATES: R2Bucket
  MAIL: SendEmail
  /** Which upload of the code this is. */
  VERSION: WorkerVersionMetadata
}

const mail = textWhere((written) => EMAIL.test(written), "must be an e-mail address")

/** The addresses that mail programs take: a dotted name, at a host with a top-level domain. */
const EMAIL = /^[\w'+-]+(\.[\w'+-]+)*@([a-z0-9][a-z0-9-]*\.)+[a-z]{2,}$/i

const key: Reader<Uint8Array<ArrayBuffer>> = (written) => {
  const bytes = applicationKey(written)
  if (!bytes) throw new Malformed("must be `base64:` followed by 32 bytes in base64")
  return bytes
}

const bindings: Reader<string[]> = (written) => {
  const names = list(text)(written)
  if (!names.length) throw new Malformed("must name at least one binding")
  return names
}

const REQUIRED = {
  APP_NAME: text,
  CENTRAL_DOMAIN: hostname,
  PUBLIC_URL: textWhere(
    (written) => /^https?:\/\/\{host\}(:\d+)?$/.test(written),
    "must look like https://{host} or http://{host}:8787",
  ),
  TENANCY_API_ENABLED: flag,
  TENANCY_API_RATE_LIMIT: whole(),
  TENANCY_API_RATE_LIMIT_PER_IP: whole(),
  TENANCY_WEBHOOK_TIMEOUT: whole({ min: 1, max: 25, range: "1 to 25 seconds" }),
  TENANCY_WEBHOOK_DISABLE_AFTER: whole({ min: 1 }),
  TENANCY_WEBHOOKS_RETENTION_DAYS: whole(),
  TENANCY_WEBHOOKS_PAYLOAD_DAYS: whole(),
  TENANCY_WEBHOOKS_ALLOW_PRIVATE_HOSTS: flag,
  TENANCY_WEBHOOK_QUEUE: text,
  TENANCY_BILLING_GRACE_DAYS: whole(),
  TENANCY_RETENTION_DAYS: whole(),
  TENANCY_RETENTION_WARNING_DAYS: whole(),
  TENANCY_DUNNING_DAYS: list(whole()),
  TENANCY_TEST_CLOCK: flag,
  TENANCY_SIGNUP_ENABLED: flag,
  TENANCY_SIGNUP_VERIFY_EMAIL: flag,
  TENANCY_SIGNUP_VERIFY_TTL_HOURS: whole(),
  TENANCY_SIGNUP_PER_IP_PER_HOUR: whole(),
  TENANCY_SIGNUP_GLOBAL_PER_HOUR: whole(),
  TENANCY_SIGNUP_BLOCKED_EMAIL_DOMAINS: list(text),
  TENANCY_TRIAL_REMINDER_DAYS: list(whole()),
  TENANCY_MAX_CUSTOM_DOMAINS: whole(),
  TENANCY_DEFAULT_THEME: text,
  TENANCY_CNAME_HOST: (written: string) => written && hostname(written),
  SITE_DATABASES: bindings,
  DNS_RESOLVER_URL: url,
  FCM_BASE_URL: url,
  TENANCY_PUSH_LANES: whole({ min: 1, max: 100, range: "1 to 100" }),
  MAIL_FROM: mail,
  MARKETPLACE_API_URL: url,
  STRIPE_API_URL: url,
  MEDIA_MAX_BYTES: whole(),
  CLOUDFLARE_API_URL: url,
  CLOUDFLARE_ZONE_ID: textWhere(
    (written) => /^([0-9a-f]{32})?$/.test(written),
    "must be empty or the 32 hex digits of a zone's id",
  ),
  APP_KEY: key,
  OPERATOR_TOKEN: chained(
    text,
    textWhere((written) => written.length >= 32, "must have at least 32 characters"),
  ),
} satisfies Record<string, Reader<unknown>>

/** Secrets that only one part of the platform needs; unset and empty are the same. */
const OPTIONAL = {
  APP_KEY_PREVIOUS: key,
  STRIPE_WEBHOOK_SECRET: text,
  STRIPE_SECRET_KEY: text,
  MARKETPLACE_TOKEN: text,
  CLOUDFLARE_API_TOKEN: text,
} satisfies Record<string, Reader<unknown>>

type Given = { [Name in keyof typeof REQUIRED]: ReturnType<(typeof REQUIRED)[Name]> } & {
  [Name in keyof typeof OPTIONAL]: ReturnType<(typeof OPTIONAL)[Name]> | undefined
}

/** The settings, parsed: numbers are numbers, lists are arrays, `APP_KEY` is its 32 bytes and those of the key before it. */
export type Settings = Omit<Given, "APP_KEY" | "APP_KEY_PREVIOUS"> & { APP_KEY: ApplicationKey }

/** Settings are missing or malformed; the message is a sentence that names them and never a value. */
export class SettingsError extends Error {
  override readonly name = "SettingsError"

  /** What is wrong, by the setting's name. */
  readonly faults: Record<string, string>

  constructor(faults: Record<string, string>) {
    const list = Object.entries(faults).map(([name, fault]) => `${name} ${fault}`)
    super(`Bad settings: ${list.join("; ")}.`)
    this.faults = faults
  }
}

const parsed = new WeakMap<object, Settings>()

/**
 * The settings behind an environment, parsed once for each.
 * @throws SettingsError naming every setting that is missing or malformed
 */
export function settingsOf(env: Env): Settings {
  const known = parsed.get(env)
  if (known) return known
  const { APP_KEY: current, APP_KEY_PREVIOUS: previous = null, ...given } = readAll(env)
  const missing = [given.TENANCY_WEBHOOK_QUEUE, ...given.SITE_DATABASES].filter((name) => !bindingOf(env, name))
  if (missing.length > 0) throw new SettingsError(Object.fromEntries(missing.map((name) => [name, "is no binding"])))
  const settings = { ...given, APP_KEY: { current, previous } }
  parsed.set(env, settings)
  return settings
}

/** @throws SettingsError */
function readAll(env: Env): Given {
  const values: Record<string, unknown> = {}
  const faults: Record<string, string> = {}
  const attempt = (name: string, read: () => unknown) => {
    try {
      values[name] = read()
    } catch (thrown) {
      if (!(thrown instanceof Malformed)) throw thrown
      faults[name] = thrown.message
    }
  }
  for (const [name, reader] of Object.entries<Reader<unknown>>(REQUIRED)) {
    attempt(name, () => reader(writtenIn(env, name)))
  }
  for (const [name, reader] of Object.entries<Reader<unknown>>(OPTIONAL)) {
    if (String(bindingOf(env, name) ?? "").trim() === "") continue
    attempt(name, () => reader(writtenIn(env, name)))
  }
  if (Object.keys(faults).length > 0) throw new SettingsError(faults)
  return values as Given
}

/** A setting's text; wrangler.toml may write a number or a boolean without quotes. */
function writtenIn(env: Env, name: string): string {
  const value = bindingOf(env, name)
  if (value === undefined) throw new Malformed("is not set")
  if (typeof value === "object") throw new Malformed("must be a text")
  return String(value)
}

/** What is bound under a name that a setting says. */
export const bindingOf = (env: Env, name: string): unknown => (env as unknown as Record<string, unknown>)[name]

/**
 * The URL of a path on one of the platform's hosts, as the world sees it.
 * @param host a host name without a port
 * @param path an absolute path, or nothing for the bare root URL
 */
export const publicUrl = (settings: Settings, host: string, path = ""): string =>
  settings.PUBLIC_URL.replace("{host}", host) + path
