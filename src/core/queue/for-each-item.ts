// Processes many rows so that one failure does not stop the others.
import type { Ctx } from "../context"

/**
 * Runs work for each item, one after another. A failure is logged and the next item follows.
 * @param part the name of the work in the log
 * @param items the items. The caller must order them so that a failed item does not always come first
 * @param name returns an item's name for the log
 * @returns the failed items
 */
export async function forEachItem<Item>(
  ctx: Ctx,
  part: string,
  items: readonly Item[],
  work: (item: Item) => Promise<unknown>,
  name: (item: Item) => string | number = String,
): Promise<Item[]> {
  const failed: Item[] = []
  for (const item of items) {
    try {
      await work(item)
    } catch (cause) {
      ctx.log.error("an item failed", cause, { part, item: name(item) })
      failed.push(item)
    }
  }
  return failed
}
