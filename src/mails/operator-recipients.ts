// Lists the operators that receive the platform's own mails.
import { asc, isNull } from "drizzle-orm"
import type { Ctx } from "../core/context"
import { operators } from "../db/schema/central/operators"

/** Every operator that is not disabled, oldest first. */
export const listOperatorRecipients = (ctx: Pick<Ctx, "db">): Promise<{ id: number; email: string }[]> =>
  ctx.db
    .select({ id: operators.id, email: operators.email })
    .from(operators)
    .where(isNull(operators.disabledAt))
    .orderBy(asc(operators.id))
