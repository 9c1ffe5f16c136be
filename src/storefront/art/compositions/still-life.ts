// Vases with leaves on a table.
import { block, disc, leaf, vessel } from "../shapes"
import { between, type Composition, columns, type Mark, pick, type Tone } from "./composition"

export const stillLife: Composition = (random, width, height) => {
  const table = height * between(random, 0.76, 0.84)
  const backdrop: Mark[] = [
    { tone: 3, path: disc(width * between(random, 0.35, 0.65), table * 0.52, Math.min(width, height) * 0.34) },
    { tone: 2, path: block(0, table, width, height - table) },
  ]
  const vessels = columns(width).flatMap(({ x, span }, index): Mark[] => {
    const unit = Math.min(span, height * 0.7)
    const tall = height * between(random, 0.3, 0.46)
    const neck = unit * between(random, 0.07, 0.13)
    const profile = {
      foot: unit * 0.14,
      belly: unit * between(random, 0.2, 0.28),
      neck,
      lip: neck * between(random, 1.05, 1.6),
      height: tall,
    }
    const twigs = [-0.9, 1, -0.45, 0.5].map((side) =>
      leaf(x, table - tall * 0.96, side * height * between(random, 0.16, 0.26)),
    )
    return [
      { tone: pick<Tone>(random, [1, 2]), path: twigs.join("") },
      { tone: index % 2 ? 1 : 4, path: vessel(x, table + height * 0.04, profile) },
    ]
  })
  return [...backdrop, ...vessels]
}
