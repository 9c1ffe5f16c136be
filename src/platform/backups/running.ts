// Finds running backups, restores and migrations, which exclude each other for the same store.
import { and, eq, isNotNull, type SQL, sql } from "drizzle-orm"
import type { Ctx } from "../../core/context"
import { type StoreBackup, storeBackups, storeRestores } from "../../db/schema/central/backups"
import { siteMigrations } from "../../db/schema/central/site-migrations"
import { abortWhere, type Write } from "../../db/write"

const isBackupRunning = (storeId: string) => and(eq(storeBackups.storeId, storeId), isNotNull(storeBackups.dueAt))

/** Finds the running backup of a store. */
export async function findRunningBackup(ctx: Ctx, storeId: string): Promise<StoreBackup | undefined> {
  const [backup] = await ctx.db.select().from(storeBackups).where(isBackupRunning(storeId))
  return backup
}

const selectCopies = (storeId: string): SQL => sql`
  select 1 from ${storeBackups} where ${storeBackups.storeId} = ${storeId} and ${storeBackups.dueAt} is not null
  union all select 1 from ${storeRestores} where ${storeRestores.storeId} = ${storeId} and ${storeRestores.dueAt} is not null
  union all select 1 from ${siteMigrations} where ${siteMigrations.storeId} = ${storeId}`

/** Whether a store is being backed up, restored or migrated. */
export async function findRunningCopy(ctx: Ctx, storeId: string): Promise<boolean> {
  const rows = await ctx.db.select({ one: sql<number>`1` }).from(sql`(${selectCopies(storeId)})`)
  return rows.length > 0
}

/** Aborts the batch while the store is being backed up, restored or migrated. */
export const abortWhileCopied = (storeId: string): Write => abortWhere(sql`from (${selectCopies(storeId)})`)
