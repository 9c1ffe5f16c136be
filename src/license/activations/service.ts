// The verbs of an activation. The limit of a license holds however many ask at once: the statement that writes an
// activation is itself the last to look whether there is room.
import { and, eq, sql } from "drizzle-orm"
import type { Ctx } from "../../core/context"
import type { PlatformAudit } from "../../core/write/audit"
import { commit, retryOnConflict } from "../../core/write/commit"
import type { EventDraft } from "../../core/write/events"
import { licenseActivations, licenses } from "../../db/schema/central/licenses"
import { insertSelect, update, type Write } from "../../db/write"
import { DAY, later } from "../../lib/time"
import { changed, made } from "../audit"
import { licenseEvent } from "../licenses/events"
import { loadLicense } from "../licenses/queries"
import type { License, LicenseOfProduct } from "../licenses/schemas"
import type { NamedProduct } from "../products/schemas"
import { type ActivationDecision, decideActivation } from "../rules/activate"
import type { RequestFacts } from "../rules/facts"
import { placeOf } from "../rules/installation-key"
import { nextNoticeAt } from "../rules/notices"
import type { Holding } from "./queries"
import { type Activation, activationOf } from "./schemas"

type Refused = Extract<ActivationDecision, { kind: "refused" }>

/** What an activation is decided on. */
export interface ActivationState {
  /** The license behind the code, with the activation that the place holds; null when there is none. */
  holding: Holding | null
  /** The product that the client says it is. */
  product: NamedProduct
}

export type ActivationOutcome =
  | { kind: "active"; activation: number; holding: Holding }
  | (Refused & { license: number | null })

/**
 * Activates a license for a place, or renews the activation that the place holds.
 * @param load reads the state anew each time another change was faster
 * @returns the activation's number, or the first refusal; `license` is the one behind the code, null when there is none
 */
export const activate = (
  ctx: Ctx,
  load: () => Promise<ActivationState>,
  request: RequestFacts,
): Promise<ActivationOutcome> =>
  retryOnConflict(async () => {
    const { holding, product } = await load()
    const decision = decideActivation({
      license: holding?.license ?? null,
      product,
      request,
      activeUses: holding?.license.activeUses ?? 0,
      heldHere: Boolean(holding?.activation),
      now: ctx.now,
    })
    if (decision.kind === "refused" || !holding)
      return { ...(decision as Refused), license: holding?.license.id ?? null }
    const activation =
      decision.kind === "renew" ? await renew(ctx, holding, request) : await create(ctx, holding, request)
    return { kind: "active", activation, holding }
  })

async function create(ctx: Ctx, { license, product }: Holding, request: RequestFacts): Promise<number> {
  const place = placeOf(license, request)
  const values = { ...request, licenseId: license.id, place, isActive: true, activatedAt: ctx.now, deactivatedAt: null }
  const end = firstUse(ctx, license)
  const uses = { activeUses: license.activeUses + 1, madeUses: license.madeUses + 1 }
  const held = and(
    eq(licenseActivations.licenseId, license.id),
    eq(licenseActivations.place, place),
    eq(licenseActivations.isActive, true),
  )
  const id = ctx.db.select({ id: licenseActivations.id }).from(licenseActivations).where(held)
  const [made] = await commit(ctx, {
    guard: insertSelect(
      licenseActivations,
      { ...values, createdAt: ctx.now, updatedAt: ctx.now },
      sql`from ${licenses} where ${hasRoom(license)}`,
    ),
    writes: [id, ...startClock(license, end)],
    trail: [
      {
        audit: entry("created", sql`${id}`, license, null, values),
        events: [activated({ license: { ...license, ...end, ...uses }, product }, values)],
      },
    ],
  })
  const [activation] = made
  if (!activation) throw new Error("the activation was not stored")
  return activation.id
}

async function renew(ctx: Ctx, { license, activation }: Holding, request: RequestFacts): Promise<number> {
  const known = activation as Activation
  const { ip, clientName } = request
  // Software that activates at every start changes nothing by it.
  if (known.ip === ip && known.clientName === clientName) return known.id
  // One that moves goes to the place as it is now: where it was, another installation may be activated later.
  const place = known.ip === ip ? known.place : placeOf(license, request)
  await commit(ctx, {
    guard: update(licenseActivations)
      .set({ place, ip, clientName, updatedAt: ctx.now })
      .where(and(eq(licenseActivations.id, known.id), eq(licenseActivations.isActive, true))),
    trail: [{ audit: entry("changed", known.id, license, known, { ...known, ip, clientName }) }],
  })
  return known.id
}

