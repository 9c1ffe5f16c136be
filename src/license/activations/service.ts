// The verbs of an activation. The limit of a license holds however many ask at once: the statement that writes an
// activation is itself the last to look whether there is room.
import { and, eq, sql } from "drizzle-orm"
import { commit, type TrailRecord, untilSettled } from "../../core/commit"
import type { Ctx } from "../../core/context"
import type { Statement } from "../../db/client"
import { licenseActivations, licenses } from "../../db/schema/central/licenses"
import { DAY, later } from "../../lib/time"
import { licenseEvent } from "../licenses/events"
import { loadLicense } from "../licenses/queries"
import type { License, LicenseOfProduct } from "../licenses/schemas"
import type { Product } from "../products/schemas"
import { type ActivationDecision, decideActivation } from "../rules/activate"
import type { RequestFacts } from "../rules/license"
import { nextNoticeAt } from "../rules/notices"
import { placeOf } from "../rules/places"
import type { Holding } from "./queries"
import { type Activation, activationOf } from "./schemas"

type Refused = Extract<ActivationDecision, { kind: "refused" }>

/** What an activation is decided on. */
export interface ActivationState {
  /** The license behind the code, with the activation that the place holds; null when there is none. */
  holding: Holding | null
  /** The product that the client says it is. */
  product: Product
}

export type ActivationOutcome =
  | { kind: "active"; activation: number; holding: Holding }
  | (Refused & { known: boolean })

/**
 * Activates a license for a place, or renews the activation that the place holds.
 * @param load reads the state anew each time another change was faster
 * @returns the activation's number, or the first refusal; `known` tells whether there is such a license
 */
export const activate = (
  ctx: Ctx,
  load: () => Promise<ActivationState>,
  request: RequestFacts,
): Promise<ActivationOutcome> =>
  untilSettled(async () => {
    const { holding, product } = await load()
    const decision = decideActivation({
      license: holding?.license ?? null,
      product,
      request,
      activeUses: holding?.license.activeUses ?? 0,
      heldHere: Boolean(holding?.activation),
      now: ctx.now,
    })
    if (decision.kind === "refused" || !holding) return { ...(decision as Refused), known: holding !== null }
    const activation =
      decision.kind === "renew" ? await renew(ctx, holding, request) : await create(ctx, holding, request)
    return { kind: "active", activation, holding }
  })

async function create(ctx: Ctx, { license, product }: Holding, request: RequestFacts): Promise<number> {
  const { domain, ip, clientName } = request
  const now = ctx.now.getTime()
  const facts = { license: { ...license, ...firstUse(ctx, license) }, product }
  const after = {
    ...facts,
    license: { ...facts.license, activeUses: license.activeUses + 1, madeUses: license.madeUses + 1 },
  }
  const [rows] = await commit(ctx, {
    guard: ctx.db
      .insert(licenseActivations)
      .select(
        sql`select null, ${licenses.id}, ${placeOf(license, request)}, ${domain}, ${ip}, ${clientName}, 1, ${now}, null, ${now}, ${now}
          from ${licenses} where ${hasRoom(license)}`,
      )
      .returning({ id: licenseActivations.id }),
    writes: startClock(ctx, facts),
    trail: [activated(after, { domain, ip, clientName, activatedAt: ctx.now })],
  })
  return (rows as { id: number }[])[0]?.id as number
}

async function renew(ctx: Ctx, holding: Holding, { ip, clientName }: RequestFacts): Promise<number> {
  const { id } = holding.activation as Activation
  await commit(ctx, {
    guard: ctx.db
      .update(licenseActivations)
      .set({ ip, clientName, updatedAt: ctx.now })
      .where(and(eq(licenseActivations.id, id), eq(licenseActivations.isActive, true))),
  })
  return id
}

