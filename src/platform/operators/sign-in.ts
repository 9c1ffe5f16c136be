// Signs operators in to the console: by password with or without a code, by code after a password, or by passkey.
import { eq, sql } from "drizzle-orm"
import type * as z from "zod"
import { attemptLogin } from "../../core/auth/login-attempts"
import type { PasskeyAssertion } from "../../core/auth/passkeys"
import type { Ctx } from "../../core/context"
import { hashNetwork } from "../../core/http/client-network"
import { countFailures } from "../../core/http/rate-limit"
import { Refusal } from "../../core/http/refusal"
import { batch } from "../../db/client"
import { operators } from "../../db/schema/central/operators"
import { getAccountLimit, getCodeLimit, getNetworkLimits } from "./limits"
import { selectNetwork } from "./networks"
import { authenticateByPasskey } from "./passkeys"
import type { Operator, SignIn } from "./schemas"
import { consumeCode } from "./second-factor"
import { completeSession, type Session } from "./sessions"

/**
 * Authenticates an operator by email address, password and, if given, code.
 * @throws Refusal `rate_limited`; `sign_in_failed` for an unknown address, a wrong password and a disabled operator
 *   alike; `code_wrong`
 */
export async function signInByPassword(
  ctx: Ctx,
  { email, password, code }: z.output<typeof SignIn>,
): Promise<Operator> {
  const network = await hashNetwork(ctx)
  const find = async () => {
    const isOperator = eq(operators.email, email.toLowerCase())
    const id = sql`(select ${operators.id} from ${operators} where ${isOperator})`
    const [[operator], known] = await batch(ctx.db, [
      ctx.db.select().from(operators).where(isOperator),
      selectNetwork(ctx, id, network),
    ])
    return { operator, isKnownNetwork: known.length > 0 }
  }
  const limits = { network: getNetworkLimits(ctx), account: await getAccountLimit(email) }
  return attemptLogin(ctx, limits, find, async ({ operator, isKnownNetwork }, hasher) => {
    const matches = await hasher.verify(password, operator?.passwordHash)
    if (!operator || !matches || operator.disabledAt) throw new Refusal("sign_in_failed")
    if (operator.totpEnabledAt && code) await attemptCode(ctx, operator, code, isKnownNetwork ? network : null)
    return operator
  })
}

/**
 * Completes a session by a code, after its password was verified.
 * @throws Refusal `rate_limited`, `code_wrong`
 */
export async function signInByCode(ctx: Ctx, session: Session, code: string): Promise<void> {
  const { operator } = session
  const network = await hashNetwork(ctx)
  await countFailures(ctx, getNetworkLimits(ctx), async () => {
    const [known] = await selectNetwork(ctx, operator.id, network)
    await attemptCode(ctx, operator, code, known ? network : null)
  })
  await completeSession(ctx, session)
}

/**
 * Authenticates an operator by a passkey. Signatures cannot be guessed, so failures count against the network only.
 * @throws Refusal `rate_limited`, `passkey_refused`
 */
export const signInByPasskey = (ctx: Ctx, input: z.output<typeof PasskeyAssertion>): Promise<Operator> =>
  countFailures(ctx, getNetworkLimits(ctx), () => authenticateByPasskey(ctx, input))

const attemptCode = (ctx: Ctx, operator: Operator, code: string, knownNetwork: string | null): Promise<void> =>
  countFailures(ctx, [getCodeLimit(operator.id, knownNetwork)], () => consumeCode(ctx, operator, code))
