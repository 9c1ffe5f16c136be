// Creates, renews, ends and resumes activations. A license's limit holds under concurrency: the statement that writes
// an activation also checks that the license still has capacity.
import { and, eq, sql } from "drizzle-orm"
import type { Ctx } from "../../core/context"
import type { PlatformAudit } from "../../core/write/audit"
import { commit, retryOnConflict } from "../../core/write/commit"
import type { EventDraft } from "../../core/write/events"
import { licenseActivations, licenses } from "../../db/schema/central/licenses"
import { insertSelect, update, type Write } from "../../db/write"
import { addMs, DAY } from "../../lib/time"
import { auditChanged, auditCreated } from "../audit"
import { loadLicense } from "../licenses/queries"
import { type License, type LicenseWithProduct, licenseResource } from "../licenses/schemas"
import type { ProductSummary } from "../products/schemas"
import { type ActivationDecision, decideActivation } from "../rules/activate"
import type { InstallationInfo } from "../rules/facts"
import { getInstallationKey } from "../rules/installation-key"
import { getNextNoticeAt } from "../rules/notices"
import type { LicenseMatch } from "./queries"
import { type Activation, activationEventData } from "./schemas"

type Refused = Extract<ActivationDecision, { kind: "refused" }>

/** The state that an activation decision is based on. */
export interface ActivationState {
  /** The license of the code, with the installation's activation; null for an unknown code. */
  match: LicenseMatch | null
  /** The product that the client names. */
  product: ProductSummary
}

export type ActivationOutcome =
  | { kind: "active"; activation: number; match: LicenseMatch }
  | (Refused & { license: number | null })

/**
 * Activates a license for an installation, or renews the installation's existing activation.
 * @param load reloads the state after each write conflict
 * @returns the activation's id, or the first refusal; `license` is the id of the code's license, null for an unknown
 *   code
 */
export const activate = (
  ctx: Ctx,
  load: () => Promise<ActivationState>,
  request: InstallationInfo,
): Promise<ActivationOutcome> =>
  retryOnConflict(async () => {
    const { match, product } = await load()
    const decision = decideActivation({
      license: match?.license ?? null,
      product,
      request,
      activeUses: match?.license.activeUses ?? 0,
      isAlreadyActivated: Boolean(match?.activation),
      now: ctx.now,
    })
    if (decision.kind === "refused" || !match) return { ...(decision as Refused), license: match?.license.id ?? null }
    const activation =
      decision.kind === "renew"
        ? await renewActivation(ctx, match, request)
        : await createActivationRow(ctx, match, request)
    return { kind: "active", activation, match }
  })

async function createActivationRow(
  ctx: Ctx,
  { license, product }: LicenseMatch,
  request: InstallationInfo,
): Promise<number> {
  const key = getInstallationKey(license, request)
  const values = {
    ...request,
    licenseId: license.id,
    installationKey: key,
    isActive: true,
    activatedAt: ctx.now,
    deactivatedAt: null,
  }
  const expiry = computeInitialExpiry(ctx, license)
  const isThisActivation = and(
    eq(licenseActivations.licenseId, license.id),
    eq(licenseActivations.installationKey, key),
    eq(licenseActivations.isActive, true),
  )
  const id = ctx.db.select({ id: licenseActivations.id }).from(licenseActivations).where(isThisActivation)
  const [inserted] = await commit(ctx, {
    guard: insertSelect(
      licenseActivations,
      { ...values, createdAt: ctx.now, updatedAt: ctx.now },
      sql`from ${licenses} where ${isUnchangedWithCapacity(license)}`,
    ),
    writes: [id, ...buildExpiryWrites(license, expiry)],
    auditLog: [
      {
        audit: buildActivationAudit("created", sql`${id}`, license, null, values),
        events: [buildActivatedEvent({ license: { ...license, ...expiry }, product }, values)],
      },
    ],
  })
  const [activation] = inserted
  if (!activation) throw new Error("the activation was not stored")
  return activation.id
}

async function renewActivation(
  ctx: Ctx,
  { license, activation }: LicenseMatch,
  request: InstallationInfo,
): Promise<number> {
  const current = activation as Activation
  const { ip, clientName } = request
  // Some software activates on every start; that must not cost a write.
  if (current.ip === ip && current.clientName === clientName) return current.id
  // A moved installation gets a new key, so that another installation can activate at the old address later.
  const key = current.ip === ip ? current.installationKey : getInstallationKey(license, request)
  await commit(ctx, {
    guard: update(licenseActivations)
      .set({ installationKey: key, ip, clientName, updatedAt: ctx.now })
      .where(and(eq(licenseActivations.id, current.id), eq(licenseActivations.isActive, true))),
    auditLog: [
      { audit: buildActivationAudit("changed", current.id, license, current, { ...current, ip, clientName }) },
    ],
  })
  return current.id
}

/** Condition: the license is unchanged since the decision and has capacity for one more activation. */
const isUnchangedWithCapacity = ({ id, revision }: License) =>
  sql`${licenses.id} = ${id} and ${licenses.revision} = ${revision}
    and (${licenses.parallelUses} is null or ${licenses.activeUses} < ${licenses.parallelUses})`

