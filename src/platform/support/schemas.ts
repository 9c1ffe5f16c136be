// Schemas of support accesses.
import * as z from "zod"
import { multilineText } from "../../core/http/validation"
import type { supportAccesses } from "../../db/schema/central/support"

export const CreateSupportAccess = z.object({ reason: multilineText({ max: 500 }) })

export type SupportAccess = typeof supportAccesses.$inferSelect

/** Identifies a support access and the store it was created for. */
export type SupportRef = Pick<SupportAccess, "id" | "storeId" | "storeSeq">
