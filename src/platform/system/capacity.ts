// Warns operators before a D1 database reaches its 10 GB limit.
import type { Ctx } from "../../core/context"
import { sendMail } from "../../core/mail/send"
import { listOperatorRecipients } from "../../mails/operator-recipients"
import { MAX_DATABASE_BYTES } from "./databases"
import { readDatabaseSizes } from "./service"

/** Share of the limit from which operators are warned. */
const WARNING_THRESHOLD = 0.7

/** Mails every operator the databases that are over 70 % full, once a day while they are. */
export async function warnOfDatabaseSize(
  ctx: Ctx,
  readSizes: () => Promise<{ name: string; bytes: number | null }[]> = () => readDatabaseSizes(ctx),
): Promise<void> {
  const nearlyFull = (await readSizes()).filter(
    ({ bytes }) => bytes !== null && bytes > MAX_DATABASE_BYTES * WARNING_THRESHOLD,
  )
  if (!nearlyFull.length) return
  const lines = nearlyFull.map(
    ({ name, bytes }) => `${name}: ${(((bytes ?? 0) / MAX_DATABASE_BYTES) * 100).toFixed(0)} % of 10 GB`,
  )
  ctx.log.warn("a database is filling up", { readSizes: lines.join(", ") })
  const recipients = await listOperatorRecipients(ctx)
  await Promise.all(recipients.map(({ email }) => sendMail(ctx, { to: email, ...buildWarning(ctx, lines) })))
}

const buildWarning = ({ settings }: Ctx, lines: string[]): { subject: string; text: string } => ({
  subject: `${settings.APP_NAME}: a database is filling up`,
  text: [
    ...lines,
    "",
    "At 10 GB, a database accepts no more writes. To free space in the central database, lower",
    "TENANCY_WEBHOOKS_RETENTION_DAYS and TENANCY_WEBHOOKS_PAYLOAD_DAYS. To relieve a site database, add another one to\nSITE_DATABASES: new stores are created there.",
  ].join("\n"),
})