/** That a license is still as it was when it was decided on, and has room for one more. */
const hasRoom = ({ id, revision }: License) =>
  sql`${licenses.id} = ${id} and ${licenses.revision} = ${revision} and (${licenses.parallelUses} is null or ${licenses.activeUses} < ${licenses.parallelUses})`

/** What a license's first use sets: its end, where it lasts some days from then. */
function firstUse(ctx: Ctx, { expiresAt, updatesUntil, expiryDays }: LicenseOfProduct["license"]) {
  if (expiresAt || expiryDays === null) return {}
  const end = later(ctx.now, expiryDays * DAY)
  return { expiresAt: end, nextNoticeAt: nextNoticeAt({ expiresAt: end, updatesUntil }, ctx.now) }
}

function startClock(ctx: Ctx, { license }: LicenseOfProduct): Statement[] {
  if (license.expiryDays === null) return []
  const { expiresAt, nextNoticeAt } = license
  return [
    ctx.db
      .update(licenses)
      .set({ expiresAt, nextNoticeAt, revision: sql`${licenses.revision} + 1` })
      .where(and(eq(licenses.id, license.id), sql`${licenses.expiresAt} is null`)),
  ]
}

/**
 * Ends an activation; a second time changes nothing.
 * @returns whether it was this call that ended it
 */
export async function endActivation(ctx: Ctx, { activation, ...facts }: Holding): Promise<boolean> {
  if (!activation?.isActive) return false
  const license = { ...facts.license, activeUses: facts.license.activeUses - 1 }
  await commit(ctx, {
    guard: ctx.db
      .update(licenseActivations)
      .set({ isActive: false, deactivatedAt: ctx.now, updatedAt: ctx.now })
      .where(and(eq(licenseActivations.id, activation.id), eq(licenseActivations.isActive, true))),
    trail: [deactivated({ ...facts, license }, activation)],
  })
  return true
}

/**
 * Ends every activation of a license. One event tells of all of them.
 * @param code the license's
 * @throws Refusal `not_found`
 */
export async function endAllActivations(ctx: Ctx, code: string): Promise<void> {
  const facts = await loadLicense(ctx, { code })
  if (facts.license.activeUses === 0) return
  const after = { ...facts, license: { ...facts.license, activeUses: 0 } }
  await commit(ctx, {
    writes: [
      ctx.db
        .update(licenseActivations)
        .set({ isActive: false, deactivatedAt: ctx.now, updatedAt: ctx.now })
        .where(and(eq(licenseActivations.licenseId, facts.license.id), sql`${licenseActivations.isActive} = 1`)),
    ],
    trail: [{ events: [licenseEvent("license.deactivated", after, { activations: facts.license.activeUses })] }],
  })
}

/**
 * Switches an activation that was ended on again.
 * @throws LostRace when the license has no room for it
 */
export async function resumeActivation(ctx: Ctx, { activation, ...facts }: Holding): Promise<void> {
  if (!activation || activation.isActive) return
  const license = { ...facts.license, activeUses: facts.license.activeUses + 1 }
  await commit(ctx, {
    guard: ctx.db
      .update(licenseActivations)
      .set({ isActive: true, activatedAt: ctx.now, deactivatedAt: null, updatedAt: ctx.now })
      .where(
        and(
          eq(licenseActivations.id, activation.id),
          eq(licenseActivations.isActive, false),
          sql`exists (select 1 from ${licenses} where ${hasRoom(facts.license)})`,
        ),
      ),
    trail: [activated({ ...facts, license }, { ...activation, activatedAt: ctx.now })],
  })
}

const activated = (facts: LicenseOfProduct, activation: Parameters<typeof activationOf>[0]): TrailRecord => ({
  events: [licenseEvent("license.activated", facts, { activation: activationOf(activation) })],
})

const deactivated = (facts: LicenseOfProduct, activation: Activation): TrailRecord => ({
  events: [
    licenseEvent("license.deactivated", facts, { activation: { id: activation.id, ...activationOf(activation) } }),
  ],
})
