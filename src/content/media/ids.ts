// Ids of folders and files in queries and bodies.
import * as z from "zod"
import { fault, listOf } from "../../core/http/validation"

const DIGITS = /^(0|[1-9]\d{0,15})$/

const spelled = z
  .string()
  .refine((value) => DIGITS.test(value) && Number.isSafeInteger(Number(value)), fault("integer"))
  .transform(Number)
  .meta({ pattern: "^(0|[1-9][0-9]{0,14})$" })

/** A folder's id in a query; absent for the root. */
export const queryFolderId = spelled.meta({ type: "integer", minimum: 0 }).default(0)

/** An id in a body, as a number or as a text of digits. */
const id = z.union([z.int().nonnegative(), spelled])

/** A folder's id in a body; 0 is the root. */
export const folderId = id

/** How many items one request deletes. */
const MOST = 5000

/** Ids in a body; doubles count once. */
export const bulkIds = listOf(id, { min: 1, max: MOST }).transform((ids) => [...new Set(ids)])
