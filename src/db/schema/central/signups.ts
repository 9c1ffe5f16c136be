// Customers on their way to a store: reservations that a mailed link turns into stores, and the coupons that lengthen their trials.
import { index, integer, sqliteTable, text } from "drizzle-orm/sqlite-core"
import { flag, json, moment } from "../columns"

export const signupReservations = sqliteTable(
  "signup_reservations",
  {
    id: integer("id").primaryKey({ autoIncrement: true }),
    /** Reserved until `expires_at`. */
    subdomain: text("subdomain").notNull().unique(),
    /** As typed. Several reservations may share an address, so that none of them excludes its owner. */
    email: text("email").notNull(),
    name: text("name").notNull(),
    plan: text("plan"),
    theme: text("theme"),
    preset: text("preset"),
    coupon: text("coupon"),
    /** Language of the mails and of the new store. */
    locale: text("locale").$type<"en" | "es" | "fr" | "vi">().notNull(),
    createdAt: moment("created_at").notNull(),
    expiresAt: moment("expires_at").notNull(),
    /** `stores.seq` of the store that it became; null while it is open. */
    storeSeq: integer("store_seq"),
  },
  (t) => [index("signup_reservations_expiry").on(t.expiresAt)],
)

/** Unused since `signup_reservations` took its place; the next release drops it with a contract migration. */
export const signups = sqliteTable(
  "signups",
  {
    id: integer("id").primaryKey({ autoIncrement: true }),
    subdomain: text("subdomain").notNull().unique(),
    email: text("email").notNull(),
    emailKey: text("email_key").notNull().unique(),
    name: text("name").notNull(),
    passwordHash: text("password_hash").notNull(),
    plan: text("plan"),
    theme: text("theme"),
    preset: text("preset"),
    coupon: text("coupon"),
    locale: text("locale").notNull(),
    createdAt: moment("created_at").notNull(),
    expiresAt: moment("expires_at").notNull(),
    completedAt: moment("completed_at"),
  },
  (t) => [index("signups_expiry").on(t.expiresAt)],
)

export const coupons = sqliteTable("coupons", {
  /** In upper case. */
  code: text("code").primaryKey(),
  description: text("description").notNull(),
  /** Days that it adds to a trial. */
  trialDays: integer("trial_days").notNull(),
  /** Slugs of the plans it holds for; null is all. */
  plans: json<string[]>("plans"),
  /** Null is without end. */
  maxRedemptions: integer("max_redemptions"),
  redemptions: integer("redemptions").notNull(),
  startsAt: moment("starts_at"),
  expiresAt: moment("expires_at"),
  isActive: flag("is_active").notNull(),
  createdAt: moment("created_at").notNull(),
  updatedAt: moment("updated_at").notNull(),
})