/** That a license is still as it was when it was decided on, and has room for one more. */
const hasRoom = ({ id, revision }: License) =>
  sql`${licenses.id} = ${id} and ${licenses.revision} = ${revision} and (${licenses.parallelUses} is null or ${licenses.activeUses} < ${licenses.parallelUses})`

/** What a license's first use sets: its end, where it lasts some days from then. */
function firstUse(ctx: Ctx, { expiresAt, updatesUntil, expiryDays }: License): Partial<License> {
  if (expiresAt || expiryDays === null) return {}
  const end = later(ctx.now, expiryDays * DAY)
  return { expiresAt: end, nextNoticeAt: nextNoticeAt({ expiresAt: end, updatesUntil }, ctx.now) }
}

const startClock = (license: License, end: Partial<License>): Write[] =>
  end.expiresAt
    ? [
        update(licenses)
          .set({ ...end, revision: sql`${licenses.revision} + 1` })
          .where(eq(licenses.id, license.id)),
      ]
    : []

/**
 * Ends an activation; a second time changes nothing.
 * @returns whether it was this call that ended it
 */
export async function endActivation(ctx: Ctx, { activation, ...facts }: Holding): Promise<boolean> {
  if (!activation?.isActive) return false
  const { license, product } = facts
  const ended = { ...activation, isActive: false }
  await commit(ctx, {
    guard: update(licenseActivations)
      .set({ isActive: false, deactivatedAt: ctx.now, updatedAt: ctx.now })
      .where(and(eq(licenseActivations.id, activation.id), eq(licenseActivations.isActive, true))),
    trail: [
      {
        audit: entry("deactivated", activation.id, license, activation, ended),
        events: [deactivated({ license: { ...license, activeUses: license.activeUses - 1 }, product }, activation)],
      },
    ],
  })
  return true
}

/**
 * Ends every activation of a license. One event tells of all of them.
 * @param code the license's
 * @throws Refusal `not_found`
 */
export async function endAllActivations(ctx: Ctx, code: string): Promise<void> {
  const { license, product } = await loadLicense(ctx, { code })
  const activations = license.activeUses
  if (activations === 0) return
  const facts = { license: { ...license, activeUses: 0 }, product }
  await commit(ctx, {
    writes: [
      update(licenseActivations)
        .set({ isActive: false, deactivatedAt: ctx.now, updatedAt: ctx.now })
        .where(and(eq(licenseActivations.licenseId, license.id), eq(licenseActivations.isActive, true))),
    ],
    trail: [
      {
        audit: { subject: "license", deed: "deactivated", id: license.id, data: { activations } },
        events: [licenseEvent("license.deactivated", facts, { activations })],
      },
    ],
  })
}

/**
 * Switches an activation that was ended on again, for its place as the license has it now.
 * @throws LostRace when the license has no room for it, or the place holds another one
 */
export async function resumeActivation(ctx: Ctx, { activation, ...facts }: Holding): Promise<void> {
  if (!activation || activation.isActive) return
  const { license, product } = facts
  const place = placeOf(license, activation)
  const resumed = { ...activation, isActive: true, activatedAt: ctx.now }
  await commit(ctx, {
    guard: update(licenseActivations)
      .set({ place, isActive: true, activatedAt: ctx.now, deactivatedAt: null, updatedAt: ctx.now })
      .where(
        and(
          eq(licenseActivations.id, activation.id),
          eq(licenseActivations.isActive, false),
          sql`exists (select 1 from ${licenses} where ${hasRoom(license)})`,
        ),
      ),
    trail: [
      {
        audit: entry("activated", activation.id, license, activation, resumed),
        events: [activated({ license: { ...license, activeUses: license.activeUses + 1 }, product }, resumed)],
      },
    ],
  })
}

const activated = (facts: LicenseOfProduct, activation: Parameters<typeof activationOf>[0]): EventDraft =>
  licenseEvent("license.activated", facts, { activation: activationOf(activation) })

const deactivated = (facts: LicenseOfProduct, activation: Activation): EventDraft =>
  licenseEvent("license.deactivated", facts, { activation: { id: activation.id, ...activationOf(activation) } })

type Place = Pick<Activation, "domain" | "ip" | "clientName" | "isActive">

/** An entry of the trail about an activation. */
function entry(
  deed: PlatformAudit<"activation">["deed"],
  id: PlatformAudit["id"],
  license: License,
  before: Place | null,
  after: Place,
): PlatformAudit {
  const fields = ({ domain, ip, clientName, isActive }: Place) => ({
    domain,
    ip,
    client_name: clientName,
    is_active: isActive,
  })
  const difference = before ? changed(fields(before), fields(after)) : made(fields(after))
  return { subject: "activation", deed, id, data: { license: license.id }, ...difference }
}
