// Sending to devices: a site's account at the push provider, and what is under way.
import { integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core"
import { flag, moment } from "../columns"

/** A site without a row was never set up. */
export const pushAccounts = sqliteTable("push_accounts", {
  siteId: text("site_id").primaryKey(),
  enabled: flag("enabled").notNull(),
  projectId: text("project_id").notNull(),
  clientEmail: text("client_email").notNull(),
  tokenUri: text("token_uri").notNull(),
  /** The service account's private key as PEM, under the application's key. */
  privateKey: text("private_key").notNull(),
  configuredAt: moment("configured_at").notNull(),
  /** What the provider lets this site send by, under the application's key, and until when it is used. */
  accessToken: text("access_token"),
  accessTokenUntil: moment("access_token_until"),
})

/**
 * Devices that a notification is on its way to: claimed, or waiting to be tried again. What is settled leaves, so that the table holds
 * no more than what is under way; that no device is claimed a second time is the notification's `reachedDevice`. Without a rowid: a
 * claim and its end are one row written each.
 */
export const pushClaims = sqliteTable(
  "push_claims",
  {
    siteId: text("site_id").notNull(),
    notificationId: integer("notification_id").notNull(),
    /** When the claim ends, or when the device is to be tried again. */
    dueAt: integer("due_at").notNull(),
    deviceId: integer("device_id").notNull(),
    /** How often it was claimed. */
    attempts: integer("attempts").notNull(),
    /** The run that claimed it; null while it waits. */
    run: text("run"),
  },
  (t) => [primaryKey({ columns: [t.siteId, t.notificationId, t.dueAt, t.deviceId] })],
)

/** Why a notification failed for a device. */
export type FailureReason =
  /** The app is gone, or the provider does not know the token: it is deleted. */
  | "unregistered"
  /** The provider takes the token for none: it is deleted, once another answer has shown that the message is not at fault. */
  | "invalid_token"
  /** The token is another project's: it is deactivated. */
  | "sender_mismatch"
  /** The provider has no good key for the iOS app. */
  | "apns_key"
  /** The provider twice did not take a fresh access token. */
  | "unauthorized"
  /** The provider asked to slow down, six times. */
  | "slowed_down"
  /** The provider failed or did not answer, six times. */
  | "unavailable"
  /** An answer that its documents do not have. */
  | "unexpected"
  /** The device was deleted before its turn. */
  | "gone"

/** How many devices each notification failed for, by why. Without a rowid. */
export const pushFailures = sqliteTable(
  "push_failures",
  {
    siteId: text("site_id").notNull(),
    notificationId: integer("notification_id").notNull(),
    reason: text("reason").$type<FailureReason>().notNull(),
    total: integer("total").notNull(),
  },
  (t) => [primaryKey({ columns: [t.siteId, t.notificationId, t.reason] })],
)
