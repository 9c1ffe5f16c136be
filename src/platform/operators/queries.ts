// Which of the operators: who is written to, who may do everything.
import { and, asc, eq, isNull } from "drizzle-orm"
import type { Ctx } from "../../core/context"
import { operators } from "../../db/schema/central/operators"

/** Where the platform's own mails go: to all operators but those who were shut out, the oldest first. */
export const listReaders = (ctx: Pick<Ctx, "db">): Promise<{ id: number; email: string }[]> =>
  ctx.db
    .select({ id: operators.id, email: operators.email })
    .from(operators)
    .where(isNull(operators.disabledAt))
    .orderBy(asc(operators.id))

/** That an operator may do everything. */
export const isAdmin = and(eq(operators.role, "admin"), isNull(operators.disabledAt))
