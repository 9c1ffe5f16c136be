// Stack of flat stones, each slightly smaller and offset to the side.
import { block, pebble } from "../shapes"
import { between, type Composition, columns, type Mark } from "./composition"

export const cairn: Composition = (random, width, height) => {
  const ground: Mark = { tone: 3, path: block(0, height * 0.86, width, height * 0.14) }
  const stacks = columns(width).flatMap(({ x, span }, column): Mark[] => {
    const stones: Mark[] = []
    const count = 4 + Math.floor(random() * 2)
    let bottom = height * 0.9
    let reach = Math.min(span, height) * between(random, 0.27, 0.36)
    for (let stone = 0; stone < count; stone++) {
      const rise = Math.min(reach * 0.6, height * between(random, 0.055, 0.1))
      const tone = ([1, 2, 4, 1, 2] as const)[(stone + column) % 5] ?? 1
      stones.push({ tone, path: pebble(x + between(random, -0.12, 0.12) * reach, bottom - rise, reach, rise) })
      bottom -= rise * 1.94
      reach *= between(random, 0.68, 0.86)
    }
    return stones
  })
  return [ground, ...stacks]
}
