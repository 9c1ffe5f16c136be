// Finds running backups, which exclude migrations of the same store.
import { and, eq, isNotNull, sql } from "drizzle-orm"
import type { Ctx } from "../../core/context"
import { type StoreBackup, storeBackups } from "../../db/schema/central/backups"
import { abortWhere, type Write } from "../../db/write"

const isRunning = (storeId: string) => and(eq(storeBackups.storeId, storeId), isNotNull(storeBackups.dueAt))

/** Finds the running backup of a store. */
export async function findRunningBackup(ctx: Ctx, storeId: string): Promise<StoreBackup | undefined> {
  const [backup] = await ctx.db.select().from(storeBackups).where(isRunning(storeId))
  return backup
}

/** Aborts the batch while the store is being backed up. */
export const abortWhileBackedUp = (storeId: string): Write =>
  abortWhere(sql`from ${storeBackups} where ${isRunning(storeId)}`)
