// Replicates endpoints to the delivery database with their deliveries, which selects due deliveries by the state of
// their endpoint. A replica has no secret and no subscriptions. The version that triggers count (subscribers.ts) tells
// whether replicas are outdated, and the router, the sweep and every change of an endpoint bring them up to date.
import { asc, eq, type SQL, sql } from "drizzle-orm"
import { batch } from "../../db/client"
import { webhookEndpoints } from "../../db/schema/central/webhooks"
import { insertSelect, type Write } from "../../db/write"
import type { Ctx } from "../context"
import { writeUnaudited } from "./commit"
import { type DeliveryDatabase, findHome } from "./delivery-databases"
import { advanceReplicated, replicated } from "./event-log"
import { retryTransient } from "./retry"
import { subscribersVersion } from "./subscribers"

/** Endpoints per statement, whose JSON has to fit into a parameter. */
const CHUNK_SIZE = 1_000

const {
  id,
  url,
  database,
  isActive,
  disabledAt,
  consecutiveFailures,
  failureSeq,
  lastFailureAt,
  createdAt,
  deletedAt,
  maxPerSecond,
  ordered,
} = webhookEndpoints

/** Brings the replicas of a delivery database up to date; does nothing in the central database. */
export async function replicateEndpoints(ctx: Pick<Ctx, "db">, home: DeliveryDatabase): Promise<void> {
  if (home.isCentral) return
  const [[central], [present]] = await Promise.all([
    ctx.db.select({ version: subscribersVersion }).from(sql`(select 1)`),
    home.db.select({ version: replicated }).from(sql`(select 1)`),
  ])
  if ((central?.version ?? 0) > (present?.version ?? 0)) await writeReplicas(ctx, home)
}

/**
 * Writes the replicas of a delivery database.
 * @returns the version that they have now, at least
 */
export async function writeReplicas(ctx: Pick<Ctx, "db">, home: DeliveryDatabase): Promise<number> {
  const { version, endpoints } = await readOriginals(ctx, eq(database, home.name))
  const writes: Write[] = []
  for (let start = 0; start < endpoints.length; start += CHUNK_SIZE)
    writes.push(buildReplicaWrite(home, endpoints.slice(start, start + CHUNK_SIZE), sql`${replicated} < ${version}`))
  await retryTransient(() => writeUnaudited({ db: home.db }, "coordination", [...writes, advanceReplicated(version)]))
  return version
}

/** Writes the replica of an endpoint that moves to a delivery database. */
export async function writeMovingReplica(
  ctx: Pick<Ctx, "db">,
  home: DeliveryDatabase,
  endpointId: number,
): Promise<void> {
  const { endpoints } = await readOriginals(ctx, eq(id, endpointId))
  const write = buildReplicaWrite(home, endpoints, sql`true`)
  await retryTransient(() => writeUnaudited({ db: home.db }, "coordination", [write]))
}

/** Reads what replicas are made of, and its version. */
async function readOriginals(ctx: Pick<Ctx, "db">, which: SQL): Promise<{ version: number; endpoints: object[] }> {
  const [[current], endpoints] = await batch(ctx.db, [
    ctx.db.select({ version: subscribersVersion }).from(sql`(select 1)`),
    ctx.db
      .select({
        id,
        url,
        isActive: sql<number>`${isActive}`,
        disabledAt: sql<number | null>`${disabledAt}`,
        consecutiveFailures,
        failureSeq,
        maxPerSecond,
        ordered: sql<number>`${ordered}`,
        lastFailureAt: sql<number | null>`${lastFailureAt}`,
        createdAt: sql<number>`${createdAt}`,
        deletedAt: sql<number | null>`${deletedAt}`,
      })
      .from(webhookEndpoints)
      .where(which)
      .orderBy(asc(id)),
  ])
  return { version: current?.version ?? 0, endpoints }
}

/** Brings the replica of one endpoint up to date after a change of it. If that fails, the next sweep does. */
export async function replicateEndpoint(ctx: Ctx, endpointId: number): Promise<void> {
  const home = await findHome(ctx, endpointId)
  await replicateEndpoints(ctx, home).catch((cause) =>
    ctx.log.error("an endpoint could not be replicated", cause, { endpoint: endpointId }),
  )
}

/** @param condition whether to write them; not if newer ones exist */
function buildReplicaWrite(home: DeliveryDatabase, endpoints: readonly object[], condition: SQL): Write {
  const value = (name: string) => sql`json_extract(value, ${`$.${name}`})`
  const excluded = (name: string) => sql`excluded.${sql.identifier(name)}`
  const isNewer = sql`excluded.failure_seq > webhook_endpoints.failure_seq`
  return insertSelect(
    webhookEndpoints,
    {
      id: value("id"),
      url: value("url"),
      database: home.name,
      events: [],
      payloadFormat: "full",
      maxPerSecond: value("maxPerSecond"),
      ordered: value("ordered"),
      reconcile: false,
      secret: "",
      isActive: value("isActive"),
      disabledAt: value("disabledAt"),
      consecutiveFailures: value("consecutiveFailures"),
      failureSeq: value("failureSeq"),
      failureLevel: 0,
      lastFailureAt: value("lastFailureAt"),
      version: 1,
      createdByName: "",
      createdAt: value("createdAt"),
      createdAtSeq: 0,
      updatedAt: value("createdAt"),
      deletedAt: value("deletedAt"),
    },
    sql`from json_each(${JSON.stringify(endpoints)}) where ${condition}`,
  ).onConflictDoUpdate({
    target: id,
    set: {
      url: excluded("url"),
      maxPerSecond: excluded("max_per_second"),
      ordered: excluded("ordered"),
      isActive: excluded("is_active"),
      disabledAt: excluded("disabled_at"),
      deletedAt: excluded("deleted_at"),
      consecutiveFailures: sql`iif(${isNewer}, excluded.consecutive_failures, webhook_endpoints.consecutive_failures)`,
      lastFailureAt: sql`iif(${isNewer}, excluded.last_failure_at, webhook_endpoints.last_failure_at)`,
      failureSeq: sql`max(excluded.failure_seq, webhook_endpoints.failure_seq)`,
    },
    setWhere: sql`excluded.is_active <> webhook_endpoints.is_active or excluded.url <> webhook_endpoints.url
      or excluded.max_per_second is not webhook_endpoints.max_per_second
      or excluded.ordered <> webhook_endpoints.ordered
      or excluded.disabled_at is not webhook_endpoints.disabled_at
      or excluded.deleted_at is not webhook_endpoints.deleted_at or ${isNewer}`,
  })
}
