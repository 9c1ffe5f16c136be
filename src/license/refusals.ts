// Refusals of the license manager that say what they are about.
import { Refusal } from "../core/http/refusal"
import type { MessageCode, MessageFacts } from "./refusal-messages"

/** The refusal of a request whose subject is not there, in words that name it. */
export const missing = (what: "product_not_found" | "license_not_found" | "no_version"): Refusal =>
  new Refusal("not_found", { message: what })

/** A request that is well-formed and against a license's rules, in the rules' own words. */
export const refusedByRules = (code: MessageCode, words?: MessageFacts): Refusal =>
  new Refusal("validation_failed", { message: code, words })
