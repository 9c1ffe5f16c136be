// Activates licenses for client software.
import type * as z from "zod"
import { batch } from "../../db/client"
import { firstMatch, selectMatchByCode } from "../activations/queries"
import { type ActivationOutcome, activate } from "../activations/service"
import { encryptContainer } from "../encryption/container"
import { getEncryptionKey } from "../encryption/keyring"
import { importSale } from "../marketplace/service"
import { requireProduct, selectProductByReference } from "../products/queries"
import type { Product } from "../products/schemas"
import { formatMessage } from "../refusal-messages"
import { recordRejection } from "../rejections/service"
import type { LicenseCtx } from "../types"
import type { Activate } from "./schemas"

type Input = z.output<typeof Activate>
type Refused = Extract<ActivationOutcome, { kind: "refused" }>

/**
 * Activates a license for the calling installation.
 * @returns the response body, with the license data that the client stores, or with a refusal message and null
 * @throws Refusal `not_found` for an unknown product
 */
export async function activateLicense(ctx: LicenseCtx, input: Input) {
  const request = { ...ctx.client, clientName: input.client_name ?? null }
  let product: Product | undefined
  const load = async () => {
    const [products, matches] = await batch(ctx.db, [
      selectProductByReference({ referenceId: input.product_id }),
      selectMatchByCode(input.license_code, request),
    ])
    product = requireProduct(products)
    return { match: firstMatch(matches), product }
  }

  let outcome = await activate(ctx, load, request)
  if (mayBeMarketplaceSale(outcome, input) && product) {
    const imported = await importSale(ctx, product, input.license_code)
    if (imported === null) return buildRefusedResponse(ctx, { ...outcome, message: "marketplace_unavailable" })
    if (imported) outcome = await activate(ctx, load, request)
  }
  if (outcome.kind === "refused") return buildRefusedResponse(ctx, outcome)

  const { cipher, key } = await getEncryptionKey(ctx, ctx.license)
  const { activation } = outcome
  const licenseData = await encryptContainer({ id: activation, activation_id: activation }, cipher, key)
  return {
    status: true,
    is_active: true,
    message: formatMessage("activated", ctx.language),
    lic_response: licenseData,
    data: { license_data: licenseData },
  }
}

const mayBeMarketplaceSale = (outcome: ActivationOutcome, { verify_type }: Input): outcome is Refused =>
  outcome.kind === "refused" && outcome.license === null && (verify_type === "marketplace" || verify_type === "envato")

function buildRefusedResponse(ctx: LicenseCtx, { reason, license, ...outcome }: Refused) {
  recordRejection(ctx, "activate", reason, license)
  return {
    status: false,
    is_active: false,
    message: formatMessage(outcome.message, ctx.language, outcome.facts),
    ...(outcome.statusCode && { status_code: outcome.statusCode }),
    lic_response: null,
    data: null,
  }
}
