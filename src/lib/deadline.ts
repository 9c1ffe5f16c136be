// Limits how long a caller waits for work.

/** The work did not finish in time. It may still run. */
export class DeadlineExceeded extends Error {
  override readonly name = "DeadlineExceeded"
}

/**
 * Waits for work, but not longer than `ms` milliseconds.
 * @throws DeadlineExceeded after the deadline; errors of the work
 */
export function withDeadline<Result>(ms: number, work: Promise<Result>): Promise<Result> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const deadline = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new DeadlineExceeded(`No answer within ${ms} ms`)), ms)
  })
  return Promise.race([work, deadline]).finally(() => clearTimeout(timer))
}
