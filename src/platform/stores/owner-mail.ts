// Mails to a store's owner about a change that an operator made, in the transaction of that change.
import type { Ctx } from "../../core/context"
import { buildMailWrite, enqueueMailRun } from "../../mails/outbox"
import type { MailParams } from "../../mails/render"
import type { MailKind } from "../../mails/strings"
import { buildOwnerMail } from "../subscriptions/mail"
import type { StoreDetails } from "./schemas"

/** A mail to the owner of a store. */
export interface OwnerMail {
  kind: Extract<MailKind, `operator_${string}` | "resumed_by_operator">
  store: Pick<StoreDetails, "store" | "primary">
  facts?: MailParams
}

/**
 * Returns a context whose next commit also inserts the mail, so that it is sent exactly if the change is made. A
 * repeated commit of the same request inserts it once.
 */
export function withOwnerMail(ctx: Ctx, { kind, store, facts }: OwnerMail, reason: string | null): Ctx {
  const mail = buildOwnerMail(ctx.settings, store, kind, ctx.requestId, { ...facts, reason })
  return { ...ctx, withCommit: () => [...(ctx.withCommit?.() ?? []), buildMailWrite(ctx, mail)] }
}

/** Sends the mail in the background, once its change is committed. */
export const sendOwnerMail = (ctx: Ctx): void => enqueueMailRun(ctx)
