// A column of discs, halves and blocks.
import { block, disc, half } from "../shapes"
import { type Composition, columns, type Mark, pick, type Tone } from "./composition"

export const totem: Composition = (random, width, height) => {
  const tones = pick<Tone[]>(random, [
    [1, 2, 4, 3],
    [3, 4, 1, 2],
    [2, 1, 3, 4],
  ])
  return columns(width).flatMap(({ x }, column) => {
    const radius = height / 8.6
    const shapes = tones.map((_, row): Mark => {
      const tone = tones[(row + column) % tones.length] ?? 1
      const y = height * 0.035 + radius * (2 * row + 1) + radius * 0.02
      const kind = random()
      if (kind < 0.3) return { tone, path: disc(x, y, radius) }
      if (kind < 0.55) return { tone, path: half(x, y + radius, radius, 0) + half(x, y, radius, 0) }
      if (kind < 0.8) return { tone, path: half(x, y - radius, radius, 1) + half(x, y, radius, 1) }
      return { tone, path: block(x - radius, y - radius, radius * 2, radius * 2) }
    })
    return shapes
  })
}
