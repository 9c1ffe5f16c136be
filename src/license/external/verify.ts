// Verifies and deactivates licenses for client software.
import type * as z from "zod"
import { retryOnConflict } from "../../core/write/commit"
import { batch } from "../../db/client"
import { assertNever } from "../../lib/assert-never"
import {
  firstMatch,
  type LicenseMatch,
  type MatchBy,
  type SelectMatch,
  selectMatchByActivation,
  selectMatchByCode,
} from "../activations/queries"
import { deactivate } from "../activations/service"
import { decryptLicense } from "../encryption/decrypt"
import { getDecryptionKeys } from "../encryption/keyring"
import { selectProductByReference } from "../products/queries"
import { formatMessage } from "../refusal-messages"
import { recordRejection } from "../rejections/service"
import type { InstallationInfo } from "../rules/facts"
import { getDeactivationRejection, getVerificationRejection, type VerificationRejection } from "../rules/verify"
import type { LicenseCtx } from "../types"
import type { Proof, VerifyOrDeactivate } from "./schemas"

/** The query for the license that a client presents, and the facts about the client. */
export interface ResolvedProof {
  /** Null when the proof is not a license of this vendor. */
  statement: SelectMatch | null
  request: InstallationInfo
}

/**
 * Resolves a client's proof to a query, without a database call.
 * @param matchBy how to find the activation of a license that is presented by its code
 */
export async function resolveProof(ctx: LicenseCtx, proof: Proof, matchBy: MatchBy): Promise<ResolvedProof> {
  const request = { ...ctx.client, clientName: proof.client_name ?? null }
  const data = proof.license_data ?? proof.license_file
  if (data === undefined) {
    const code = proof.license_code
    return { statement: code ? selectMatchByCode(code, request, matchBy) : null, request }
  }
  const decrypted = await decryptLicense(data, await getDecryptionKeys(ctx, ctx.license))
  switch (decrypted?.kind) {
    case undefined:
      return { statement: null, request }
    case "modern":
      return { statement: selectMatchByActivation(decrypted.activation_id), request }
    case "legacy": {
      const namedRequest = { ...request, clientName: request.clientName ?? decrypted.client }
      return { statement: selectMatchByCode(decrypted.license, namedRequest, matchBy), request: namedRequest }
    }
    default:
      return assertNever(decrypted)
  }
}

/** Loads the facts that a verification is decided on. */
async function loadVerification(ctx: LicenseCtx, input: z.output<typeof VerifyOrDeactivate>, matchBy: MatchBy) {
  const { statement, request } = await resolveProof(ctx, input, matchBy)
  const [[product = null], matches = []] = await batch(ctx.db, [
    selectProductByReference({ referenceId: input.product_id }),
    ...(statement ? [statement] : []),
  ])
  const match = firstMatch(matches)
  return { match, input: { ...licenseAndActivation(match), product, request } }
}

/** Converts a match to the rules' input. */
export const licenseAndActivation = (match: LicenseMatch | null) => ({
  license: match?.license ?? null,
  activation: match?.activation ?? null,
})

/** Verifies a license. The response never says why a license is rejected. */
export async function verifyLicense(ctx: LicenseCtx, input: z.output<typeof VerifyOrDeactivate>) {
  const verification = await loadVerification(ctx, input, "domain")
  const rejection = getVerificationRejection({ ...verification.input, now: ctx.now })
  if (rejection !== null) recordRejection(ctx, "verify", rejection, verification.match?.license.id)
  return { ...buildVerificationResponse(ctx, rejection, "verified"), data: null }
}

/** Ends the installation's activation. A second call is rejected. */
export const deactivateLicense = (ctx: LicenseCtx, input: z.output<typeof VerifyOrDeactivate>) =>
  retryOnConflict(async () => {
    const { match, input: facts } = await loadVerification(ctx, input, "installation")
    const rejection = getDeactivationRejection(facts)
    if (match && rejection === null) await deactivate(ctx, match)
    if (rejection !== null) recordRejection(ctx, "deactivate", rejection, match?.license.id)
    return buildVerificationResponse(ctx, rejection, "deactivated")
  })

const buildVerificationResponse = (
  ctx: LicenseCtx,
  rejection: VerificationRejection | null,
  success: "verified" | "deactivated",
) => ({
  status: rejection === null,
  is_active: rejection === null,
  message: formatMessage(rejection === null ? success : "license_not_held", ctx.language),
})
