// Plants in front of a moon.
import { block, disc, leaf } from "../shapes"
import { between, type Composition, columns, type Mark } from "./composition"

export const sprigs: Composition = (random, width, height) => {
  const moon: Mark = {
    tone: 3,
    path: disc(width * between(random, 0.4, 0.6), height * 0.44, Math.min(width, height) * between(random, 0.32, 0.4)),
  }
  const plants = columns(width).flatMap(({ x }, index): Mark[] => {
    const top = height * between(random, 0.16, 0.26)
    const pairs = 4 + Math.floor(random() * 2)
    const step = (height * 0.9 - top) / pairs
    const left: string[] = []
    const right: string[] = []
    for (let pair = 0; pair < pairs; pair++) {
      const y = height * 0.9 - pair * step
      const reach = step * (1.35 - (0.5 * pair) / pairs)
      left.push(leaf(x, y, -reach))
      right.push(leaf(x, y - height * 0.035, reach))
    }
    const [one, other] = index % 2 ? ([2, 4] as const) : ([1, 2] as const)
    return [
      { tone: one, path: block(x - 3, top, 6, height - top) + left.join("") },
      { tone: other, path: right.join("") },
    ]
  })
  return [moon, ...plants]
}
