// Announces once that an endpoint was disabled automatically: with a mail to the operators, or to the owner of its
// store, and the event `endpoint.disabled`.
import { and, eq, isNull, sql } from "drizzle-orm"
import type { Ctx } from "../core/context"
import { SYSTEM } from "../core/write/actor"
import { commit, WriteConflict } from "../core/write/commit"
import { domains } from "../db/schema/central/domains"
import { stores } from "../db/schema/central/stores"
import { webhookEndpoints } from "../db/schema/central/webhooks"
import { update } from "../db/write"
import { getFallbackHost, publicUrl } from "../env"
import { formatTimestamp } from "../lib/time"
import { listOperatorRecipients } from "../mails/operator-recipients"
import { buildMailWrite, enqueueMailRun, type MailDraft } from "../mails/outbox"
import { endpointResource } from "./endpoints/schemas"
import { type Endpoint, toAuditSite } from "./receiving-condition"

/** The `failureLevel` of an endpoint that was announced as disabled. */
export const DISABLED_LEVEL = 3

/** Endpoints announced per run; the next sweep announces the others. */
const MAX_ANNOUNCED = 50

/**
 * Announces disabled endpoints that were not announced yet. Runs when an endpoint is disabled and in every sweep. The
 * mails, the event and `noticedAt` are one commit, which is guarded by `noticedAt`, so concurrent runs announce once.
 */
export async function notifyDisabledEndpoints(ctx: Ctx): Promise<void> {
  const { id, disabledAt, noticedAt, deletedAt } = webhookEndpoints
  const unreported = await ctx.db
    .select()
    .from(webhookEndpoints)
    .where(and(sql`${disabledAt} is not null and ${noticedAt} is not ${disabledAt}`, isNull(deletedAt)))
    .orderBy(disabledAt)
    .limit(MAX_ANNOUNCED)
  if (!unreported.length) return
  const recipients = await listOperatorRecipients(ctx)
  // lint: each endpoint is reported in its own transaction
  for (const endpoint of unreported) {
    const since = endpoint.disabledAt
    const resource = endpointResource({ ...endpoint, lastSuccessAt: null })
    const mails =
      endpoint.storeSeq === null
        ? recipients.map((recipient) => buildOperatorMail(endpoint, recipient))
        : (await listStores(ctx, endpoint.storeSeq)).map((store) => buildOwnerMail(ctx, endpoint, store))
    await commit(
      { ...ctx, actor: SYSTEM },
      {
        guard: update(webhookEndpoints)
          .set({ noticedAt: since, failureLevel: DISABLED_LEVEL })
          .where(
            sql`${id} = ${endpoint.id} and ${disabledAt} is ${since?.getTime()} and ${noticedAt} is not ${disabledAt}`,
          ),
        auditLog: [
          {
            audit: {
              subject: "endpoint",
              action: "disabled",
              id: endpoint.id,
              data: { reason: resource.disabled_reason },
              ...toAuditSite(endpoint),
            },
            events: [{ type: "endpoint.disabled", data: { endpoint: resource } }],
          },
        ],
        writes: mails.map((mail) => buildMailWrite(ctx, mail)),
      },
    ).catch((cause) => {
      // Another run was faster.
      if (!(cause instanceof WriteConflict)) throw cause
    })
  }
  enqueueMailRun(ctx)
}

const getFacts = ({ url, disabledAt, consecutiveFailures }: Endpoint) => ({
  receiver: url,
  at: formatTimestamp(disabledAt),
  failures: consecutiveFailures,
})

const buildOperatorMail = (endpoint: Endpoint, recipient: { id: number; email: string }): MailDraft => ({
  kind: endpoint.disabledReason === "gone" ? "endpoint_gone" : "endpoint_off",
  key: `endpoint_off:${endpoint.id}:${endpoint.disabledAt?.getTime()}:${recipient.id}`,
  to: recipient.email,
  storeId: null,
  locale: "en",
  facts: { endpoint: endpoint.id, ...getFacts(endpoint) },
})

/** The store of an endpoint, as its owner's mail needs it. */
type StoreOfEndpoint = Awaited<ReturnType<typeof listStores>>[number]

/** Reads the store of an incarnation; none if it was deleted. */
const listStores = (ctx: Ctx, seq: number) =>
  ctx.db
    .select({ id: stores.id, seq: stores.seq, name: stores.name, email: stores.ownerEmail, host: domains.domain })
    .from(stores)
    .leftJoin(domains, and(eq(domains.storeId, stores.id), eq(domains.isPrimary, true)))
    .where(eq(stores.seq, seq))
    .then((rows) => rows)

function buildOwnerMail(
  { settings }: Ctx,
  endpoint: Endpoint,
  { id, seq, name, email, host }: StoreOfEndpoint,
): MailDraft {
  return {
    kind: endpoint.disabledReason === "gone" ? "store_endpoint_gone" : "store_endpoint_off",
    key: `store_endpoint_off:${endpoint.id}:${endpoint.disabledAt?.getTime()}`,
    to: email,
    storeId: id,
    storeSeq: seq,
    facts: {
      store: name,
      url: publicUrl(settings, host ?? getFallbackHost(settings, id), `/admin/webhooks/${endpoint.id}`),
      ...getFacts(endpoint),
    },
  }
}