/** Returns the expiry that the first activation sets, for licenses that last some days from then. */
function computeInitialExpiry(ctx: Ctx, { expiresAt, updatesUntil, expiryDays }: License): Partial<License> {
  if (expiresAt || expiryDays === null) return {}
  const expiry = addMs(ctx.now, expiryDays * DAY)
  return { expiresAt: expiry, nextNoticeAt: getNextNoticeAt({ expiresAt: expiry, updatesUntil }, ctx.now) }
}

const buildExpiryWrites = (license: License, expiry: Partial<License>): Write[] =>
  expiry.expiresAt
    ? [
        update(licenses)
          .set({ ...expiry, revision: sql`${licenses.revision} + 1` })
          .where(eq(licenses.id, license.id)),
      ]
    : []

/**
 * Ends an activation. Idempotent.
 * @returns whether this call ended it
 */
export async function deactivate(ctx: Ctx, { activation, ...facts }: LicenseMatch): Promise<boolean> {
  if (!activation?.isActive) return false
  const { license, product } = facts
  const ended = { ...activation, isActive: false }
  await commit(ctx, {
    guard: update(licenseActivations)
      .set({ isActive: false, deactivatedAt: ctx.now, updatedAt: ctx.now })
      .where(and(eq(licenseActivations.id, activation.id), eq(licenseActivations.isActive, true))),
    auditLog: [
      {
        audit: buildActivationAudit("deactivated", activation.id, license, activation, ended),
        events: [buildDeactivatedEvent({ license, product }, activation)],
      },
    ],
  })
  return true
}

/**
 * Ends every activation of a license, with one event for all of them.
 * @param code the license's code
 * @throws Refusal `not_found`
 */
export const deactivateAll = (ctx: Ctx, code: string): Promise<void> =>
  retryOnConflict(async () => {
    const { license, product } = await loadLicense(ctx, { code })
    const activations = license.activeUses
    if (activations === 0) return
    const facts = { license: { ...license, activeUses: 0 }, product }
    const isCounted = and(eq(licenses.id, license.id), eq(licenses.activeUses, activations))
    await commit(ctx, {
      guard: update(licenseActivations)
        .set({ isActive: false, deactivatedAt: ctx.now, updatedAt: ctx.now })
        .where(
          and(
            eq(licenseActivations.licenseId, license.id),
            eq(licenseActivations.isActive, true),
            sql`exists (select 1 from ${licenses} where ${isCounted})`,
          ),
        ),
      auditLog: [
        {
          audit: { subject: "license", action: "deactivated", id: license.id, data: { activations } },
          events: [{ type: "license.deactivated", data: { license: licenseResource(facts), activations } }],
        },
      ],
    })
  })

/**
 * Resumes an ended activation under its current installation key.
 * @throws WriteConflict when the license has no capacity left, or the installation has another active activation
 */
export async function reactivate(ctx: Ctx, { activation, ...facts }: LicenseMatch): Promise<void> {
  if (!activation || activation.isActive) return
  const { license, product } = facts
  const key = getInstallationKey(license, activation)
  const resumed = { ...activation, isActive: true, activatedAt: ctx.now }
  await commit(ctx, {
    guard: update(licenseActivations)
      .set({ installationKey: key, isActive: true, activatedAt: ctx.now, deactivatedAt: null, updatedAt: ctx.now })
      .where(
        and(
          eq(licenseActivations.id, activation.id),
          eq(licenseActivations.isActive, false),
          sql`exists (select 1 from ${licenses} where ${isUnchangedWithCapacity(license)})`,
        ),
      ),
    auditLog: [
      {
        audit: buildActivationAudit("activated", activation.id, license, activation, resumed),
        events: [buildActivatedEvent({ license, product }, resumed)],
      },
    ],
  })
}

const buildActivatedEvent = (
  facts: LicenseWithProduct,
  activation: Parameters<typeof activationEventData>[0],
): EventDraft => ({
  type: "license.activated",
  data: { license: licenseResource(facts), activation: activationEventData(activation) },
  fill: fillCounts(facts.license),
})

const buildDeactivatedEvent = (facts: LicenseWithProduct, activation: Activation): EventDraft => ({
  type: "license.deactivated",
  data: { license: licenseResource(facts), activation: { id: activation.id, ...activationEventData(activation) } },
  fill: fillCounts(facts.license),
})

/** Fills in the counts of a license after the commit: triggers maintain them, and other activations change them. */
const fillCounts = ({ id }: License): NonNullable<EventDraft["fill"]> => {
  const count = (column: typeof licenses.activeUses | typeof licenses.madeUses) =>
    sql`(select ${column} from ${licenses} where ${licenses.id} = ${id})`
  return {
    "$.data.license.active_activations_count": count(licenses.activeUses),
    "$.data.license.activations_count": count(licenses.madeUses),
  }
}

type ActivationDetails = Pick<Activation, "domain" | "ip" | "clientName" | "isActive">

/** Builds an audit log entry about an activation. */
function buildActivationAudit(
  action: PlatformAudit<"activation">["action"],
  id: PlatformAudit["id"],
  license: License,
  before: ActivationDetails | null,
  after: ActivationDetails,
): PlatformAudit {
  const fields = ({ domain, ip, clientName, isActive }: ActivationDetails) => ({
    domain,
    ip,
    client_name: clientName,
    is_active: isActive,
  })
  const difference = before ? auditChanged(fields(before), fields(after)) : auditCreated(fields(after))
  return { subject: "activation", action, id, data: { license: license.id }, ...difference }
}
