// Starts restores: in place, which makes a store equal to one of its backups, or as a new store next to it or instead
// of a deleted one. The steps are in restore-steps.ts.
import { and, desc, eq, gt, lte, type SQL, sql } from "drizzle-orm"
import type { Ctx } from "../../core/context"
import { invalid, Refusal } from "../../core/http/refusal"
import { startJob } from "../../core/queue/leased-jobs"
import { isUnlocked } from "../../core/queue/lock"
import { type AuditRecord, applyChange, type Change } from "../../core/write/commit"
import { QUEUE_GRACE_MS } from "../../core/write/events"
import { batch } from "../../db/client"
import { auditEntries } from "../../db/schema/central/audit"
import { type StoreBackup, type StoreRestore, storeBackups, storeRestores } from "../../db/schema/central/backups"
import { domains } from "../../db/schema/central/domains"
import { serverTokens, siteSettings } from "../../db/schema/central/sites"
import { purges, stores, usageSnapshots } from "../../db/schema/central/stores"
import { abortWhere, insert, insertSelect, type Write } from "../../db/write"
import { getFallbackHost } from "../../env"
import { addMs, DAY, yearMonth } from "../../lib/time"
import { ulid } from "../../lib/ulid"
import { chooseDatabase } from "../stores/choose-database"
import { getStoreSource } from "../stores/create"
import { loadStore } from "../stores/queries"
import { assertProvisioned, assertSubdomainAvailable } from "../stores/rules"
import { type NewStoreDetails, type StoreDetails, searchText, storeResource } from "../stores/schemas"
import { NO_USAGE } from "../usage/rules"
import type { CentralRows } from "./manifest"
import { readManifest } from "./read-manifest"
import { abortWhileCopied, findRunningCopy } from "./running"

/** A restore that is not done by then fails. */
export const MAX_RESTORE_MS = DAY

export interface RestoreInput {
  /** The store whose backup is restored. */
  store: string
  /** The id of a backup, or a time: the newest backup up to then. The newest backup when absent. */
  at?: string | undefined
  /** The id of the new store; the store itself when absent. */
  to?: string | undefined
  /** Whether to list the differences only. */
  dryRun: boolean
}

/**
 * Starts a restore.
 * @throws Refusal `validation_failed` for `at` without such a backup; `not_provisioned`; `subdomain_reserved` and
 *   `subdomain_taken` for the id of a new store; `illegal_transition` while the store is being backed up, restored or
 *   migrated
 */
export async function startRestore(ctx: Ctx, input: RestoreInput): Promise<StoreRestore> {
  const restore = await applyChange(
    ctx,
    () => loadTarget(ctx, input),
    async ({ backup, current, isTaken, isCopied }) => {
      if (isCopied) throw new Refusal("illegal_transition")
      if (current) {
        assertProvisioned(current.store)
        const row = newRestore(ctx, input, backup, current.store.id, current.store.database ?? "", current.store.seq)
        return { result: row, change: buildChange(row, [], [buildAudit(row, input)]) }
      }
      const id = input.to ?? input.store
      assertSubdomainAvailable(id, isTaken)
      const isAvailable = ctx.settings.SITE_DATABASES.includes(backup.database)
      const database = isAvailable && id === backup.storeId ? backup.database : await chooseDatabase(ctx)
      const row = { ...newRestore(ctx, input, backup, id, database, null), isNew: true }
      // The deleted store's row ids are still free in its own database.
      if (id === backup.storeId && database === backup.database) row.idOffset = 0
      if (input.dryRun) return { result: row, change: buildChange(row, [], [buildAudit(row, input)]) }
      const { central } = await readManifest(ctx, backup)
      const created = buildStore(ctx, id, database, central as CentralRows)
      return {
        result: row,
        change: buildChange(row, buildStoreWrites(ctx, created, backup, central as CentralRows), [
          buildCreation(ctx, created),
          buildAudit(row, input),
        ]),
      }
    },
  )
  startJob(ctx, { job: "restore", store: restore.storeId, restore: restore.id })
  return restore
}

async function loadTarget(ctx: Ctx, { store, at, to = store }: RestoreInput) {
  const fallback = getFallbackHost(ctx.settings, to)
  const [[target], [purge], [domain]] = await batch(ctx.db, [
    ctx.db.select({ seq: stores.seq }).from(stores).where(eq(stores.id, to)),
    ctx.db.select({ id: purges.storeId }).from(purges).where(eq(purges.storeId, to)),
    ctx.db.select({ id: domains.id }).from(domains).where(eq(domains.domain, fallback)),
  ])
  const isInPlace = to === store && target !== undefined
  const [backup, isCopied, current] = await Promise.all([
    findBackup(ctx, store, at, isInPlace ? target.seq : undefined),
    findRunningCopy(ctx, to),
    isInPlace ? loadStore(ctx, to) : null,
  ])
  return { backup, current, isCopied, isTaken: [target, purge, domain].some((row) => row !== undefined) }
}

