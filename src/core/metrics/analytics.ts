// Writes data points to Workers Analytics Engine, if the optional binding METRICS exists.
import { binding } from "../../bindings"
import type { Ctx } from "../context"

/** Analytics Engine accepts at most this many numbers per data point. */
const MAX_DOUBLES = 20

/**
 * Writes a data point. It returns immediately, and Cloudflare stores the point in the background.
 * @param index the name of the series
 * @param values numbers in a fixed order, at most 20; a missing one is -1, because data points have no null
 */
export function writeDataPoint({ env }: Pick<Ctx, "env">, index: string, values: readonly (number | null)[]): void {
  binding(env, "METRICS")?.writeDataPoint({
    indexes: [index],
    doubles: values.slice(0, MAX_DOUBLES).map((value) => value ?? -1),
  })
}
