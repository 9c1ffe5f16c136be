// Schemas for the ids of folders and files in queries and bodies.
import * as z from "zod"
import { listOf, violates } from "../../core/http/validation"

const INTEGER = /^(0|[1-9]\d{0,15})$/

const integerString = z
  .string()
  .refine((value) => INTEGER.test(value) && Number.isSafeInteger(Number(value)), violates("integer"))
  .transform(Number)
  .meta({ pattern: "^(0|[1-9][0-9]{0,14})$" })

/** A folder's id in a query; absent for the root. */
export const queryFolderId = integerString.meta({ type: "integer", minimum: 0 }).default(0)

/** An id in a body: a number, or a string of digits. */
const id = z.union([z.int().nonnegative(), integerString])

/** A folder's id in a body; 0 is the root. */
export const folderId = id

/** Items that one request may delete. */
const MAX_BULK_IDS = 5000

/** List of ids in a body, without duplicates. */
export const bulkIds = listOf(id, { min: 1, max: MAX_BULK_IDS }).transform((ids) => [...new Set(ids)])
