// Authenticates a request again when its body was slow to arrive: the credential may have been revoked meanwhile.

/** Milliseconds after which a body counts as slow. */
const SLOW_BODY_MS = 1_000

/**
 * A check for `Ctx.bodyArrived`. A revoked credential can be used for `SLOW_BODY_MS` at most, and a fast request costs no query.
 * @param startedAt when the request was authenticated
 * @param authenticate authenticates the request again, and throws what the surface answers when that fails
 */
export const afterSlowBody =
  (startedAt: Date, authenticate: () => Promise<void>): (() => Promise<void>) =>
  async () => {
    if (Date.now() - startedAt.getTime() > SLOW_BODY_MS) await authenticate()
  }
