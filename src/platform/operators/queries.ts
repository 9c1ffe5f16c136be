// Conditions on operators that several modules share.
import { and, eq, isNull } from "drizzle-orm"
import { operators } from "../../db/schema/central/operators"

/** Matches operators with full access: admins that are not disabled. */
export const isAdmin = and(eq(operators.role, "admin"), isNull(operators.disabledAt))
