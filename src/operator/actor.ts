// Resolves the operator that a CLI command runs as, for the audit log.
import { eq } from "drizzle-orm"
import type { Ctx } from "../core/context"
import { invalid } from "../core/http/refusal"
import type { Actor } from "../core/write/actor"
import { operators } from "../db/schema/central/operators"

/**
 * Returns the operator with the email address from `--as`, or a generic `operator` actor without one.
 * @throws Refusal `validation_failed` for `as` when the operator does not exist
 */
export async function resolveActor(ctx: Pick<Ctx, "db">, email: string | undefined): Promise<Actor> {
  if (!email) return { type: "admin", id: 0, name: "operator" }
  const [found] = await ctx.db
    .select({ id: operators.id, name: operators.name })
    .from(operators)
    .where(eq(operators.email, email.slice(0, 190).toLowerCase()))
  if (!found) throw invalid("as", "selected")
  return { type: "admin", ...found }
}
