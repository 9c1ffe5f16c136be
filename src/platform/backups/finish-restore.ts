// Ends a restore: unlocks the store, and updates its row in the central database.
import { and, eq, sql } from "drizzle-orm"
import type * as z from "zod"
import { getMigrations } from "../../apps/registry"
import type { Ctx } from "../../core/context"
import { Refusal } from "../../core/http/refusal"
import { type AuditRecord, applyChange, writeUnaudited } from "../../core/write/commit"
import { siteDatabase } from "../../db/client"
import { type StoreRestore, storeRestores } from "../../db/schema/central/backups"
import { usageSnapshots } from "../../db/schema/central/stores"
import { siteIncarnations } from "../../db/schema/sites/incarnations"
import { shopSettings } from "../../db/schema/sites/shop-settings"
import { siteLocks } from "../../db/schema/sites/site-locks"
import { inSite } from "../../db/site-scope"
import { abortUnlessTouched, insert, update, type Write } from "../../db/write"
import { type EveryField, listFields } from "../../lib/every-field"
import { enableApp } from "../apps/service"
import { unlockSite, writeThroughLock } from "../site-migration/lock"
import { loadStore } from "../stores/queries"
import { type StoreDetails, storeResource, type UpdateStore } from "../stores/schemas"
import { guardedUpdate } from "../stores/service"
import { updateStore } from "../stores/update"
import { countUsage } from "../usage/collect"
import { NO_USAGE } from "../usage/rules"
import { buildSnapshot } from "../usage/snapshots"
import type { CentralRows, Manifest } from "./manifest"

/**
 * Unlocks the store, and publishes its restored state. Idempotent. Its subscription, owner, domains and credentials
 * stay as they are.
 */
export async function finishRestore(ctx: Ctx, restore: StoreRestore, manifest: Manifest): Promise<void> {
  const central = manifest.central as CentralRows
  await unlockStore(ctx, restore, manifest)
  if (!restore.isNew) await restoreSettings(ctx, restore.storeId, central)
  const counts = await countUsage(ctx, restore.database, [restore.storeId])
  const usage = buildSnapshot(ctx, restore.storeId, counts.get(restore.storeId) ?? NO_USAGE)
  await applyChange(
    ctx,
    async () => {
      const [facts, [current]] = await Promise.all([
        loadStore(ctx, restore.storeId),
        ctx.db.select({ phase: storeRestores.phase }).from(storeRestores).where(eq(storeRestores.id, restore.id)),
      ])
      return { facts, phase: current?.phase }
    },
    ({ facts, phase }) => {
      // An earlier run of this step may have died after its commit.
      if (phase !== "finishing") return { result: null }
      const values = restore.isNew
        ? { status: "ready" as const, provisionedAt: ctx.now, provisioningStartedAt: null, updatedAt: ctx.now }
        : { preset: presetOf(facts, central), updatedAt: ctx.now }
      const next = { ...facts, store: { ...facts.store, ...values }, usage }
      return {
        result: null,
        change: {
          guard: guardedUpdate(facts, values),
          writes: [
            update(storeRestores)
              .set({ phase: "done", dueAt: null, completedAt: ctx.now })
              .where(and(eq(storeRestores.id, restore.id), eq(storeRestores.phase, "finishing"))),
            abortUnlessTouched,
            insert(usageSnapshots).values(usage).onConflictDoUpdate({ target: usageSnapshots.storeId, set: usage }),
          ],
          auditLog: restore.isNew
            ? [buildReadyRecord(ctx, next), buildCompletionRecord(restore)]
            : [buildCompletionRecord(restore)],
        },
      }
    },
  )
}

const buildCompletionRecord = ({ id, storeId, backupId, differences }: StoreRestore): AuditRecord => ({
  audit: { subject: "restore", id, action: "completed", siteId: storeId, data: { backup: backupId, ...differences } },
})

/** Unlocks the store. The rows of a new one belong to its incarnation from now on. */
async function unlockStore(ctx: Ctx, restore: StoreRestore, manifest: Manifest): Promise<void> {
  const { storeId, storeSeq, database } = restore
  const db = siteDatabase(ctx.env, database, storeId)
  const lock = { storeId, migrationId: restore.id }
  const [locked] = await db
    .select({ by: siteLocks.migrationId })
    .from(siteLocks)
    .where(eq(siteLocks.migrationId, restore.id))
  if (!locked) return
  const row = { storeSeq }
  const writes = [
    ...(restore.isNew
      ? [
          inSite(storeId)
            .insert(siteIncarnations)
            .values(row)
            .onConflictDoUpdate({ target: siteIncarnations.siteId, set: row }),
        ]
      : []),
    ...buildDefaultWrites(storeId, manifest),
  ]
  if (writes.length) await writeUnaudited({ db }, "audited_elsewhere", writeThroughLock(lock, writes))
  await unlockSite(db, lock)
}

/** Sets the values of columns that the backup is older than: its contact address counts as confirmed. */
function buildDefaultWrites(storeId: string, { tables }: Manifest): Write[] {
  const backup = tables.find(({ name }) => name === "shop_settings")
  if (!backup || backup.columns.includes(shopSettings.confirmedEmail.name)) return []
  const confirmedEmail = sql<string>`lower(json_extract(${shopSettings.settings}, '$.contact_email'))`
  return [
    inSite(storeId)
      .update(shopSettings)
      .set({ confirmedEmail })
      .where(sql`json_extract(${shopSettings.settings}, '$.contact_email') is not null`),
  ]
}

type Changes = z.output<typeof UpdateStore>

/** The values that an existing store takes from the backup, with one change for each field that can be updated. */
const RESTORED_SETTINGS = {
  name: ({ name }: CentralRows["store"]): Changes => ({ name }),
  theme: ({ theme }: CentralRows["store"]): Changes => ({ theme }),
  owner_email: { omitted: "an existing store keeps its owner" },
} as const satisfies EveryField<Changes, (store: CentralRows["store"]) => Changes>

/** Restores the settings and the apps, as far as the plan allows them now. */
async function restoreSettings(ctx: Ctx, storeId: string, { store }: CentralRows): Promise<void> {
  const changes = [
    ...listFields(RESTORED_SETTINGS).map(
      ([, read]) =>
        () =>
          updateStore(ctx, storeId, read(store)),
    ),
    ...store.apps.map((slug) => () => enableApp(ctx, storeId, slug)),
  ]
  for (const change of changes) {
    try {
      await change()
    } catch (cause) {
      if (!(cause instanceof Refusal)) throw cause
      ctx.log.warn("a setting was not restored", { store: storeId, reason: cause.code })
    }
  }
}

const presetOf = ({ store }: StoreDetails, central: CentralRows): string =>
  store.theme === central.store.theme ? central.store.preset : store.preset

const buildReadyRecord = (ctx: Ctx, facts: StoreDetails): AuditRecord => {
  const { id, theme, preset, apps } = facts.store
  return {
    audit: { storeId: id, type: "store_ready", from: "provisioning", to: "ready" },
    events: [
      {
        type: "store.ready",
        data: {
          store: storeResource(ctx.settings, facts),
          provisioning: { preset, theme, apps, plugin_migration_paths: getMigrations(apps).length },
        },
      },
    ],
  }
}
