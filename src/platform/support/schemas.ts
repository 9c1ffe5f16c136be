// Support access as the console takes and shows it.
import * as z from "zod"
import { prose } from "../../core/http/validation"
import type { supportAccesses } from "../../db/schema/central/support"

export const OpenSupport = z.object({ reason: prose({ max: 500 }) })

export type SupportAccess = typeof supportAccesses.$inferSelect

/** Names a support access and the store it was opened for. */
export type SupportRef = Pick<SupportAccess, "id" | "storeId" | "storeSeq">
