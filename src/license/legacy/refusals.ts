// Refusals as older clients read them. They take any status but 200 for "no connection", so that what is wrong with a request is said
// with that one, and about the fields by the names they were sent under.
import type { Context } from "hono"
import { Refusal } from "../../core/http/refusal"
import { isAnswer, refuse, worded } from "../envelope"
import type { LicenseEnv } from "../types"
import { oldName } from "./schemas"

/** The answer to a refusal of the old external API, which says of a license that it does not hold. */
export const refuseClient = (c: Context<LicenseEnv>, refusal: Refusal): Response =>
  isAnswer(refusal) && c.var.ctx
    ? c.json({ is_active: false, ...worded(refusal, c.var.ctx.language).body })
    : refuse(c, refusal)

/** The answer to a refusal of the old internal API. */
export const refuseVendor = (c: Context<LicenseEnv>, refusal: Refusal): Response =>
  isAnswer(refusal) && c.var.ctx ? c.json(worded(underOldNames(refusal), c.var.ctx.language).body) : refuse(c, refusal)

function underOldNames({ code, facts }: Refusal): Refusal {
  const fields =
    facts.fields && Object.fromEntries(Object.entries(facts.fields).map(([name, faults]) => [oldName(name), faults]))
  return new Refusal(code, { ...facts, fields })
}
