// Tables for a site's push account and the deliveries to devices in progress.
import { integer, primaryKey, text } from "drizzle-orm/sqlite-core"
import { flag, timestamp } from "../columns"
import { siteTable } from "../site-table"

/** A site without a row has no push account. */
export const pushAccounts = siteTable("push_accounts", {
  siteId: text("site_id").primaryKey(),
  enabled: flag("enabled").notNull(),
  projectId: text("project_id").notNull(),
  clientEmail: text("client_email").notNull(),
  tokenUri: text("token_uri").notNull(),
  /** The service account's private key as PEM, encrypted. */
  privateKey: text("private_key").notNull(),
  configuredAt: timestamp("configured_at").notNull(),
  /** The provider's access token, encrypted, and the time until which it is used. */
  accessToken: text("access_token"),
  accessTokenUntil: timestamp("access_token_until"),
})

/**
 * Deliveries to devices that are claimed or waiting for a retry. Finished ones are deleted, so the table contains
 * work in progress only; the notification's `reachedDevice` prevents claiming a device twice. Without rowid, so that
 * a claim and its end write one row each.
 */
export const pushClaims = siteTable(
  "push_claims",
  {
    siteId: text("site_id").notNull(),
    notificationId: integer("notification_id").notNull(),
    /** When the claim expires, or when the next retry is due. */
    dueAt: integer("due_at").notNull(),
    deviceId: integer("device_id").notNull(),
    /** Number of claims. */
    attempts: integer("attempts").notNull(),
    /** The run that claimed it; null while it waits for a retry. */
    run: text("run"),
  },
  (t) => [primaryKey({ columns: [t.siteId, t.notificationId, t.dueAt, t.deviceId] })],
)

/** Reasons why a delivery to a device failed. */
export type FailureReason =
  /** The app was uninstalled, or the provider does not know the token: the token is deleted. */
  | "unregistered"
  /**
   * The provider rejected the token as invalid: it is deleted once another response has shown that the message is
   * valid.
   */
  | "invalid_token"
  /** The token belongs to another project: it is deactivated. */
  | "sender_mismatch"
  /** The provider has no valid APNs key for the iOS app. */
  | "apns_key"
  /** The provider rejected a fresh access token twice. */
  | "unauthorized"
  /** The provider responded with a rate limit six times. */
  | "slowed_down"
  /** The provider failed or did not respond six times. */
  | "unavailable"
  /** A response that the provider does not document. */
  | "unexpected"
  /** The device was deleted before the delivery. */
  | "gone"

/** Failed devices per notification and reason. Without rowid. */
export const pushFailures = siteTable(
  "push_failures",
  {
    siteId: text("site_id").notNull(),
    notificationId: integer("notification_id").notNull(),
    reason: text("reason").$type<FailureReason>().notNull(),
    total: integer("total").notNull(),
  },
  (t) => [primaryKey({ columns: [t.siteId, t.notificationId, t.reason] })],
)
