// How full the databases are: a D1 database ends at 10 GB, and nobody sees it come unless somebody looks.
import type { Ctx } from "../../core/context"
import { sendMail } from "../../core/mail/send"
import { listOperatorRecipients } from "../../mails/operator-recipients"
import { readDatabases } from "./service"

/** Bytes that a D1 database holds at most (https://developers.cloudflare.com/d1/platform/limits/). */
const LARGEST = 10_000_000_000

/** The share of it from which operators are told. */
const TOLD_FROM = 0.7

/** Tells every operator of the databases that are over 70 % full: once a day, for as long as they are. */
export async function warnOfSize(
  ctx: Ctx,
  databases: () => Promise<{ name: string; bytes: number | null }[]> = () => readDatabases(ctx),
): Promise<void> {
  const full = (await databases()).filter(({ bytes }) => bytes !== null && bytes > LARGEST * TOLD_FROM)
  if (!full.length) return
  const lines = full.map(({ name, bytes }) => `${name}: ${(((bytes ?? 0) / LARGEST) * 100).toFixed(0)} % of 10 GB`)
  ctx.log.warn("a database is filling up", { databases: lines.join(", ") })
  const readers = await listOperatorRecipients(ctx)
  await Promise.all(readers.map(({ email }) => sendMail(ctx, { to: email, ...notice(ctx, lines) })))
}

const notice = ({ settings }: Ctx, lines: string[]): { subject: string; text: string } => ({
  subject: `${settings.APP_NAME}: a database is filling up`,
  text: [
    ...lines,
    "",
    "At 10 GB a database takes no more writes. Fewer days in TENANCY_WEBHOOKS_RETENTION_DAYS and TENANCY_WEBHOOKS_PAYLOAD_DAYS make",
    "room in the central one; a site database is relieved by another one in SITE_DATABASES, where new stores go.",
  ].join("\n"),
})
