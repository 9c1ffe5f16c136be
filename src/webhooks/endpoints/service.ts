// The verbs of a webhook endpoint.
import { asc, desc, eq } from "drizzle-orm"
import type * as z from "zod"
import type { Ctx } from "../../core/context"
import { counted, type Page, type PageRequest, readPage } from "../../core/page"
import { invalid, Refusal } from "../../core/refusal"
import { batch } from "../../db/client"
import { domains } from "../../db/schema/central/domains"
import { webhookEndpoints } from "../../db/schema/central/webhooks"
import { encrypt } from "../../lib/cipher"
import { resolver } from "../../lib/dns"
import { checkUrl, resolveHost } from "../addresses"
import { clearFailures, mirror } from "../failures"
import { newSecret } from "../sign"
import type { CreateEndpoint, Endpoint, UpdateEndpoint } from "./schemas"

/** A page of endpoints, the newest first. */
export const listEndpoints = (ctx: Ctx, page: PageRequest): Promise<Page<Endpoint>> =>
  readPage<Endpoint>(ctx.db, page, counted("webhook_endpoints"), ({ limit, offset }, direction) =>
    ctx.db
      .select()
      .from(webhookEndpoints)
      .orderBy(direction === "forward" ? desc(webhookEndpoints.id) : asc(webhookEndpoints.id))
      .limit(limit)
      .offset(offset),
  )

/** @throws Refusal `not_found` */
export async function readEndpoint(ctx: Ctx, id: number): Promise<Endpoint> {
  const [endpoint] = await ctx.db.select().from(webhookEndpoints).where(eq(webhookEndpoints.id, id))
  if (!endpoint) throw new Refusal("not_found")
  return endpoint
}

/**
 * Creates an endpoint.
 * @returns the endpoint and its signing secret, which is shown this once
 * @throws Refusal `validation_failed` for an address that webhooks may not go to
 */
export async function createEndpoint(
  ctx: Ctx,
  input: z.output<typeof CreateEndpoint>,
): Promise<{ endpoint: Endpoint; secret: string }> {
  await assertAllowed(ctx, input.url)
  const secret = newSecret()
  const [endpoint] = await ctx.db
    .insert(webhookEndpoints)
    .values({
      url: input.url,
      events: input.events,
      description: input.description ?? null,
      secret: await encrypt(ctx.settings.APP_KEY, secret),
      isActive: true,
      consecutiveFailures: 0,
      failureSeq: 0,
      createdByName: ctx.actor.name,
      createdAt: ctx.now,
      updatedAt: ctx.now,
    })
    .returning()
  if (!endpoint) throw new Error("the endpoint was not stored")
  return { endpoint, secret }
}

/**
 * Changes an endpoint. `is_active: true` also switches one on again that a run of failures switched off.
 * @throws Refusal `not_found`; `validation_failed` for an address that webhooks may not go to
 */
export async function updateEndpoint(ctx: Ctx, id: number, input: z.output<typeof UpdateEndpoint>): Promise<Endpoint> {
  const known = await readEndpoint(ctx, id)
  if (input.url !== undefined && input.url !== known.url) await assertAllowed(ctx, input.url)
  const count = input.is_active === true ? await clearFailures(ctx, id) : null
  const [, rows] = (await batch(ctx.db, [
    ...(count ? [mirror(ctx, id, count)] : [ctx.db.select().from(webhookEndpoints).where(eq(webhookEndpoints.id, id))]),
    ctx.db
      .update(webhookEndpoints)
      .set({
        url: input.url,
        events: input.events,
        description: input.description,
        isActive: input.is_active,
        updatedAt: ctx.now,
      })
      .where(eq(webhookEndpoints.id, id))
      .returning(),
  ])) as [unknown, Endpoint[]]
  const [endpoint] = rows
  if (!endpoint) throw new Refusal("not_found")
  return endpoint
}

/**
 * Deletes an endpoint and its deliveries.
 * @throws Refusal `not_found`
 */
export async function removeEndpoint(ctx: Ctx, id: number): Promise<void> {
  const rows = await ctx.db
    .delete(webhookEndpoints)
    .where(eq(webhookEndpoints.id, id))
    .returning({ id: webhookEndpoints.id })
  if (!rows.length) throw new Refusal("not_found")
}

/**
 * Holds a URL to the address rules: its text, whose domain it is, and where its name leads now.
 * @throws Refusal `validation_failed`
 */
async function assertAllowed(ctx: Ctx, url: string): Promise<void> {
  const { CENTRAL_DOMAIN, TENANCY_WEBHOOKS_ALLOW_PRIVATE_HOSTS: allowPrivateHosts } = ctx.settings
  const checked = checkUrl(url, { centralDomain: CENTRAL_DOMAIN, allowPrivateHosts })
  if (!checked.ok) throw invalid("url", checked.reason === "malformed" ? "url" : "unsafe_url")
  const [stores, address] = await Promise.all([
    ctx.db.select({ id: domains.id }).from(domains).where(eq(domains.domain, checked.host)),
    allowPrivateHosts ? "public" : resolveHost(checked.host, resolver(ctx.settings.DNS_RESOLVER_URL, fetch)),
  ])
  if (stores.length || address !== "public") throw invalid("url", "unsafe_url")
}
