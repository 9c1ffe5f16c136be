// Shared conditions on operators.
import { and, eq, isNull } from "drizzle-orm"
import { operators } from "../../db/schema/central/operators"

/** Matches operators with full access: admins that are not disabled. */
export const isActiveAdmin = and(eq(operators.role, "admin"), isNull(operators.disabledAt))
