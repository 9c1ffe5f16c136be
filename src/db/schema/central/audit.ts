// Tables for the audit log: who changed what, through which interface. Entries outlive their subject and are never
// pruned: old ones move to an archive (platform/audit/archive.ts).
import { type SQL, sql } from "drizzle-orm"
import { index, integer, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core"
import { json, timestamp } from "../columns"

/** The interface that an actor used. */
export type Interface = "api" | "console" | "cli" | "system"

/** The types of entries about a store; event names without the resource's dot. */
export const STORE_AUDIT_TYPES = [
  "store_created",
  "store_ready",
  "provisioning_failed",
  "provisioning_retried",
  "store_updated",
  "store_deleted",
  "theme_changed",
  "suspended",
  "resumed",
  "cancelled",
  "cancel_scheduled",
  "cancel_withdrawn",
  "reactivated",
  "assigned",
  "plan_changed",
  "plan_change_scheduled",
  "plan_change_withdrawn",
  "extended",
  "activated",
  "past_due",
  "trial_ending",
  "payment_reminded",
  "purge_announced",
  "billing_updated",
  "payment_received",
  "domain_added",
  "domain_verified",
  "primary_changed",
  "domain_removed",
  "app_enabled",
  "app_disabled",
  "order_requested",
  "order_paid",
  "order_rejected",
  "order_withdrawn",
] as const

export type StoreAuditType = (typeof STORE_AUDIT_TYPES)[number]

/** The subjects of entries that are not about a store, with the actions on each. */
export const AUDIT_ACTIONS = {
  activation: ["created", "changed", "activated", "deactivated"],
  api_key: ["issued", "revoked"],
  app_key: ["issued", "rotated"],
  backup: ["created"],
  billing_details: ["saved"],
  card_subscription: ["superseded", "cancelled"],
  category: ["saved", "deleted"],
  contact_email: ["confirmed", "resent"],
  contact_message: ["changed", "deleted", "replied"],
  coupon: ["saved"],
  customer: ["disabled", "enabled", "erased"],
  delivery: ["retried", "exhausted"],
  domain: ["claimed", "claim_ended"],
  endpoint: [
    "created",
    "changed",
    "deleted",
    "rotated",
    "tested",
    "recovered",
    "rehomed",
    "failing",
    "disabled",
    "delivering",
    "behind",
    "reconciled",
  ],
  export: ["created"],
  file: ["created", "changed", "trashed", "restored", "deleted"],
  folder: ["created", "changed", "trashed", "restored", "deleted"],
  gallery: ["created", "changed", "deleted"],
  incident: ["created", "changed"],
  invoice: ["credited"],
  license: ["created", "changed", "deleted", "blocked", "unblocked", "announced", "deactivated"],
  license_key: ["issued", "revoked"],
  license_settings: ["created", "saved"],
  message: ["retried"],
  note: ["created", "deleted"],
  notification: ["created", "cancelled"],
  operator: ["created", "changed", "deleted"],
  operator_invitation: ["created", "resent", "withdrawn"],
  order: ["cancelled", "changed", "rejected"],
  page: ["saved", "deleted"],
  plan: ["saved"],
  post: ["saved", "deleted"],
  product: ["created", "changed", "activated", "deactivated"],
  push_settings: ["saved", "tested"],
  restore: ["created", "completed"],
  review: ["deleted", "hidden", "shown"],
  session: ["signed_in", "signed_out", "revoked"],
  settings: ["changed"],
  shop_product: ["created", "changed", "deleted"],
  site_key: ["rotated"],
  site_move: ["created", "moved", "cancelled"],
  site_settings: ["changed"],
  site_token: ["issued", "revoked"],
  staff: ["joined", "changed", "removed"],
  staff_invitation: ["created", "withdrawn"],
  support_access: ["created", "signed_in", "signed_out", "checkout_opened", "portal_opened"],
  tag: ["saved", "deleted"],
  version: ["created", "changed"],
  view: ["created", "deleted"],
} as const

export type AuditSubject = keyof typeof AUDIT_ACTIONS

/** The actions on a subject. */
export type AuditAction<Subject extends AuditSubject> = (typeof AUDIT_ACTIONS)[Subject][number]

/** What an entry is about: an incarnation of a store, or the id of anything else. One index serves both. */
const subject = sql.raw("case when store_seq > 0 then 'store ' || store_seq else subject_id end")

export const auditEntries = sqliteTable(
  "audit_entries",
  {
    id: integer("id").primaryKey({ autoIncrement: true }),
    /** The store or site; empty for subjects of the platform. */
    storeId: text("store_id").notNull(),
    /**
     * The store's incarnation (`stores.seq`), so that a new store with a reused name starts with an empty audit log; 0
     * for entries about other subjects, such as a key, a plan or a post.
     */
    storeSeq: integer("store_seq").notNull(),
    type: text("type").notNull(),
    fromStatus: text("from_status"),
    toStatus: text("to_status"),
    data: json<Record<string, unknown>>("data").notNull(),
    actorType: text("actor_type").notNull(),
    actorId: integer("actor_id"),
    actorName: text("actor_name").notNull(),
    /** The subject of an entry that is not about a store. */
    subjectType: text("subject_type").$type<AuditSubject>(),
    subjectId: text("subject_id"),
    /** `api`, `console`, `cli` or `system`. */
    interface: text("interface").$type<Interface>(),
    requestId: text("request_id"),
    /** The client's IP address, or `worker:` and the zone of a Worker. */
    address: text("address"),
    /** The changed fields before and after, never a secret; null when the subject did not exist. */
    before: json<Record<string, unknown>>("before"),
    after: json<Record<string, unknown>>("after"),
    /** The entry's ULID in a site database's outbox; unique, so forwarding twice adds it once. */
    origin: text("origin"),
    createdAt: timestamp("created_at").notNull(),
  },
  // Every index costs a written row per entry. Filters without an index scan the newest entries.
  (t) => [
    uniqueIndex("audit_entries_origin").on(t.origin).where(sql`origin is not null`),
    index("audit_entries_site").on(t.storeId, t.id).where(sql`store_id <> ''`),
    index("audit_entries_subject").on(subject, t.id).where(sql`${subject} is not null`),
  ],
)

// The indexes are partial. SQLite uses one only when the statement repeats its condition.

/** Condition for the entries about a store or site, of any incarnation. */
export const isAboutStore = (id: string | SQL): SQL =>
  sql`(${auditEntries.storeId} <> '' and ${auditEntries.storeId} = ${id})`

/** Condition for the entries about one incarnation of a store, without those about its content. */
export const isOfIncarnation = (seq: SQL): SQL => sql`(${subject} is not null and ${subject} = 'store ' || ${seq})`

/** Condition for the entries about anything else with this id. */
export const isAboutSubject = (id: string): SQL => sql`(${subject} is not null and ${subject} = ${id})`
