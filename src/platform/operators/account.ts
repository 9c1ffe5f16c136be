// Lets operators change their own password and preferences.
import { and, count, eq, isNull, ne } from "drizzle-orm"
import type * as z from "zod"
import { findPasswordRule } from "../../core/auth/common-passwords"
import { permitHashing } from "../../core/auth/password-hashing"
import type { Ctx } from "../../core/context"
import type { Input } from "../../core/http/input"
import { commit, WriteConflict } from "../../core/write/commit"
import { batch } from "../../db/client"
import { operatorRecoveryCodes, operatorSessions, operators } from "../../db/schema/central/operators"
import { remove, update } from "../../db/write"
import { attemptInSession } from "./limits"
import { resetNetworks } from "./networks"
import { selectPasskeys } from "./passkeys"
import type { ChangePassword, Preferences } from "./schemas"
import { type Session, selectSessions } from "./sessions"

/** Reads an operator's sessions, passkeys, and number of unused recovery codes. */
export async function readAccount(ctx: Ctx, operatorId: number) {
  const [sessions, passkeys, codes] = await batch(ctx.db, [
    selectSessions(ctx, operatorId),
    selectPasskeys(ctx, operatorId),
    ctx.db
      .select({ left: count() })
      .from(operatorRecoveryCodes)
      .where(and(eq(operatorRecoveryCodes.operatorId, operatorId), isNull(operatorRecoveryCodes.usedAt))),
  ])
  return { sessions, passkeys, recoveryCodes: codes[0]?.left ?? 0 }
}

/**
 * Changes the password and ends all other sessions. The current password is also verified when the new one is invalid;
 * every failed attempt counts against the session's limit.
 * @throws Refusal `rate_limited`; `validation_failed` on `current_password` when it is wrong
 */
export const changePassword = (ctx: Ctx, session: Session, input: Input<typeof ChangePassword>): Promise<void> =>
  attemptInSession(ctx, session, () => setPassword(ctx, session, input))

async function setPassword(
  ctx: Ctx,
  { operator, session }: Session,
  input: Input<typeof ChangePassword>,
): Promise<void> {
  const hasher = await permitHashing(ctx, 2)
  const { current_password: current } = input.valid
  const isCorrect = current !== undefined && (await hasher.verify(current, operator.passwordHash))
  const { password } = input.complete({
    current_password: isCorrect ? null : "selected",
    password: await findPasswordRule(ctx.env, input.valid.password),
  })
  const passwordHash = await hasher.hash(password)
  await commit(ctx, {
    guard: update(operators)
      .set({ passwordHash })
      .where(and(eq(operators.id, operator.id), eq(operators.passwordHash, operator.passwordHash))),
    writes: [
      remove(operatorSessions).where(
        and(eq(operatorSessions.operatorId, operator.id), ne(operatorSessions.id, session.id)),
      ),
      update(operatorSessions).set({ confirmedAt: ctx.now }).where(eq(operatorSessions.id, session.id)),
      ...(await resetNetworks(ctx, operator.id)),
    ],
    auditLog: [{ audit: { subject: "operator", action: "changed", id: operator.id, after: { password: "changed" } } }],
  }).catch((cause) => {
    throw cause instanceof WriteConflict ? input.reject("current_password", "selected") : cause
  })
}

/** Changes name, time zone, colour theme and keyboard shortcuts. */
export async function savePreferences(
  ctx: Ctx,
  { operator }: Session,
  input: z.output<typeof Preferences>,
): Promise<void> {
  const { name, time_zone: timeZone, theme, single_keys: usesSingleKeys } = input
  await commit(ctx, {
    writes: [update(operators).set({ name, timeZone, theme, usesSingleKeys }).where(eq(operators.id, operator.id))],
    auditLog: [
      {
        audit: {
          subject: "operator",
          action: "changed",
          id: operator.id,
          before: {
            name: operator.name,
            time_zone: operator.timeZone,
            theme: operator.theme,
            single_keys: operator.usesSingleKeys,
          },
          after: { name, time_zone: timeZone, theme, single_keys: usesSingleKeys },
        },
      },
    ],
  })
}