const BACKUP_ID = /^[0-9A-HJKMNP-TV-Z]{26}$/

/**
 * Finds the backup to restore.
 * @param seq the incarnation: a store is never restored in place from an earlier store of the same name
 */
async function findBackup(
  ctx: Ctx,
  storeId: string,
  at: string | undefined,
  seq: number | undefined,
): Promise<StoreBackup> {
  const isId = at !== undefined && BACKUP_ID.test(at)
  const time = at === undefined || isId ? null : Date.parse(at)
  if (Number.isNaN(time)) throw invalid("at", "date")
  const newest = sql`(select max(${storeBackups.storeSeq}) from ${storeBackups} where ${storeBackups.storeId} = ${storeId})`
  const [backup] = await ctx.db
    .select()
    .from(storeBackups)
    .where(
      and(
        eq(storeBackups.storeId, storeId),
        eq(storeBackups.phase, "done"),
        isId ? eq(storeBackups.id, at) : eq(storeBackups.storeSeq, seq ?? newest),
        seq === undefined ? undefined : eq(storeBackups.storeSeq, seq),
        time === null ? undefined : lte(storeBackups.createdAt, new Date(time)),
      ),
    )
    .orderBy(desc(storeBackups.id))
    .limit(1)
  if (!backup) throw invalid("at", isId ? "has_backup_id" : time === null ? "has_backup" : "has_backup_until")
  return backup
}

const newRestore = (
  ctx: Ctx,
  { dryRun }: RestoreInput,
  backup: StoreBackup,
  storeId: string,
  database: string,
  storeSeq: number | null,
): StoreRestore => ({
  id: ulid(ctx.now),
  backupId: backup.id,
  storeId,
  storeSeq,
  database,
  isNew: false,
  isDryRun: dryRun,
  phase: "verifying",
  position: START_POSITION,
  idOffset: storeSeq === null ? null : 0,
  differences: { tables: {}, files: { added: 0, removed: 0, changed: 0 } },
  rounds: 0,
  dueAt: ctx.now,
  error: null,
  createdAt: ctx.now,
  completedAt: null,
})

/** The position at which a phase starts. */
export const START_POSITION: StoreRestore["position"] = { index: 0, key: null, part: 0, object: null, differs: false }

function buildChange(row: StoreRestore, writes: readonly Write[], auditLog: [AuditRecord, ...AuditRecord[]]): Change {
  const { storeSeq, ...values } = row
  const seq = storeSeq ?? (row.isDryRun ? null : sql<number>`(select seq from stores where id = ${row.storeId})`)
  return {
    writes: [
      ...writes,
      abortWhileCopied(row.storeId),
      insert(storeRestores).values({ ...values, storeSeq: seq }),
      ...(storeSeq === null
        ? []
        : [
            abortWhere(
              sql`from (select 1) where not exists (select 1 from ${stores} where ${stores.id} = ${row.storeId} and ${stores.seq} = ${storeSeq})`,
            ),
          ]),
    ],
    auditLog,
  }
}

const buildAudit = ({ id, backupId, storeId }: StoreRestore, { store, dryRun }: RestoreInput): AuditRecord => ({
  audit: {
    subject: "restore",
    id,
    action: "created",
    siteId: storeId,
    data: { from: store, backup: backupId, dry_run: dryRun },
  },
})

/** Builds a store from a backup. It has no subscription, even if the backup has one: billing is never restored. */
function buildStore(
  ctx: Ctx,
  id: string,
  database: string,
  { store }: CentralRows,
): Omit<StoreDetails["store"], "seq"> {
  return {
    id,
    name: store.name,
    theme: store.theme,
    preset: store.preset,
    ownerEmail: store.ownerEmail,
    apps: store.apps,
    status: "provisioning",
    database,
    version: 1,
    // Provisioning would add sample data, so its lease belongs to the restore until that is done or has failed.
    provisioningStartedAt: addMs(ctx.now, MAX_RESTORE_MS),
    provisioningSince: ctx.now,
    provisionedAt: null,
    operatorSuspendedAt: null,
    suspensionReason: null,
    createdAt: ctx.now,
    updatedAt: ctx.now,
  }
}

