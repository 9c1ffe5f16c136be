// Processes many rows so that one failure does not stop the others, until the run is out of time.
import type { Ctx } from "../context"

/**
 * Runs work for each item, one after another. A failure is logged and counted with the run, and the next item follows.
 * Once the run is out of time, no further item starts.
 * @param job the name of the work in the log
 * @param items the items. The caller must order them so that a failed item does not always come first, and that the
 *   next run begins with those that this one left
 * @param name returns an item's name for the log
 * @returns the failed items
 */
export async function forEachItem<Item>(
  ctx: Ctx,
  job: string,
  items: readonly Item[],
  work: (item: Item) => Promise<unknown>,
  name: (item: Item) => string | number = String,
): Promise<Item[]> {
  const failed: Item[] = []
  for (const [index, item] of items.entries()) {
    if (ctx.run.isOutOfTime()) {
      ctx.log.warn("items are left to the next run", { job, left: items.length - index })
      break
    }
    if (!(await runItem(ctx, job, () => work(item), name(item)))) failed.push(item)
  }
  return failed
}

/**
 * Runs work for one item. A failure is logged and counted with the run.
 * @returns whether it succeeded
 */
export async function runItem(
  ctx: Ctx,
  job: string,
  work: () => Promise<unknown>,
  item: string | number,
): Promise<boolean> {
  try {
    await work()
    ctx.run.countItem(false)
    return true
  } catch (cause) {
    ctx.log.error("an item failed", cause, { job, item })
    ctx.run.countItem(true)
    return false
  }
}
