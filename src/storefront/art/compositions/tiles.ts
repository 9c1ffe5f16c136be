// A floor of quarter circles.
import { disc, quarter } from "../shapes"
import { type Composition, pick, type Tone } from "./composition"

export const tiles: Composition = (random, width, height) => {
  const side = 100
  const paths = new Map<Tone, string>()
  for (let y = 0; y < height; y += side) {
    for (let x = 0; x < width; x += side) {
      const tone = pick<Tone>(random, [1, 2, 2, 3, 3, 4])
      const path =
        random() < 0.12 ? disc(x + side / 2, y + side / 2, side * 0.3) : quarter(x, y, side, Math.floor(random() * 4))
      paths.set(tone, (paths.get(tone) ?? "") + path)
    }
  }
  return [...paths].map(([tone, path]) => ({ tone, path }))
}
