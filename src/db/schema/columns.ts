// Column types that all tables share.
import { integer, text } from "drizzle-orm/sqlite-core"

/** A timestamp, stored as milliseconds since 1970. */
export const timestamp = (name: string) => integer(name, { mode: "timestamp_ms" })

/** A boolean, stored as 1 or 0. */
export const flag = (name: string) => integer(name, { mode: "boolean" })

/** A value stored as JSON text. */
export const json = <T>(name: string) => text(name, { mode: "json" }).$type<T>()
