// Tables for sign-up reservations, which a mailed link turns into stores, and coupons, which extend trials or reduce
// prices.
import { index, integer, sqliteTable, text } from "drizzle-orm/sqlite-core"
import { flag, json, timestamp } from "../columns"

export const signupReservations = sqliteTable(
  "signup_reservations",
  {
    id: integer("id").primaryKey({ autoIncrement: true }),
    /** Reserved until `expires_at`. */
    subdomain: text("subdomain").notNull().unique(),
    /** As typed. Several reservations may share an address, so that an attacker cannot block its owner. */
    email: text("email").notNull(),
    name: text("name").notNull(),
    plan: text("plan"),
    theme: text("theme"),
    preset: text("preset"),
    coupon: text("coupon"),
    /** The language of the mails and of the new store. */
    locale: text("locale").$type<"en" | "es" | "fr" | "vi">().notNull(),
    createdAt: timestamp("created_at").notNull(),
    expiresAt: timestamp("expires_at").notNull(),
    /** `stores.seq` of the created store; null while the reservation is open. */
    storeSeq: integer("store_seq"),
  },
  (t) => [index("signup_reservations_expiry").on(t.expiresAt)],
)

/** Unused: replaced by `signup_reservations`; the next release drops it with a contract migration. */
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
    createdAt: timestamp("created_at").notNull(),
    expiresAt: timestamp("expires_at").notNull(),
    completedAt: timestamp("completed_at"),
  },
  (t) => [index("signups_expiry").on(t.expiresAt)],
)

export const coupons = sqliteTable(
  "coupons",
  {
    /** The code in upper case. */
    code: text("code").primaryKey(),
    description: text("description").notNull(),
    /** Days added to the trial; 0 for none. */
    trialDays: integer("trial_days").notNull(),
    /** Discount on each paid period: a percentage, or an amount in the smallest unit of the plan's currency. */
    percentOff: integer("percent_off"),
    amountOff: integer("amount_off"),
    /** Months from the first discounted period in which further ones may begin; null for no end. */
    months: integer("months"),
    /** Slugs of the applicable plans; null for all. */
    plans: json<string[]>("plans"),
    /** Null for no expiry. */
    maxRedemptions: integer("max_redemptions"),
    redemptions: integer("redemptions").notNull(),
    startsAt: timestamp("starts_at"),
    expiresAt: timestamp("expires_at"),
    isActive: flag("is_active").notNull(),
    createdAt: timestamp("created_at").notNull(),
    updatedAt: timestamp("updated_at").notNull(),
  },
  (t) => [index("coupons_updated").on(t.updatedAt)],
)
