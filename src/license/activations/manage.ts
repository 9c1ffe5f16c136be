// Activations as an administrator handles them: made for somebody else, switched on and off.
import type * as z from "zod"
import type { Ctx } from "../../core/context"
import { invalid, Refusal } from "../../core/http/refusal"
import { rowId } from "../../core/http/row-id"
import type { Page } from "../../core/list/page"
import { WriteConflict, retryOnConflict } from "../../core/write/commit"
import { read } from "../../db/client"
import { loadLicense } from "../licenses/queries"
import { codeKey, type License } from "../licenses/schemas"
import { refusedByRules } from "../refusals"
import {
  type Holding,
  oneHolding,
  pageOfActivations,
  selectHoldingByActivation,
  selectHoldingByLicense,
} from "./queries"
import type { Activation, CreateActivation, ListActivations } from "./schemas"
import { activate, endActivation, resumeActivation } from "./service"

/** A page of activations, the newest first; of one license, or of all. */
export const listActivations = (
  ctx: Ctx,
  input: z.output<typeof ListActivations>,
  license?: License,
): Promise<Page<Activation>> => pageOfActivations(ctx, input, license)

/**
 * Makes an activation for a place, under the rules that hold for everybody.
 * @param segment the license in the path: its number or its code
 * @throws Refusal `not_found`, `validation_failed` in the words of the rule that stands against it
 */
export async function createActivation(
  ctx: Ctx,
  segment: string,
  input: z.output<typeof CreateActivation>,
): Promise<Activation> {
  const { license, product } = await loadLicense(ctx, { segment })
  if (input.license_code && codeKey(input.license_code) !== license.codeKey) throw invalid("license_code", "selected")
  if (!input.domain && !input.ip) throw invalid("domain", "required")
  const request = { domain: input.domain ?? null, ip: input.ip ?? null, clientName: input.client_name ?? null }
  const load = async () => ({
    holding: oneHolding(await read(ctx.db, selectHoldingByLicense(license.id, request))),
    product,
  })
  const outcome = await activate(ctx, load, request)
  if (outcome.kind === "refused") throw refusedByRules(outcome.message, outcome.facts)
  return loadActivation(ctx, outcome.activation).then(({ activation }) => activation)
}

/**
 * Switches an activation on or off; one that is as it should be stays so.
 * @throws Refusal `not_found`; `validation_failed` when the license is blocked, or has no room for it
 */
export async function switchActivation(ctx: Ctx, segment: string, isActive: boolean): Promise<void> {
  const id = rowId(segment)
  await retryOnConflict(async () => {
    const holding = await loadActivation(ctx, id)
    if (!isActive) return endActivation(ctx, holding)
    if (!holding.activation.isActive) assertRoom(holding.license)
    return resumeActivation(ctx, holding)
  }).catch((cause) => {
    // Nobody is faster time after time: the place holds another activation already.
    throw cause instanceof WriteConflict ? refusedByRules("parallel_uses_reached") : cause
  })
}

function assertRoom({ isValid, parallelUses, activeUses }: License): void {
  if (!isValid) throw refusedByRules("license_blocked")
  if (parallelUses !== null && activeUses >= parallelUses) throw refusedByRules("parallel_uses_reached")
}

async function loadActivation(ctx: Ctx, id: number): Promise<Holding & { activation: Activation }> {
  const found = oneHolding(await read(ctx.db, selectHoldingByActivation(id)))
  if (!found?.activation) throw new Refusal("not_found")
  return { ...found, activation: found.activation }
}
