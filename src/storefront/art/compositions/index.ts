// All compositions. Each works at any size: a wider picture repeats the subject instead of stretching it.
import { cairn } from "./cairn"
import type { Composition } from "./composition"
import { doorways } from "./doorways"
import { hills } from "./hills"
import { sprigs } from "./sprigs"
import { stillLife } from "./still-life"
import { sunrise } from "./sunrise"
import { tiles } from "./tiles"
import { totem } from "./totem"

export type { Mark } from "./composition"

/** The order determines the composition of each name; changing it changes existing art. */
export const compositions: readonly [Composition, ...Composition[]] = [
  doorways,
  stillLife,
  hills,
  tiles,
  sprigs,
  totem,
  sunrise,
  cairn,
]
