// What the Worker is given: its bindings, and its settings, parsed and typed once.
import * as z from "zod"
import type { DeliveryMessage, JobMessage, LaneMessage, PushMessage } from "./core/queue/messages"
import { type ApplicationKey, applicationKey } from "./lib/cipher"

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

const text = z.string().trim().min(1, "must not be empty")
const whole = z.string().regex(/^\d+$/, "must be a whole number").transform(Number)
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
/** A secret that only one part of the platform needs; unset and empty are the same. */
const optional = z
  .string()
  .trim()
  .optional()
  .transform((v) => v || undefined)
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
  TENANCY_API_ENABLED: flag,
  TENANCY_API_RATE_LIMIT: whole,
  TENANCY_API_RATE_LIMIT_PER_IP: whole,
  TENANCY_WEBHOOK_TIMEOUT: whole.pipe(z.number().min(1, "must be 1 to 25 seconds").max(25, "must be 1 to 25 seconds")),
  TENANCY_WEBHOOK_DISABLE_AFTER: whole.pipe(z.number().min(1, "must be at least 1")),
  TENANCY_WEBHOOKS_RETENTION_DAYS: whole,
  TENANCY_WEBHOOKS_PAYLOAD_DAYS: whole,
  TENANCY_WEBHOOKS_ALLOW_PRIVATE_HOSTS: flag,
  TENANCY_WEBHOOK_QUEUE: text,
  TENANCY_BILLING_GRACE_DAYS: whole,
  TENANCY_RETENTION_DAYS: whole,
  TENANCY_RETENTION_WARNING_DAYS: whole,
  TENANCY_DUNNING_DAYS: list.pipe(z.array(whole)),
  TENANCY_TEST_CLOCK: flag,
  TENANCY_SIGNUP_ENABLED: flag,
  TENANCY_SIGNUP_VERIFY_EMAIL: flag,
  TENANCY_SIGNUP_VERIFY_TTL_HOURS: whole,
  TENANCY_SIGNUP_PER_IP_PER_HOUR: whole,
  TENANCY_SIGNUP_GLOBAL_PER_HOUR: whole,
  TENANCY_SIGNUP_BLOCKED_EMAIL_DOMAINS: list,
  TENANCY_TRIAL_REMINDER_DAYS: list.pipe(z.array(whole)),
  TENANCY_MAX_CUSTOM_DOMAINS: whole,
  TENANCY_DEFAULT_THEME: text,
  TENANCY_CNAME_HOST: z.union([z.literal(""), hostname]),
  SITE_DATABASES: list.refine((names) => names.length > 0, "must name at least one binding"),
  DNS_RESOLVER_URL: url,
  FCM_BASE_URL: url,
  TENANCY_PUSH_LANES: whole.pipe(z.number().min(1, "must be 1 to 100").max(100, "must be 1 to 100")),
  MAIL_FROM: z.email("must be an e-mail address"),
  MARKETPLACE_API_URL: url,
  STRIPE_API_URL: url,
  MEDIA_MAX_BYTES: whole,
  CLOUDFLARE_API_URL: url,
  CLOUDFLARE_ZONE_ID: z.string().regex(/^([0-9a-f]{32})?$/, "must be empty or the 32 hex digits of a zone's id"),
  APP_KEY: applicationKeyText,
  APP_KEY_PREVIOUS: optional.pipe(applicationKeyText.optional()),
  OPERATOR_TOKEN: text.min(32, "must have at least 32 characters"),
  STRIPE_WEBHOOK_SECRET: optional,
  STRIPE_SECRET_KEY: optional,
  MARKETPLACE_TOKEN: optional,
  CLOUDFLARE_API_TOKEN: optional,
})

const schema = fields.transform(({ APP_KEY: current, APP_KEY_PREVIOUS: previous = null, ...given }) => ({
  ...given,
  APP_KEY: { current, previous } satisfies ApplicationKey,
}))

/** The settings, parsed: numbers are numbers, lists are arrays, `APP_KEY` is its 32 bytes and those of the key before it. */
export type Settings = z.output<typeof schema>

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
  // wrangler.toml may write a number or a boolean without quotes.
  const values = Object.entries(env).map(([name, value]) => [name, typeof value === "object" ? value : String(value)])
  const result = schema.safeParse(Object.fromEntries(values))
  if (!result.success) {
    const faults = result.error.issues.map(({ path: [name = ""], message }) => [
      String(name),
      String(name) in env ? message : "is not set",
    ])
    throw new SettingsError(Object.fromEntries(faults))
  }
  const { TENANCY_WEBHOOK_QUEUE, SITE_DATABASES } = result.data
  const missing = [TENANCY_WEBHOOK_QUEUE, ...SITE_DATABASES].filter((name) => !bindingOf(env, name))
  if (missing.length > 0) throw new SettingsError(Object.fromEntries(missing.map((name) => [name, "is no binding"])))
  parsed.set(env, result.data)
  return result.data
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
