// Lists with at least one item, checked by the compiler.

export type NonEmpty<Item> = readonly [Item, ...Item[]]

/** Whether a list has an item. */
export const isNonEmpty = <Item>(items: readonly Item[]): items is NonEmpty<Item> => items.length > 0

/** Maps a list and keeps the knowledge that it has an item. */
export const mapNonEmpty = <Item, Result>(
  [first, ...rest]: NonEmpty<Item>,
  build: (item: Item) => Result,
): NonEmpty<Result> => [build(first), ...rest.map(build)]
