// A site's account at the push provider: read, given, switched on and off.
import { eq } from "drizzle-orm"
import type * as z from "zod"
import type { Ctx } from "../../core/context"
import { invalid } from "../../core/http/refusal"
import { commitSite } from "../../core/write/site-commit"
import type { SiteDatabase } from "../../db/client"
import { pushAccounts } from "../../db/schema/sites/push"
import { insert, update } from "../../db/write"
import { encrypt } from "../../lib/cipher"
import type { SiteRef } from "../site"
import { type PushAccount, pushSettings, type SavePush } from "./schemas"
import { readServiceAccount } from "./service-account"

/** The statement that reads a site's account. */
export const selectAccount = (db: SiteDatabase, siteId: string) =>
  db.select().from(pushAccounts).where(eq(pushAccounts.siteId, siteId))

/** How a site's pushes are set up; of one that never was, `enabled` is false and the rest null. */
export async function readPushSettings({ id, db }: SiteRef): Promise<ReturnType<typeof pushSettings>> {
  const [account] = await selectAccount(db, id)
  return pushSettings(id, account)
}

/**
 * Changes what is given: a service account, whose key is kept under the application's key, or whether pushes are sent. An account that
 * comes alone switches nothing on.
 * @throws Refusal `validation_failed` about `service_account` for a file that is none, or for none at all
 */
export async function savePushSettings(
  ctx: Ctx,
  site: SiteRef,
  input: z.output<typeof SavePush>,
): Promise<ReturnType<typeof pushSettings>> {
  const given = input.service_account === undefined ? null : await readServiceAccount(ctx, input.service_account)
  const [before] = await selectAccount(site.db, site.id)
  if (input.enabled && !before && !given) throw invalid("service_account", "required")
  if (!given && (!before || input.enabled === undefined)) return pushSettings(site.id, before)
  const enabled = input.enabled ?? before?.enabled ?? false
  const write = given
    ? replace(site.id, {
        enabled,
        projectId: given.projectId,
        clientEmail: given.clientEmail,
        tokenUri: given.tokenUri,
        privateKey: await encrypt(ctx.settings.APP_KEY, given.privateKey),
        configuredAt: ctx.now,
        accessToken: null,
        accessTokenUntil: null,
      })
    : update(pushAccounts).set({ enabled }).where(eq(pushAccounts.siteId, site.id)).returning()
  const after = { enabled, project_id: given?.projectId, client_email: given?.clientEmail }
  const [[saved]] = await commitSite(ctx, site, {
    writes: [write],
    trail: [{ subject: "push_settings", id: site.id, deed: "saved", before: shown(before), after }],
  })
  return pushSettings(site.id, saved)
}

const replace = (siteId: string, values: Omit<PushAccount, "siteId">) =>
  insert(pushAccounts)
    .values({ siteId, ...values })
    .onConflictDoUpdate({ target: pushAccounts.siteId, set: values })
    .returning()

const shown = (account: PushAccount | undefined) =>
  account ? { enabled: account.enabled, project_id: account.projectId, client_email: account.clientEmail } : null
