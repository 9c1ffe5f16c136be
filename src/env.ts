// Parses the Worker's settings.
import * as z from "zod"
import { binding, bindingNamedBy } from "./bindings"
import { type ApplicationKey, applicationKey } from "./lib/cipher"

declare const BINDINGS: unique symbol

/**
 * The Worker's environment. It has no members: settings are read with `settingsOf`, and a binding is used through the
 * module that owns it (src/bindings.ts).
 */
export interface Bindings {
  readonly [BINDINGS]: true
}

const text = z.string().trim().min(1, "must not be empty")
const wholeNumber = z.string().regex(/^\d+$/, "must be a whole number").transform(Number)
const share = z
  .string()
  .regex(/^(0?\.\d+|0|1(\.0+)?)$/, "must be a number from 0 to 1")
  .transform(Number)
const flag = z.enum(["true", "false", "1", "0"], "must be true or false").transform((v) => v === "true" || v === "1")
const url = z
  .url({ protocol: /^https?$/, error: "must be an http or https URL" })
  .transform((v) => v.replace(/\/+$/, ""))
const list = z.string().transform((v) =>
  v
    .split(",")
    .map((item) => item.trim())
    .filter(Boolean),
)
/** An optional secret; empty counts as unset. */
const optional = z
  .string()
  .trim()
  .optional()
  .transform((v) => v || undefined)
/** One of the values; empty counts as unset. */
const oneOfOrEmpty = <const Values extends readonly string[]>(values: Values) =>
  z
    .enum(["", ...values], `must be empty or one of ${values.join(", ")}`)
    .transform((v) => (v || undefined) as Values[number] | undefined)
const hostname = text.toLowerCase().regex(/^[a-z0-9-]+(\.[a-z0-9-]+)*$/, "must be a host name without a port")

const applicationKeyText = z.string().transform((value, ctx) => {
  const key = applicationKey(value)
  if (!key) ctx.addIssue({ code: "custom", message: "must be `base64:` followed by 32 bytes in base64" })
  return key ?? z.NEVER
})

const fields = z.object({
  APP_NAME: text,
  CENTRAL_DOMAIN: hostname,
  PUBLIC_URL: z.string().regex(/^https?:\/\/\{host\}(:\d+)?$/, "must look like https://{host} or http://{host}:8787"),
  TENANCY_LOG_SAMPLE_RATE: share,
  TENANCY_API_ENABLED: flag,
  TENANCY_API_RATE_LIMIT: wholeNumber,
  TENANCY_API_RATE_LIMIT_PER_IP: wholeNumber,
  TENANCY_WEBHOOK_TIMEOUT: wholeNumber.pipe(
    z.number().min(1, "must be 1 to 25 seconds").max(25, "must be 1 to 25 seconds"),
  ),
  TENANCY_WEBHOOK_DISABLE_AFTER: wholeNumber.pipe(z.number().min(1, "must be at least 1")),
  TENANCY_WEBHOOKS_RETENTION_DAYS: wholeNumber,
  TENANCY_WEBHOOKS_PAYLOAD_DAYS: wholeNumber,
  TENANCY_EVENTS_ARCHIVE: flag,
  TENANCY_WEBHOOKS_ALLOW_PRIVATE_HOSTS: flag,
  TENANCY_WEBHOOK_QUEUE: text,
  TENANCY_BILLING_GRACE_DAYS: wholeNumber,
  TENANCY_RETENTION_DAYS: wholeNumber,
  TENANCY_RETENTION_WARNING_DAYS: wholeNumber,
  TENANCY_DUNNING_DAYS: list.pipe(z.array(wholeNumber)),
  TENANCY_BACKUP_DAYS: wholeNumber,
  TENANCY_AUDIT_HOT_DAYS: wholeNumber,
  TENANCY_TEST_CLOCK: flag,
  TENANCY_SIGNUP_ENABLED: flag,
  TENANCY_SIGNUP_VERIFY_EMAIL: flag,
  TENANCY_SIGNUP_VERIFY_TTL_HOURS: wholeNumber,
  TENANCY_SIGNUP_PER_IP_PER_HOUR: wholeNumber,
  TENANCY_SIGNUP_GLOBAL_PER_HOUR: wholeNumber,
  TENANCY_SIGNUP_BLOCKED_EMAIL_DOMAINS: list,
  TENANCY_TRIAL_REMINDER_DAYS: list.pipe(z.array(wholeNumber)),
  TENANCY_MAX_CUSTOM_DOMAINS: wholeNumber,
  TENANCY_DEFAULT_THEME: text,
  TENANCY_DEMO_STORE: z.string().trim().toLowerCase(),
  TENANCY_DOCS_DEMO_KEYS: list,
  TENANCY_CNAME_HOST: z.union([z.literal(""), hostname]),
  SITE_DATABASES: list.refine((names) => names.length > 0, "must name at least one binding"),
  WEBHOOK_DATABASES: list.transform((names) => (names.length > 0 ? names : ["DB"])),
  DURABLE_OBJECT_LOCATION_HINT: oneOfOrEmpty(["wnam", "enam", "sam", "weur", "eeur", "apac", "oc", "afr", "me"]),
  DURABLE_OBJECT_JURISDICTION: oneOfOrEmpty(["eu", "fedramp", "us"]),
  DNS_RESOLVER_URL: url,
  FCM_BASE_URL: url,
  TENANCY_PUSH_LANES: wholeNumber.pipe(z.number().min(1, "must be 1 to 100").max(100, "must be 1 to 100")),
  MAIL_FROM: z.email("must be an e-mail address"),
  MAIL_REPLY_TO: z.union([z.literal(""), z.email()], "must be empty or an e-mail address"),
  MARKETPLACE_API_URL: url,
  STRIPE_API_URL: url,
  MEDIA_MAX_BYTES: wholeNumber,
  CLOUDFLARE_API_URL: url,
  CLOUDFLARE_ZONE_ID: z.string().regex(/^([0-9a-f]{32})?$/, "must be empty or the 32 hex digits of a zone's id"),
  APP_KEY: applicationKeyText,
  APP_KEY_PREVIOUS: optional.pipe(applicationKeyText.optional()),
  OPERATOR_TOKEN: text.min(32, "must have at least 32 characters"),
  STRIPE_WEBHOOK_SECRET: optional,
  STRIPE_SECRET_KEY: optional,
  MARKETPLACE_TOKEN: optional,
  CLOUDFLARE_API_TOKEN: optional,
  TENANCY_ALERT_WEBHOOK_URL: optional.pipe(url.optional()),
})

