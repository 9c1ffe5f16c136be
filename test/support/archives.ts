// Fills the audit log with old entries, archives them, and reads the archive's objects.
import { env } from "cloudflare:workers"
import { archiveAuditEntries } from "../../src/platform/audit/archive"
import { run } from "./app"

const DAY = 86_400_000

/** Adds entries about a store to the audit log, each a minute after the one before. */
export const addEntries = (store: string, entries: number, daysAgo: number) =>
  env.DB.prepare(
    `with recursive n(i) as (select 1 union all select i + 1 from n where i < cast(?1 as integer))
     insert into audit_entries (store_id, store_seq, type, data, actor_type, actor_name, request_id, created_at)
     select ?2, (select seq from stores where id = ?2), 'store_updated', json_object('from', i), 'system', 'system', 'request-' || i,
       ?3 + i * 60000 from n`,
  )
    .bind(entries, store, Date.now() - daysAgo * DAY)
    .run()

/** Makes all present entries older. */
export const ageEntries = (days: number) =>
  env.DB.prepare("update audit_entries set created_at = created_at - ?")
    .bind(days * DAY)
    .run()

/** Runs all steps of the archiving. */
export async function archiveAudit(): Promise<void> {
  while (await run((ctx) => archiveAuditEntries(ctx, Date.now())));
}

/** Lists the keys in the archive. */
export const listArchiveKeys = async (): Promise<string[]> =>
  (await env.ARCHIVE.list()).objects.map(({ key }) => key).sort()
