// Nested arches, like a row of doors seen from the street.
import { arch, disc } from "../shapes"
import { between, type Composition, columns, type Mark, pick, type Tone } from "./composition"

export const doorways: Composition = (random, width, height) => {
  const order = pick<Tone[]>(random, [
    [1, 3, 2, 4],
    [2, 1, 3, 4],
    [4, 3, 1],
    [2, 4, 1],
    [3, 2, 1, 4],
  ])
  const size = between(random, 0.27, 0.42)
  const aside = between(random, -0.14, 0.14) * (0.42 - size) * 6
  const sun: Mark[] =
    random() < 0.5 ? [{ tone: 3, path: disc(width * (aside > 0 ? 0.22 : 0.78), height * 0.17, height * 0.075) }] : []
  const doors = columns(width).flatMap(({ x, span }) => {
    const outer = Math.min(span, height * 0.9) * size
    const spring = Math.max(outer + height * 0.1, height * between(random, 0.4, 0.62))
    const step = 0.94 / order.length
    return order.map((tone, ring) => ({
      tone,
      path: arch(x + aside * span, height, spring, outer * (1 - ring * step)),
    }))
  })
  return [...sun, ...doors]
}
