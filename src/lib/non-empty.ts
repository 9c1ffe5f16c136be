// Lists with at least one item, checked by the compiler.

export type NonEmpty<Item> = readonly [Item, ...Item[]]

/** Whether a list has an item. */
export const isNonEmpty = <Item>(items: readonly Item[]): items is NonEmpty<Item> => items.length > 0

/** Maps a non-empty list to a non-empty list. */
export const mapNonEmpty = <Item, Result>(
  [first, ...rest]: NonEmpty<Item>,
  build: (item: Item) => Result,
): NonEmpty<Result> => [build(first), ...rest.map(build)]
