// The table of what card providers charge, as their messages say.
import { integer, sqliteTable, text } from "drizzle-orm/sqlite-core"
import { timestamp } from "../columns"

export const providerPrices = sqliteTable("provider_prices", {
  /** The provider's id of the price. */
  price: text("price").primaryKey(),
  amountCents: integer("amount_cents").notNull(),
  /** ISO 4217 code. */
  currency: text("currency").notNull(),
  interval: text("interval", { enum: ["month", "year"] }).notNull(),
  /** The provider's time of the first message with this amount, currency and interval. */
  reportedAt: timestamp("reported_at").notNull(),
})
