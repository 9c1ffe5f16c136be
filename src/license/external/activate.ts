// Activation, as client software asks for it.
import type * as z from "zod"
import { batch } from "../../db/client"
import { oneHolding, selectHoldingByCode } from "../activations/queries"
import { type ActivationOutcome, activate } from "../activations/service"
import { sealContainer } from "../encryption/container"
import { writingKey } from "../encryption/keyring"
import { importSale } from "../marketplace/service"
import { oneProduct, productByReference } from "../products/queries"
import type { Product } from "../products/schemas"
import { message } from "../refusal-messages"
import { noteFault } from "../rejections/service"
import type { LicenseCtx } from "../types"
import type { Activate } from "./schemas"

type Input = z.output<typeof Activate>
type Refused = Extract<ActivationOutcome, { kind: "refused" }>

/**
 * Activates a license for the client's place.
 * @returns the answer: with the license data to keep, or with a refusal and null in its stead
 * @throws Refusal `not_found` for an unknown product
 */
export async function activateLicense(ctx: LicenseCtx, input: Input) {
  const request = { ...ctx.client, clientName: input.client_name ?? null }
  let product: Product | undefined
  const load = async () => {
    const [products, holdings] = await batch(ctx.db, [
      productByReference({ referenceId: input.product_id }),
      selectHoldingByCode(input.license_code, request),
    ])
    product = oneProduct(products)
    return { holding: oneHolding(holdings), product }
  }

  let outcome = await activate(ctx, load, request)
  if (isUnknownSale(outcome, input) && product) {
    const imported = await importSale(ctx, product, input.license_code)
    if (imported === null) return refused(ctx, { ...outcome, message: "marketplace_unavailable" })
    if (imported) outcome = await activate(ctx, load, request)
  }
  if (outcome.kind === "refused") return refused(ctx, outcome)

  const { cipher, key } = await writingKey(ctx, ctx.license)
  const { activation } = outcome
  const sealed = await sealContainer({ id: activation, activation_id: activation }, cipher, key)
  return {
    status: true,
    is_active: true,
    message: message("activated", ctx.language),
    lic_response: sealed,
    data: { license_data: sealed },
  }
}

const isUnknownSale = (outcome: ActivationOutcome, { verify_type }: Input): outcome is Refused =>
  outcome.kind === "refused" && outcome.license === null && (verify_type === "marketplace" || verify_type === "envato")

function refused(ctx: LicenseCtx, { fault, license, ...outcome }: Refused) {
  noteFault(ctx, "activate", fault, license)
  return {
    status: false,
    is_active: false,
    message: message(outcome.message, ctx.language, outcome.facts),
    ...(outcome.statusCode && { status_code: outcome.statusCode }),
    lic_response: null,
    data: null,
  }
}
