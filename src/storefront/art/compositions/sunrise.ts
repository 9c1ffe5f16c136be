// A ringed sun on the horizon, and its reflection in bars.
import { block, half } from "../shapes"
import { between, type Composition, type Mark, pick, type Tone } from "./composition"

export const sunrise: Composition = (random, width, height) => {
  const horizon = height * between(random, 0.58, 0.7)
  const tones = pick<Tone[]>(random, [
    [3, 2, 4],
    [2, 3, 4],
    [3, 4],
  ])
  const outer = Math.min(width * 0.42, horizon * 0.82)
  const sun = tones.map((tone, ring): Mark => ({ tone, path: half(width / 2, horizon, outer * (1 - ring * 0.27), 0) }))
  const bars = [0.07, 0.045, 0.025].map((thickness, bar) =>
    block(0, horizon + ((height - horizon) * (bar + 0.42)) / 3.3 + height * 0.03, width, height * thickness),
  )
  return [...sun, { tone: 1, path: block(0, horizon, width, height * 0.03) + bars.join("") }]
}
