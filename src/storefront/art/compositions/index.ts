// The ways to fill a picture. Each works at any size: a wide picture holds more of the same subject, not a stretched one.
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

/** Their order decides which name gets which picture. */
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
