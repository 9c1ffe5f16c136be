// Chooses the site database of a new store by the sizes that the system metrics recorded, so that no request reads
// every database.
import { and, count, inArray, sql } from "drizzle-orm"
import type { Ctx } from "../../core/context"
import { Refusal } from "../../core/http/refusal"
import { batch } from "../../db/client"
import { stores } from "../../db/schema/central/stores"
import { selectLatest, toLatest } from "../metrics/system"
import { type DatabaseStatus, NEARLY_FULL_BYTES } from "../system/databases"

/** Sizes that differ by less count as equal: they are up to a minute old. */
const SIZE_STEP_BYTES = 10_000_000

/** `Retry-After` in seconds while every site database is full, as for a write to a full database. */
const FULL_RETRY_SECONDS = 300

/** Whether a database has to be avoided: it is nearly full, or does not work. */
const isLastResort = ({ bytes, status }: DatabaseStatus): boolean =>
  status !== "ok" || (bytes ?? 0) >= NEARLY_FULL_BYTES

/**
 * Picks the smallest database, and among databases of about the same size the one with the fewest stores. A full one is
 * never picked, and one that is nearly full or does not work only when there is no other.
 * @param names the site databases
 * @param recorded databases by their latest metrics; one that is missing is new, and thus empty
 * @param storeCounts stores by database
 * @returns null when every database is full
 */
export function pickDatabase(
  names: readonly string[],
  recorded: readonly DatabaseStatus[],
  storeCounts: ReadonlyMap<string, number> = new Map(),
): string | null {
  const open = names.flatMap((name) => {
    const database = recorded.find((one) => one.name === name) ?? { name, bytes: 0, status: "ok" as const }
    if (database.status === "full") return []
    const size = Math.floor((database.bytes ?? 0) / SIZE_STEP_BYTES)
    return [{ name, rank: [Number(isLastResort(database)), size, storeCounts.get(name) ?? 0] }]
  })
  const [best] = open.sort((a, b) => compare(a.rank, b.rank))
  return best?.name ?? null
}

/** The refusal of a new store while every site database is full. */
export const allDatabasesFull = () => new Refusal("temporarily_unavailable", { retryAfter: FULL_RETRY_SECONDS })

/** Compares the first element that differs. */
function compare(a: readonly number[], b: readonly number[]): number {
  const index = a.findIndex((value, at) => value !== b[at])
  return index === -1 ? 0 : (a[index] ?? 0) - (b[index] ?? 0)
}

/** The inputs of `pickDatabase` besides the names. */
interface DatabaseLoad {
  recorded: readonly DatabaseStatus[]
  storeCounts: ReadonlyMap<string, number>
}

/** Reads the recorded sizes, and the number of stores where there are several databases, in one round trip. */
export async function readDatabaseLoad(ctx: Ctx): Promise<DatabaseLoad> {
  const names = ctx.settings.SITE_DATABASES
  const counts = ctx.db
    .select({ name: stores.database, stores: count() })
    .from(stores)
    .where(and(inArray(stores.database, names), names.length > 1 ? undefined : sql`false`))
    .groupBy(stores.database)
  const [[latest], rows] = await batch(ctx.db, [selectLatest(ctx), counts])
  return {
    recorded: toLatest(latest)?.detail.databases ?? [],
    storeCounts: new Map(rows.map((row) => [row.name ?? "", row.stores])),
  }
}

/**
 * Chooses the site database for a new store.
 * @throws Refusal `temporarily_unavailable` when every database is full
 */
export async function chooseDatabase(ctx: Ctx): Promise<string> {
  const { recorded, storeCounts } = await readDatabaseLoad(ctx)
  const name = pickDatabase(ctx.settings.SITE_DATABASES, recorded, storeCounts)
  if (name === null) throw allDatabasesFull()
  return name
}