function buildStoreWrites(
  ctx: Ctx,
  store: Omit<StoreDetails["store"], "seq">,
  backup: StoreBackup,
  central: CentralRows,
): Write[] {
  const { id } = store
  const isSameStore = id === backup.storeId
  const domain = { storeId: id, isPrimary: false, isFallback: false, verifiedAt: null, createdAt: ctx.now }
  const settings = central.siteSettings
  return [
    insert(stores).values({ ...store, searchText: searchText(id, store.name, store.ownerEmail) }),
    abortWhere(sql`from ${purges} where ${eq(purges.storeId, id)}`),
    insert(usageSnapshots).values({ storeId: id, period: yearMonth(ctx.now), counts: NO_USAGE, collectedAt: ctx.now }),
    insert(domains).values({
      ...domain,
      domain: getFallbackHost(ctx.settings, id),
      isPrimary: true,
      isFallback: true,
      verifiedAt: ctx.now,
    }),
    ...(settings
      ? [
          insert(siteSettings).values({
            ...settings,
            apiKeyHash: isSameStore ? unlessRotated(backup, settings.apiKeyHash) : null,
            apiKeyPrefix: isSameStore ? unlessRotated(backup, settings.apiKeyPrefix) : null,
            siteId: id,
            updatedAt: ctx.now,
          }),
        ]
      : []),
    // A copy next to the store gets no credentials and no custom domains: they belong to the store.
    ...(isSameStore ? buildCredentialWrites(ctx, id, central, domain) : []),
  ]
}

/** Whether the audit log in the database has such an entry about a store. */
const isRecorded = (storeId: string, type: string, condition: SQL): SQL =>
  sql`exists (select 1 from ${auditEntries}
    where ${and(eq(auditEntries.storeId, storeId), sql`store_id <> ''`, eq(auditEntries.type, type), condition)})`

/** A part of the API key; null if the key was replaced after the backup, perhaps because others knew it. */
const unlessRotated = ({ storeId, createdAt }: StoreBackup, part: string | null): SQL =>
  sql`iif(${isRecorded(storeId, "site_key_rotated", gt(auditEntries.createdAt, createdAt))}, null, ${part})`

/** Credentials that were revoked after the backup stay revoked. */
const buildCredentialWrites = (
  ctx: Ctx,
  siteId: string,
  central: CentralRows,
  domain: Omit<typeof domains.$inferInsert, "domain">,
): Write[] => [
  ...central.serverTokens.map(({ name, type, prefix, hash, createdByName, scopes }) =>
    insertSelect(
      serverTokens,
      { siteId, name, type, prefix, hash, createdByName, scopes, createdAt: ctx.now },
      sql`where not ${isRecorded(siteId, "site_token_revoked", sql`data ->> '$.prefix' = ${prefix}`)}`,
    ).onConflictDoNothing(),
  ),
  // Another store may have attached a domain in the meantime. Each has to be verified again.
  ...central.domains
    .filter(({ isFallback }) => !isFallback)
    .map((row) =>
      insert(domains)
        .values({ ...domain, domain: row.domain, verificationToken: row.verificationToken })
        .onConflictDoNothing(),
    ),
]

function buildCreation(ctx: Ctx, store: Omit<StoreDetails["store"], "seq">): AuditRecord {
  const details: NewStoreDetails = {
    store,
    subscription: null,
    usage: { storeId: store.id, period: yearMonth(ctx.now), counts: NO_USAGE, collectedAt: ctx.now },
    primary: { domain: getFallbackHost(ctx.settings, store.id) },
  }
  return {
    audit: { storeId: store.id, type: "store_created", to: store.status },
    events: [
      {
        type: "store.created",
        data: { store: storeResource(ctx.settings, details) },
        meta: { source: getStoreSource(ctx.actor) },
      },
    ],
  }
}

/** Restores listed per store. */
const MAX_LISTED = 100

/** Lists the restores of a store, newest first. */
export const listRestores = (ctx: Ctx, storeId: string): Promise<StoreRestore[]> =>
  ctx.db
    .select()
    .from(storeRestores)
    .where(eq(storeRestores.storeId, storeId))
    .orderBy(desc(storeRestores.id))
    .limit(MAX_LISTED)

/** Lists running restores with no message in flight, because it was lost or its run died. */
export const listOverdueRestores = (ctx: Ctx, limit: number): Promise<{ store: string; restore: string }[]> =>
  ctx.db
    .select({ store: storeRestores.storeId, restore: storeRestores.id })
    .from(storeRestores)
    .where(
      and(
        lte(storeRestores.dueAt, addMs(ctx.now, -QUEUE_GRACE_MS)),
        isUnlocked(sql`'site:' || ${storeRestores.storeId}`, ctx.now),
      ),
    )
    .orderBy(storeRestores.dueAt)
    .limit(limit)
