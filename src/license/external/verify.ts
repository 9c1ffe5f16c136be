// Verifies and deactivates licenses for client software.
import type * as z from "zod"
import { retryOnConflict } from "../../core/write/commit"
import { batch, type CentralDatabase, nearestCentralReplica } from "../../db/client"
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
async function loadVerification(db: CentralDatabase, { statement, request }: ResolvedProof, productId: string) {
  const [[product = null], matches = []] = await batch(db, [
    selectProductByReference({ referenceId: productId }),
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

/**
 * Verifies a license. The response never says why a license is rejected.
 *
 * The nearest replica decides, which may lag behind. A license that it rejects may just have been activated, so the
 * primary decides again. One that was blocked a moment ago may verify until the replica knows it.
 */
export async function verifyLicense(ctx: LicenseCtx, input: z.output<typeof VerifyOrDeactivate>) {
  const proof = await resolveProof(ctx, input, "domain")
  const decide = async (db: CentralDatabase) => {
    const verification = await loadVerification(db, proof, input.product_id)
    return { verification, rejection: getVerificationRejection({ ...verification.input, now: ctx.now }) }
  }
  const decided = await decide(nearestCentralReplica(ctx.env))
  const { verification, rejection } = decided.rejection === null ? decided : await decide(ctx.db)
  if (rejection !== null) recordRejection(ctx, "verify", rejection, verification.match?.license.id)
  return { ...buildVerificationResponse(ctx, rejection, "verified"), data: null }
}

/** Ends the installation's activation. A second call is rejected. */
export const deactivateLicense = (ctx: LicenseCtx, input: z.output<typeof VerifyOrDeactivate>) =>
  retryOnConflict(async () => {
    const proof = await resolveProof(ctx, input, "installation")
    const { match, input: facts } = await loadVerification(ctx.db, proof, input.product_id)
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
