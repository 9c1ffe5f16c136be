// Shows the entries of the audit log to a shop's staff: who changed what, in the shop's language.
import { decimalAmount, money, withColon } from "../../lib/intl"
import { memoize } from "../../lib/memo"
import { formatBytes, labelOf } from "../../page-kit/parts"
import type { AuditEntry } from "../../platform/audit/archived-entry"
import { findTheme, themes } from "../../themes/catalog"
import { nameApp } from "../apps"
import type { ActivityStrings } from "../strings/activity"
import type { AdminStrings } from "../strings/types"
import { useAdminView } from "../view"

/** Members of the staff by name, keys by theirs; operators are the platform. */
export function Who({ entry: { actorType, actorId, actorName }, t }: { entry: AuditEntry; t: ActivityStrings }) {
  if (actorType === "customer") return <>{actorName}</>
  // The one key of a shop has no id and no name.
  if (actorType === "site_token" || actorType === "site_key")
    return <>{actorId === null ? t.subjects.site_key : `${t.via_key} ${actorName}`}</>
  return <>{t.platform}</>
}

const MAX_VALUE_LENGTH = 60

/** A value without a label, such as a domain, is always shown. */
const MAX_HOSTNAME_LENGTH = 253

/** Changes of entries without a field, by type. */
const NAMED_BY_TYPE: { [type: string]: string } = { app_enabled: "app", app_disabled: "app", theme_changed: "theme" }

const getPresetName = (slug: string): string | undefined =>
  themes.flatMap(({ presets }) => presets).find((preset) => preset.slug === slug)?.name

/** The fields that tell which subject an entry is about, where the change leaves them as they are. */
const NAMES = ["number", "name", "title", "slug"] as const

/** Returns the name of the subject that a change leaves as it is, such as an order's number. */
export function getSubjectName({ before, after }: AuditEntry): string | null {
  const name = NAMES.find((one) => isValue(before?.[one]) && isEqual(before?.[one], after?.[one]))
  return name ? String(before?.[name]) : null
}

/** Lists what changed, with short values, such as `Status: Not paid → To send`. */
export function Changes({ entry, t, omit = [] }: { entry: AuditEntry; t: ActivityStrings; omit?: string[] }) {
  const { t: strings, language, session } = useAdminView()
  const currency = session?.shop.currency ?? ""
  const { type, subjectType, fromStatus, toStatus, data, before, after } = entry
  const labels = getLabels(strings, t, subjectType)
  const statuses = getStatuses(strings, t, subjectType)
  const getLabel = (name: string) => labels[name] ?? labelOf(name.replace(/_cents$/, ""))
  const formats = new Map<string, (text: string) => string | undefined>([
    ["status", (text) => statuses[text] ?? labelOf(text)],
    ["role", (text) => (strings.roles as Record<string, string>)[text]],
    ["language", (text) => nameLanguage(`${language} ${text}`)],
    ["app", (text) => nameApp(text, language)],
    ["theme", (text) => findTheme(text)?.name],
    ["preset", getPresetName],
    ["payload", (text) => (strings.webhooks.payloads as Record<string, string>)[text]],
  ])
  const format = (name: string, value: unknown): string => {
    if (typeof value === "boolean") return value ? t.yes : t.no
    if (typeof value === "number" && name === "size") return formatBytes(value, language)
    if (typeof value === "number" && name.endsWith("_cents")) return decimalAmount(value, currency)
    const text = String(value)
    return formats.get(name)?.(text) ?? text
  }
  /** @param hasLabel whether the type of the entry does not name what changed */
  const describe = (name: string, from: unknown, to: unknown, hasLabel = true): string[] => {
    if (isEqual(from, to)) return []
    const values = [from, to].filter(isValue)
    const max = hasLabel ? MAX_VALUE_LENGTH : MAX_HOSTNAME_LENGTH
    const isShort = values.every((value) => typeof value !== "object" && String(value).length <= max)
    if (!isShort || !values.length) return [getLabel(name)]
    const text = values.map((value) => format(name, value)).join(" → ")
    return [hasLabel ? `${withColon(getLabel(name), language)} ${text}` : text]
  }
  /** Reads a value. Prices are texts with the currency that the entry names next to them. */
  const read = (side: AuditEntry["before"], name: string): unknown => {
    const value = side?.[name]
    const unit = side?.currency
    const hasUnit = typeof value === "number" && name.endsWith("_cents") && typeof unit === "string"
    return hasUnit ? money(value, unit, language) : value
  }
  // The entry of a changed endpoint has all fields before the change, and only the changed ones after it.
  const unchanged = subjectType === "endpoint" && after ? [] : Object.keys(before ?? {})
  const names = [...new Set([...unchanged, ...Object.keys(after ?? {})])]
  const { field, fields, from, to, plan, from_plan } = data
  const changes = [
    ...(toStatus ? describe("status", fromStatus, toStatus, false) : []),
    ...describe(typeof field === "string" ? field : (NAMED_BY_TYPE[type] ?? ""), from, to, typeof field === "string"),
    ...describe("plan", from_plan, plan, false),
    ...names
      // The endpoint of a shop receives the events of no other store.
      .filter((name) => !omit.includes(name) && !(subjectType === "endpoint" && name === "stores"))
      .flatMap((name) => describe(name, read(before, name), read(after, name))),
    // The log does not contain the values of personal fields.
    ...(Array.isArray(fields) ? fields.map((name) => getLabel(String(name))) : []),
    ...(data.reason === "unpaid" ? [t.unpaid] : []),
  ]
  return <>{changes.filter(Boolean).join("; ")}</>
}

const isValue = (value: unknown): boolean => value !== undefined && value !== null

const isEqual = (one: unknown, other: unknown): boolean => JSON.stringify(one ?? null) === JSON.stringify(other ?? null)

/** The labels of fields, as the forms that change them show them. */
function getLabels(
  { kit, settings, orders, staff, webhooks }: AdminStrings,
  { fields }: ActivityStrings,
  subjectType: AuditEntry["subjectType"],
): Record<string, string> {
  const isEndpoint = subjectType === "endpoint"
  const texts = Object.entries(isEndpoint ? webhooks : settings).filter(
    (pair): pair is [string, string] => typeof pair[1] === "string",
  )
  return {
    ...Object.fromEntries(texts),
    ...(isEndpoint && { is_active: webhooks.states.receiving }),
    number: orders.number,
    role: staff.role,
    ...fields,
    ...kit.fields,
  }
}

/** The names of the statuses that a subject can have. */
function getStatuses(
  { orders, products, content, messages, reviews }: AdminStrings,
  { statuses }: ActivityStrings,
  subjectType: AuditEntry["subjectType"],
): Record<string, string> {
  if (!subjectType) return statuses
  const ofSubjects: { [Type in NonNullable<AuditEntry["subjectType"]>]?: Record<string, string> } = {
    order: orders.statuses,
    shop_product: products.statuses,
    contact_message: messages.statuses,
    review: reviews.statuses,
  }
  return ofSubjects[subjectType] ?? content.statuses
}

/** @param both the language of the name, a space, and the language to name */
const nameLanguage = memoize((both: string): string => {
  const [locale = "en", code = ""] = both.split(" ")
  return new Intl.DisplayNames([locale], { type: "language" }).of(code) ?? code
})
