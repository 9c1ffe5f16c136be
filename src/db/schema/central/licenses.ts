// The license manager: what is sold, its versions and their files, who may use it, and where it is in use.
import { sql } from "drizzle-orm"
import { index, integer, primaryKey, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core"
import { flag, json, moment } from "../columns"

export const licenseProducts = sqliteTable("license_products", {
  id: integer("id").primaryKey({ autoIncrement: true }),
  /** What clients call it: `product_id`. */
  referenceId: text("reference_id").notNull().unique(),
  name: text("name").notNull(),
  /** Its number on an external marketplace. */
  marketplaceId: text("marketplace_id"),
  description: text("description"),
  /** Whether updates are for licensed installations only. */
  licenseUpdate: flag("license_update").notNull(),
  /** Whether an installation is offered the newest version at once, or one version after the other. */
  serveLatestUpdates: flag("serve_latest_updates").notNull(),
  isActive: flag("is_active").notNull(),
  /** Rises with every change; what was decided on an older one is decided again. */
  revision: integer("revision").notNull().default(1),
  createdAt: moment("created_at").notNull(),
  updatedAt: moment("updated_at").notNull(),
})

/** A file in the UPDATES bucket. Its key is never written twice, so what is said here stays true. */
export interface UpdateFile {
  key: string
  /** Bytes. */
  size: number
  /** Media type. */
  type: string
}

export const licenseVersions = sqliteTable(
  "license_versions",
  {
    id: integer("id").primaryKey({ autoIncrement: true }),
    /** What clients call it: `update_id`. */
    versionId: text("version_id").notNull().unique(),
    productId: integer("product_id").notNull(),
    version: text("version").notNull(),
    /** Orders as versions do; see `versionKey`. */
    sortKey: text("sort_key").notNull(),
    summary: text("summary"),
    /** HTML. */
    changelog: text("changelog"),
    releasedAt: moment("released_at"),
    isActive: flag("is_active").notNull(),
    mainFile: json<UpdateFile>("main_file"),
    sqlFile: json<UpdateFile>("sql_file"),
    /** As a product's. */
    revision: integer("revision").notNull().default(1),
    createdAt: moment("created_at").notNull(),
    updatedAt: moment("updated_at").notNull(),
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
    /** The code in lower case, by which it is found. */
    codeKey: text("code_key").notNull().unique(),
    type: text("type").notNull(),
    /** The client it was issued to; null when it may be anyone's. */
    customerId: text("customer_id"),
    /** The client in lower case, by which it is filtered. */
    customerKey: text("customer_key"),
    email: text("email"),
    invoice: text("invoice"),
    comments: text("comments"),
    /** Activations that were sold in all, for the vendor's books; `parallelUses` is what limits. */
    uses: integer("uses"),
    /** Most simultaneous activations; null sets no limit. */
    parallelUses: integer("parallel_uses"),
    /** Activations that are on, and all that were ever made; triggers keep them. */
    activeUses: integer("active_uses").notNull().default(0),
    madeUses: integer("made_uses").notNull().default(0),
    domains: json<string[]>("domains").notNull(),
    ips: json<string[]>("ips").notNull(),
    supportUntil: moment("support_until"),
    updatesUntil: moment("updates_until"),
    expiresAt: moment("expires_at"),
    /** Days it lasts from its first activation, which turns them into `expiresAt`. */
    expiryDays: integer("expiry_days"),
    /** False while it is blocked. */
    isValid: flag("is_valid").notNull(),
    isMarketplace: flag("is_marketplace").notNull(),
    /** When the next event about its dates is due; null when none is. */
    nextNoticeAt: moment("next_notice_at"),
    /** When telling it failed; it is tried again after all others. */
    noticeFailedAt: moment("notice_failed_at"),
    /** Code, client, e-mail and invoice folded to lower case, for the search index. */
    searchText: text("search_text").notNull(),
    /** As a product's; activations do not raise it, but for the first one that sets an end. */
    revision: integer("revision").notNull().default(1),
    createdAt: moment("created_at").notNull(),
    updatedAt: moment("updated_at").notNull(),
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
    /** What tells one installation from another; see `placeOf`. */
    installationKey: text("place").notNull(),
    /** Normalised; null when the client told none. */
    domain: text("domain"),
    ip: text("ip"),
    clientName: text("client_name"),
    isActive: flag("is_active").notNull(),
    activatedAt: moment("activated_at").notNull(),
    deactivatedAt: moment("deactivated_at"),
    createdAt: moment("created_at").notNull(),
    updatedAt: moment("updated_at").notNull(),
  },
  (t) => [
    uniqueIndex("license_activations_place").on(t.licenseId, t.installationKey).where(sql`is_active = 1`),
    // Not partial: the planner would rather read every activation that is on.
    index("license_activations_held").on(t.licenseId, t.isActive, t.domain, t.ip),
    index("license_activations_license").on(t.licenseId, t.id),
    index("license_activations_state").on(t.isActive, t.id),
  ],
)

/** What client software asked for when it was refused. */
export type LicenseOperation = "activate" | "verify" | "deactivate" | "download"

/** Why a license was refused; see `rules/`. */
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

/** Tries of a license that were refused, a row for each reason, however many there are; clustered, so that a try is few rows written. */
export const licenseRejections = sqliteTable(
  "license_refused_tries",
  {
    licenseId: integer("license_id").notNull(),
    reason: text("reason").$type<RejectionReason>().notNull(),
    tries: integer("tries").notNull(),
    firstAt: moment("first_at").notNull(),
    /** The latest one: when, what was asked for, and from where; the address only where it was refused for that, or no domain was told. */
    lastAt: moment("last_at").notNull(),
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
  /** What it may do; null is all that its type may. */
  scopes: json<string[]>("scopes"),
  createdByName: text("created_by_name").notNull(),
  lastUsedAt: moment("last_used_at"),
  expiresAt: moment("expires_at"),
  revokedAt: moment("revoked_at"),
  createdAt: moment("created_at").notNull(),
})
