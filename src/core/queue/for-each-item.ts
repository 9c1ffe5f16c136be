// Work over many rows, none of which may stop the others.
import type { Ctx } from "../context"

/**
 * Does a piece of work for each item, one after another. One that fails is logged, and those behind it go on.
 * @param part what the work is called in the log
 * @param items what is worked on; whoever picks them puts one that failed behind the others, so that it is not picked first for ever
 * @param name how an item is named in the log
 * @returns those that failed
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
      ctx.log.error(`${part}: one failed`, cause, { item: name(item) })
      failed.push(item)
    }
  }
  return failed
}
