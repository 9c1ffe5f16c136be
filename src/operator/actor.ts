// For whom the command line acts.
import { eq } from "drizzle-orm"
import type { Ctx } from "../core/context"
import { invalid } from "../core/http/refusal"
import type { Actor } from "../core/write/actor"
import { operators } from "../db/schema/central/operators"

/**
 * The operator that `--as=` names, by their e-mail address; `operator` when nobody is named.
 * @throws Refusal `validation_failed` about `as` when there is no such operator
 */
export async function actorOf(ctx: Pick<Ctx, "db">, email: string | undefined): Promise<Actor> {
  if (!email) return { type: "admin", id: 0, name: "operator" }
  const [found] = await ctx.db
    .select({ id: operators.id, name: operators.name })
    .from(operators)
    .where(eq(operators.email, email.slice(0, 190).toLowerCase()))
  if (!found) throw invalid("as", "selected")
  return { type: "admin", ...found }
}
