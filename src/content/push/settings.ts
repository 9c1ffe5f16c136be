// Reads and saves a site's push settings.
import type { Ctx } from "../../core/context"
import type { Input } from "../../core/http/input"
import { commitSite } from "../../core/write/site-commit"
import type { SiteDatabase } from "../../db/client"
import { pushAccounts } from "../../db/schema/sites/push"
import { inSite } from "../../db/site-scope"
import { encrypt } from "../../lib/cipher"
import type { SiteRef } from "../site"
import { type PushAccount, pushSettings, type SavePush } from "./schemas"
import { readServiceAccount } from "./service-account"

/** Selects a site's push account. */
export const selectAccount = (db: SiteDatabase) => db.select().from(pushAccounts)

/** Reads a site's push settings. Without an account, `enabled` is false and the other fields are null. */
export async function readPushSettings({ id, db }: SiteRef): Promise<ReturnType<typeof pushSettings>> {
  const [account] = await selectAccount(db)
  return pushSettings(id, account)
}

/**
 * Saves the given settings: a service account, whose private key is encrypted with the application key, or whether push
 * is enabled. Saving an account does not enable push.
 * @throws Refusal `validation_failed` for `service_account` when the file is invalid, or missing when push is enabled
 */
export async function savePushSettings(
  ctx: Ctx,
  site: SiteRef,
  input: Input<typeof SavePush>,
): Promise<ReturnType<typeof pushSettings>> {
  const { service_account: file } = input.valid
  const parsed = file === undefined ? null : await readServiceAccount(ctx, file)
  const account = parsed && "projectId" in parsed ? parsed : null
  const [current] = await selectAccount(site.db)
  const isMissing = input.valid.enabled && !current && !parsed
  const fileError = parsed && "rule" in parsed ? parsed : isMissing ? "required" : null
  const { enabled: isEnabled } = input.complete({ service_account: fileError })
  if (!account && (!current || isEnabled === undefined)) return pushSettings(site.id, current)
  const enabled = isEnabled ?? current?.enabled ?? false
  const write = account
    ? upsertAccount(site.id, {
        enabled,
        projectId: account.projectId,
        clientEmail: account.clientEmail,
        tokenUri: account.tokenUri,
        privateKey: await encrypt(ctx.settings.APP_KEY, account.privateKey),
        configuredAt: ctx.now,
        accessToken: null,
        accessTokenUntil: null,
      })
    : inSite(site.id).update(pushAccounts).set({ enabled }).all().returning()
  const after = { enabled, project_id: account?.projectId, client_email: account?.clientEmail }
  const [[saved]] = await commitSite(ctx, site, {
    writes: [write],
    auditLog: [{ subject: "push_settings", id: site.id, action: "saved", before: toAuditFields(current), after }],
  })
  return pushSettings(site.id, saved)
}

const upsertAccount = (siteId: string, values: Omit<PushAccount, "siteId">) =>
  inSite(siteId)
    .insert(pushAccounts)
    .values(values)
    .onConflictDoUpdate({ target: pushAccounts.siteId, set: values })
    .returning()

const toAuditFields = (account: PushAccount | undefined) =>
  account ? { enabled: account.enabled, project_id: account.projectId, client_email: account.clientEmail } : null
