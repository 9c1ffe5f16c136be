// Tables for the license manager: products, versions and their files, licenses and activations.
import { sql } from "drizzle-orm"
import { index, integer, primaryKey, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core"
import { flag, json, timestamp } from "../columns"

export const licenseProducts = sqliteTable("license_products", {
  id: integer("id").primaryKey({ autoIncrement: true }),
  /** The clients' `product_id`. */
  referenceId: text("reference_id").notNull().unique(),
  name: text("name").notNull(),
  /** The product's id on an external marketplace. */
  marketplaceId: text("marketplace_id"),
  description: text("description"),
  /** Whether only licensed installations get updates. */
  licenseUpdate: flag("license_update").notNull(),
  /** Whether installations update directly to the newest version, or one version at a time. */
  serveLatestUpdates: flag("serve_latest_updates").notNull(),
  isActive: flag("is_active").notNull(),
  /** Incremented on every change; guards decisions against concurrent changes. */
  revision: integer("revision").notNull().default(1),
  createdAt: timestamp("created_at").notNull(),
  updatedAt: timestamp("updated_at").notNull(),
})

/** A file in the UPDATES bucket. A key is never written twice, so these facts stay valid. */
export interface UpdateFile {
  key: string
  /** Bytes. */
  size: number
  /** Media type. */
  type: string
  /** Digests in hex; missing for files that were uploaded before they were computed. */
  sha256?: string
  sha384?: string
}

export const licenseVersions = sqliteTable(
  "license_versions",
  {
    id: integer("id").primaryKey({ autoIncrement: true }),
    /** The clients' `update_id`. */
    versionId: text("version_id").notNull().unique(),
    productId: integer("product_id").notNull(),
    version: text("version").notNull(),
    /** A text that sorts like versions; see `versionKey`. */
    sortKey: text("sort_key").notNull(),
    summary: text("summary"),
    /** HTML. */
    changelog: text("changelog"),
    releasedAt: timestamp("released_at"),
    isActive: flag("is_active").notNull(),
    mainFile: json<UpdateFile>("main_file"),
    sqlFile: json<UpdateFile>("sql_file"),
    /** As for a product. */
    revision: integer("revision").notNull().default(1),
    createdAt: timestamp("created_at").notNull(),
    updatedAt: timestamp("updated_at").notNull(),
  },
  (t) => [
    uniqueIndex("license_versions_version").on(t.productId, t.version),
    index("license_versions_order").on(t.productId, t.sortKey),
  ],
)

export const licenses = sqliteTable(
  "licenses",
  {
    id: integer("id").primaryKey({ autoIncrement: true }),
    productId: integer("product_id").notNull(),
    code: text("code").notNull(),
    /** The code in lower case, for lookups. */
    codeKey: text("code_key").notNull().unique(),
    type: text("type").notNull(),
    /** The client it was issued to; null when any client may use it. */
    customerId: text("customer_id"),
    /** The client in lower case, for filters. */
    customerKey: text("customer_key"),
    email: text("email"),
    invoice: text("invoice"),
    comments: text("comments"),
    /** Number of activations sold, for the vendor's records; `parallelUses` is the enforced limit. */
    uses: integer("uses"),
    /** Maximum number of concurrent activations; null for no limit. */
    parallelUses: integer("parallel_uses"),
    /** Active activations and all activations ever, maintained by triggers. */
    activeUses: integer("active_uses").notNull().default(0),
    madeUses: integer("made_uses").notNull().default(0),
    domains: json<string[]>("domains").notNull(),
    ips: json<string[]>("ips").notNull(),
    supportUntil: timestamp("support_until"),
    updatesUntil: timestamp("updates_until"),
    expiresAt: timestamp("expires_at"),
    /** Days of validity from the first activation, which sets `expiresAt`. */
    expiryDays: integer("expiry_days"),
    /** False while the license is blocked. */
    isValid: flag("is_valid").notNull(),
    isMarketplace: flag("is_marketplace").notNull(),
    /** When the next expiry event is due; null for none. */
    nextNoticeAt: timestamp("next_notice_at"),
    /** When emitting that event last failed; it is retried after all others. */
    noticeFailedAt: timestamp("notice_failed_at"),
    /** Code, client, email and invoice, case-folded for the search index. */
    searchText: text("search_text").notNull(),
    /** As for a product; activations do not increment it, except for the first one when it sets the expiry. */
    revision: integer("revision").notNull().default(1),
    createdAt: timestamp("created_at").notNull(),
    updatedAt: timestamp("updated_at").notNull(),
  },
  (t) => [
    index("licenses_product").on(t.productId, t.id),
    index("licenses_customer").on(t.customerKey, t.productId, t.id),
    index("licenses_customer_all").on(t.customerKey, t.id),
    index("licenses_notice").on(t.nextNoticeAt).where(sql`next_notice_at is not null`),
  ],
)

export const licenseActivations = sqliteTable(
  "license_activations",
  {
    id: integer("id").primaryKey({ autoIncrement: true }),
    licenseId: integer("license_id").notNull(),
    /** What tells one installation from another; see `columnMapping`. */
    installationKey: text("place").notNull(),
    /** Normalized; null when the client sent none. */
    domain: text("domain"),
    ip: text("ip"),
    clientName: text("client_name"),
    isActive: flag("is_active").notNull(),
    activatedAt: timestamp("activated_at").notNull(),
    deactivatedAt: timestamp("deactivated_at"),
    createdAt: timestamp("created_at").notNull(),
    updatedAt: timestamp("updated_at").notNull(),
  },
  (t) => [
    uniqueIndex("license_activations_place").on(t.licenseId, t.installationKey).where(sql`is_active = 1`),
    // Not a partial index: with one, the planner would scan all active activations.
    index("license_activations_held").on(t.licenseId, t.isActive, t.domain, t.ip),
    index("license_activations_license").on(t.licenseId, t.id),
    index("license_activations_state").on(t.isActive, t.id),
  ],
)

/** The operations that client software can be refused. */
export type LicenseOperation = "activate" | "verify" | "deactivate" | "download"

/** The reasons for refusing a license; see `rules/`. */
export type RejectionReason =
  | "other_product"
  | "other_client"
  | "not_activated"
  | "deactivated"
  | "blocked"
  | "expired"
  | "product_inactive"
  | "uses_taken"
  | "other_domain"
  | "other_ip"
  | "updates_ended"

/**
 * Tries of a license that were refused, a row for each reason, however many there are; clustered, so that a try is few
 * rows written.
 */
export const licenseRejections = sqliteTable(
  "license_refused_tries",
  {
    licenseId: integer("license_id").notNull(),
    reason: text("reason").$type<RejectionReason>().notNull(),
    tries: integer("tries").notNull(),
    firstAt: timestamp("first_at").notNull(),
    /**
     * The latest attempt: its time, what it requested, and its origin. The address is only stored if it caused the
     * refusal, or if the request named no domain.
     */
    lastAt: timestamp("last_at").notNull(),
    attempt: text("attempt").$type<LicenseOperation>().notNull(),
    domain: text("domain"),
    ip: text("ip"),
  },
  (t) => [primaryKey({ columns: [t.licenseId, t.reason] }), index("license_refused_tries_last").on(t.lastAt)],
)

export type LicenseKeyType = "external" | "internal"

export const licenseKeys = sqliteTable("license_keys", {
  id: integer("id").primaryKey({ autoIncrement: true }),
  name: text("name").notNull(),
  type: text("type").$type<LicenseKeyType>().notNull(),
  prefix: text("prefix").notNull(),
  /** SHA-256 of the whole key in hex; the key itself is shown once and never stored. */
  hash: text("hash").notNull().unique(),
  /** The scopes; null for all scopes of its type. */
  scopes: json<string[]>("scopes"),
  createdByName: text("created_by_name").notNull(),
  lastUsedAt: timestamp("last_used_at"),
  expiresAt: timestamp("expires_at"),
  revokedAt: timestamp("revoked_at"),
  createdAt: timestamp("created_at").notNull(),
})