const schema = fields.transform(({ APP_KEY: current, APP_KEY_PREVIOUS: previous = null, ...rest }) => ({
  ...rest,
  APP_KEY: { current, previous } satisfies ApplicationKey,
}))

/** The parsed settings. `APP_KEY` holds the current key and, during a rotation, the previous one. */
export type Settings = z.output<typeof schema>

/** Settings are missing or malformed. The message names them and never contains a value. */
export class SettingsError extends Error {
  override readonly name = "SettingsError"

  /** The problem of each setting, by name. */
  readonly problems: Record<string, string>

  constructor(problems: Record<string, string>) {
    const list = Object.entries(problems).map(([name, problem]) => `${name} ${problem}`)
    super(`Bad settings: ${list.join("; ")}.`)
    this.problems = problems
  }
}

const parsed = new WeakMap<object, Settings>()

/**
 * Returns the settings of an environment; parses each environment once.
 * @throws SettingsError naming every setting that is missing or malformed
 */
export function settingsOf(env: Bindings): Settings {
  const known = parsed.get(env)
  if (known) return known
  // Numbers and booleans may be unquoted in wrangler.toml.
  const values = Object.entries(env).map(([name, value]) => [name, typeof value === "object" ? value : String(value)])
  const result = schema.safeParse(Object.fromEntries(values))
  if (!result.success) {
    const problems = result.error.issues.map(({ path: [name = ""], message }) => [
      String(name),
      String(name) in env ? message : "is not set",
    ])
    throw new SettingsError(Object.fromEntries(problems))
  }
  const { TENANCY_WEBHOOK_QUEUE, SITE_DATABASES, WEBHOOK_DATABASES } = result.data
  const missing = [TENANCY_WEBHOOK_QUEUE, ...SITE_DATABASES, ...WEBHOOK_DATABASES].filter(
    (name) => !bindingNamedBy(env, name),
  )
  if (missing.length > 0) throw new SettingsError(Object.fromEntries(missing.map((name) => [name, "is not a binding"])))
  parsed.set(env, result.data)
  return result.data
}

/** Returns the id of the deployed version of the code. */
export const deployedVersion = (env: Bindings): string => binding(env, "VERSION").id

/** Returns a store's fallback host: its subdomain of the central domain, which it keeps with any custom domain. */
export const getFallbackHost = ({ CENTRAL_DOMAIN }: Pick<Settings, "CENTRAL_DOMAIN">, storeId: string): string =>
  `${storeId}.${CENTRAL_DOMAIN}`

/**
 * Builds the public URL of a path on one of the platform's hosts.
 * @param host a host name without a port
 * @param path an absolute path; empty for the root URL
 */
export const publicUrl = (settings: Settings, host: string, path = ""): string =>
  settings.PUBLIC_URL.replace("{host}", host) + path
