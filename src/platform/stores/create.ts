// Creating a store: the row, its fallback host and its subscription at once; provisioning follows on the queue.
import { eq, sql } from "drizzle-orm"
import { unionAll } from "drizzle-orm/sqlite-core"
import type * as z from "zod"
import type { Actor } from "../../core/actor"
import { type Change, change } from "../../core/commit"
import type { Ctx } from "../../core/context"
import { type FieldFaults, Refusal } from "../../core/refusal"
import { batch } from "../../db/client"
import { domains } from "../../db/schema/central/domains"
import { plans } from "../../db/schema/central/plans"
import { purges, stores, usageSnapshots } from "../../db/schema/central/stores"
import { subscriptions } from "../../db/schema/central/subscriptions"
import { insert, update } from "../../db/write"
import { hashPassword } from "../../lib/password"
import { yearMonth } from "../../lib/time"
import { defaultPreset } from "../../themes/catalog"
import type { Plan } from "../plans/schemas"
import { activePlan, stillOffered } from "../plans/service"
import { firstOf, newSubscription } from "../subscriptions/actions"
import { recordOf, type SubscribedFacts } from "../subscriptions/change"
import { availableTheme } from "../themes/rules"
import { NOTHING } from "../usage/rules"
import { assertFree } from "./rules"
import { type CreateStore, type StoreFacts, searchText, storeResource } from "./schemas"

type Input = z.output<typeof CreateStore>

/**
 * Creates a store, `pending` until the queue has provisioned it.
 * @returns the new store
 * @throws Refusal `validation_failed` for a theme, preset or plan that is not on offer; `plan_unavailable` for a plan that went
 *   meanwhile; `subdomain_reserved`, `subdomain_taken`
 */
export async function createStore(ctx: Ctx, input: Input): Promise<StoreFacts> {
  // Hashed once, however often the race for the name is run again, and only when the name is to be had.
  let hash: Promise<string> | undefined
  let offered = false
  const facts = await change(
    ctx,
    () => load(ctx, input),
    async ({ taken, plan }) => {
      if (offered && !plan) throw new Refusal("plan_unavailable")
      offered = plan !== undefined
      const look = chooseLook(ctx, input, plan)
      assertFree(input.subdomain, taken)
      hash ??= hashPassword(input.password)
      return decide(ctx, input, look, plan, await hash)
    },
  )
  ctx.after(ctx.env.JOB_QUEUE.send({ job: "provision", store: facts.store.id }))
  return facts
}

async function load(ctx: Ctx, input: Input): Promise<{ taken: boolean; plan: Plan | undefined }> {
  const one = { one: sql<number>`1` }
  const [taken, plan] = await batch(ctx.db, [
    unionAll(
      ctx.db.select(one).from(stores).where(eq(stores.id, input.subdomain)),
      ctx.db
        .select(one)
        .from(domains)
        .where(eq(domains.domain, fallbackHost(ctx, input.subdomain))),
      ctx.db.select(one).from(purges).where(eq(purges.storeId, input.subdomain)),
    ),
    ...(input.plan ? [activePlan(ctx, input.plan)] : []),
  ])
  return { taken: taken.length > 0, plan: plan?.[0] }
}

const fallbackHost = (ctx: Ctx, subdomain: string) => `${subdomain}.${ctx.settings.CENTRAL_DOMAIN}`

/** Theme and preset, the catalog's defaults where none is named. */
function chooseLook(ctx: Ctx, input: Input, plan: Plan | undefined): { theme: string; preset: string } {
  const fields: FieldFaults = {}
  const theme = availableTheme(input.theme ?? ctx.settings.TENANCY_DEFAULT_THEME)
  if (!theme) fields.theme = [{ rule: "selected" }]
  else if (input.preset && !theme.presets.some((preset) => preset.slug === input.preset)) {
    fields.preset = [{ rule: "selected" }]
  }
  if (input.plan && !plan) fields.plan = [{ rule: "selected" }]
  if (!theme || Object.keys(fields).length) throw new Refusal("validation_failed", { fields })
  return { theme: theme.slug, preset: input.preset ?? defaultPreset(theme) }
}

function decide(
  ctx: Ctx,
  input: Input,
  look: { theme: string; preset: string },
  plan: Plan | undefined,
  adminPasswordHash: string,
): { change: Change; answer: StoreFacts } {
  const { now } = ctx
  const store: Omit<StoreFacts["store"], "seq"> = {
    id: input.subdomain,
    name: input.name,
    status: "pending",
    ...look,
    ownerEmail: input.owner_email,
    apps: [],
    database: null,
    adminPasswordHash,
    searchText: searchText(input.subdomain, input.name, input.owner_email),
    version: 1,
    provisioningStartedAt: null,
    provisionedAt: null,
    createdAt: now,
    updatedAt: now,
  }
  const usage = { storeId: store.id, period: yearMonth(now), counts: NOTHING }
  const primary = {
    domain: fallbackHost(ctx, store.id),
    storeId: store.id,
    isPrimary: true,
    isFallback: true,
    verificationToken: null,
    verifiedAt: now,
    createdAt: now,
  }
  const created = { store, usage: { ...usage, collectedAt: now }, primary, subscription: null } as unknown as StoreFacts
  const subscription = plan && newSubscription(store.id, plan, input.trial_days ?? null, now)
  const subscribed = { ...created, subscription } as SubscribedFacts
  return {
    answer: subscription ? subscribed : created,
    change: {
      ...(plan && { guard: hold(plan) }),
      writes: [
        insert(stores).values(store),
        insert(usageSnapshots).values({ ...usage, collectedAt: now }),
        insert(domains).values(primary),
        ...(subscription ? [insert(subscriptions).values(subscription)] : []),
      ],
      trail: [
        {
          audit: { storeId: store.id, type: "store_created", to: "pending" },
          events: [
            {
              type: "store.created",
              store: storeResource(ctx.settings, created),
              meta: { source: sourceOf(ctx.actor) },
            },
          ],
        },
        ...(subscription ? [recordOf(ctx, subscribed, firstOf(store.id, "pending", subscription, null))] : []),
      ],
    },
  }
}

/** Touches the plan's row if it is still on offer, so that nothing is written if it is not. */
const hold = (plan: Plan) => update(plans).set({ updatedAt: plan.updatedAt }).where(stillOffered(plan))

/** Where a store came from, as `meta.source` says it. */
function sourceOf(actor: Actor): string {
  switch (actor.type) {
    case "api_key":
      return "api"
    case "admin":
      return "console"
    case "customer":
      return "signup"
    case "system":
      return "system"
  }
}
