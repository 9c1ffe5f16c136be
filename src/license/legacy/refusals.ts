// Formats refusals for legacy clients. They treat any status other than 200 as a connection failure, so business errors
// have status 200, and errors use the legacy field names.
import type { Context } from "hono"
import { Refusal, type RefusalOf } from "../../core/http/refusal"
import { isBusinessError, type LicenseCode, refuse, toErrorResponse } from "../envelope"
import type { LicenseEnv } from "../types"
import { legacyFieldName } from "./schemas"

/** Builds the error response of the legacy external API, which adds `is_active: false`. */
export const refuseLegacyExternal = (c: Context<LicenseEnv>, refusal: RefusalOf<LicenseCode>): Response =>
  isBusinessError(refusal) && c.var.ctx
    ? c.json({ is_active: false, ...toErrorResponse(refusal, c.var.ctx.language).body })
    : refuse(c, refusal)

/** Builds the error response of the legacy internal API. */
export const refuseLegacyInternal = (c: Context<LicenseEnv>, refusal: RefusalOf<LicenseCode>): Response =>
  isBusinessError(refusal) && c.var.ctx
    ? c.json(toErrorResponse(withLegacyFieldNames(refusal), c.var.ctx.language).body)
    : refuse(c, refusal)

function withLegacyFieldNames(refusal: RefusalOf<"validation_failed" | "not_found">): RefusalOf<LicenseCode> {
  if (refusal.code !== "validation_failed" || !refusal.facts.fields) return refusal
  const fields = Object.fromEntries(
    Object.entries(refusal.facts.fields).map(([name, errors]) => [legacyFieldName(name), errors]),
  )
  return new Refusal("validation_failed", { ...refusal.facts, fields })
}
