// Authenticates a request again when its body was slow to arrive, because the credential may have been revoked in the
// meantime.
import { currentMs } from "../../lib/clock"

/** A body that takes longer counts as slow. */
const SLOW_BODY_MS = 1_000

/**
 * Creates the check for `Ctx.bodyArrived`. A revoked credential works for at most `SLOW_BODY_MS`, and a fast request
 * needs no extra query.
 * @param startedAt the time at which the request was authenticated
 * @param authenticate authenticates the request again; throws the surface's refusal when that fails
 */
export const afterSlowBody =
  (startedAt: Date, authenticate: () => Promise<void>): (() => Promise<void>) =>
  async () => {
    if (currentMs() - startedAt.getTime() > SLOW_BODY_MS) await authenticate()
  }
