// Manages activations on behalf of customers (internal API): lists, creates, activates and deactivates them.
import type * as z from "zod"
import type { Ctx } from "../../core/context"
import type { Input } from "../../core/http/input"
import { Refusal } from "../../core/http/refusal"
import { rowId } from "../../core/http/row-id"
import type { Page } from "../../core/list/page"
import { retryOnConflict, WriteConflict } from "../../core/write/commit"
import { read } from "../../db/client"
import { loadLicense } from "../licenses/queries"
import { type License, normaliseCode } from "../licenses/schemas"
import { ruleViolation } from "../refusals"
import {
  firstMatch,
  type LicenseMatch,
  readActivationPage,
  selectMatchByActivation,
  selectMatchByLicense,
} from "./queries"
import type { Activation, CreateActivation, ListActivations } from "./schemas"
import { activate, deactivate, reactivate } from "./service"

/** Lists activations, newest first; of one license or of all. */
export const listActivations = (
  ctx: Ctx,
  input: z.output<typeof ListActivations>,
  license?: License,
): Promise<Page<Activation>> => readActivationPage(ctx, input, license)

/**
 * Creates an activation for a domain or address, under the same rules as for clients.
 * @param segment the license in the path: its id or its code
 * @throws Refusal `not_found`; `validation_failed` with the message of the violated rule
 */
export async function createActivation(
  ctx: Ctx,
  segment: string,
  input: Input<typeof CreateActivation>,
): Promise<Activation> {
  const { license, product } = await loadLicense(ctx, { segment })
  const { license_code: code, domain, ip } = input.valid
  const fields = input.complete({
    license_code: code && normaliseCode(code) !== license.codeKey ? "selected" : null,
    domain: !domain && !ip && input.isValid("ip") ? "required" : null,
  })
  const request = { domain: domain ?? null, ip: ip ?? null, clientName: fields.client_name ?? null }
  const load = async () => ({
    match: firstMatch(await read(ctx.db, selectMatchByLicense(license.id, request))),
    product,
  })
  const outcome = await activate(ctx, load, request)
  if (outcome.kind === "refused") throw ruleViolation(outcome.message, outcome.facts)
  return loadActivation(ctx, outcome.activation).then(({ activation }) => activation)
}

/**
 * Activates or deactivates an activation. Idempotent.
 * @throws Refusal `not_found`; `validation_failed` when the license is blocked or has no capacity left
 */
export async function setActivationActive(ctx: Ctx, segment: string, isActive: boolean): Promise<void> {
  const id = rowId(segment)
  await retryOnConflict(async () => {
    const match = await loadActivation(ctx, id)
    if (!isActive) return deactivate(ctx, match)
    if (!match.activation.isActive) assertCapacity(match.license)
    return reactivate(ctx, match)
  }).catch((cause) => {
    // A conflict that outlasts the retries is not a race: the installation has another active activation.
    throw cause instanceof WriteConflict ? ruleViolation("parallel_uses_reached") : cause
  })
}

function assertCapacity({ isValid, parallelUses, activeUses }: License): void {
  if (!isValid) throw ruleViolation("license_blocked")
  if (parallelUses !== null && activeUses >= parallelUses) throw ruleViolation("parallel_uses_reached")
}

async function loadActivation(ctx: Ctx, id: number): Promise<LicenseMatch & { activation: Activation }> {
  const found = firstMatch(await read(ctx.db, selectMatchByActivation(id)))
  if (!found?.activation) throw new Refusal("not_found")
  return { ...found, activation: found.activation }
}
