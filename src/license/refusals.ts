// Builds refusals that carry one of the license manager's messages.
import { Refusal } from "../core/http/refusal"
import type { MessageCode, MessageParams } from "./refusal-messages"

/** Builds a 404 whose message names the missing resource. */
export const notFound = (message: "product_not_found" | "license_not_found" | "no_version"): Refusal =>
  new Refusal("not_found", { message })

/** Builds a 422 for a well-formed request that a license's rules forbid. */
export const ruleViolation = (code: MessageCode, params?: MessageParams): Refusal =>
  new Refusal("validation_failed", { message: code, params })
