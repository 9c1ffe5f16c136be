// What an installation does with the license it holds: proves it, gives it back.
import type * as z from "zod"
import { retryOnConflict } from "../../core/write/commit"
import { batch } from "../../db/client"
import {
  type Holding,
  type Matching,
  oneHolding,
  type SelectHolding,
  selectHoldingByActivation,
  selectHoldingByCode,
} from "../activations/queries"
import { endActivation } from "../activations/service"
import { readingKeys } from "../encryption/keyring"
import { openLicense } from "../encryption/open"
import { productByReference } from "../products/queries"
import { message } from "../refusal-messages"
import { noteFault } from "../rejections/service"
import type { RequestFacts } from "../rules/facts"
import { deactivationFault, type HoldingFault, verificationFault } from "../rules/verify"
import type { LicenseCtx } from "../types"
import type { Hold, Proof } from "./schemas"

/** How the license that a client shows is looked up, and what the proof says of the client. */
export interface Shown {
  /** Null when what it shows is no license of ours. */
  statement: SelectHolding | null
  request: RequestFacts
}

/**
 * Reads what a client shows, without asking the database.
 * @param matching how the activation is found of a license that is shown by its code
 */
export async function shownLicense(ctx: LicenseCtx, proof: Proof, matching: Matching): Promise<Shown> {
  const request = { ...ctx.client, clientName: proof.client_name ?? null }
  const data = proof.license_data ?? proof.license_file
  if (data === undefined) {
    const code = proof.license_code
    return { statement: code ? selectHoldingByCode(code, request, matching) : null, request }
  }
  const opened = await openLicense(data, await readingKeys(ctx, ctx.license))
  switch (opened?.kind) {
    case undefined:
      return { statement: null, request }
    case "modern":
      return { statement: selectHoldingByActivation(opened.activation_id), request }
    case "legacy": {
      const named = { ...request, clientName: request.clientName ?? opened.client }
      return { statement: selectHoldingByCode(opened.license, named, matching), request: named }
    }
  }
}

/** What is known of a claim to hold a license of a product. */
async function loadClaim(ctx: LicenseCtx, input: z.output<typeof Hold>, matching: Matching) {
  const { statement, request } = await shownLicense(ctx, input, matching)
  const [[product = null], holdings = []] = await batch(ctx.db, [
    productByReference({ referenceId: input.product_id }),
    ...(statement ? [statement] : []),
  ])
  const holding = oneHolding(holdings)
  return { holding, question: { ...parts(holding), product, request } }
}

/** A holding as the rules are asked about it. */
export const parts = (holding: Holding | null) => ({
  license: holding?.license ?? null,
  activation: holding?.activation ?? null,
})

/** Answers whether the license verifies; never says why it does not. */
export async function verifyLicense(ctx: LicenseCtx, input: z.output<typeof Hold>) {
  const { holding, question } = await loadClaim(ctx, input, "domain")
  const fault = verificationFault({ ...question, now: ctx.now })
  if (fault !== null) noteFault(ctx, "verify", fault, holding?.license.id)
  return { ...answer(ctx, fault, "verified"), data: null }
}

/** Gives an activation back; only once. */
export const deactivateLicense = (ctx: LicenseCtx, input: z.output<typeof Hold>) =>
  retryOnConflict(async () => {
    const { holding, question } = await loadClaim(ctx, input, "place")
    const fault = deactivationFault(question)
    if (holding && fault === null) await endActivation(ctx, holding)
    if (fault !== null) noteFault(ctx, "deactivate", fault, holding?.license.id)
    return answer(ctx, fault, "deactivated")
  })

const answer = (ctx: LicenseCtx, fault: HoldingFault | null, success: "verified" | "deactivated") => ({
  status: fault === null,
  is_active: fault === null,
  message: message(fault === null ? success : "license_not_held", ctx.language),
})
