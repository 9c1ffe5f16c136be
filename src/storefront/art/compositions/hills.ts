// A sun over three ridges.
import { disc } from "../shapes"
import { between, type Composition, type Mark, pick, type Tone } from "./composition"

export const hills: Composition = (random, width, height) => {
  const ridge = (tone: Tone, level: number): Mark => {
    const y = Math.round(height * level)
    const swell = Math.round(height * between(random, 0.08, 0.2)) * pick(random, [1, -1])
    const at = (share: number) => Math.round(width * share)
    return {
      tone,
      path: `M0 ${y}C${at(0.2)} ${y - swell} ${at(0.32)} ${y - swell} ${at(0.5)} ${y}S${at(0.82)} ${y + swell} ${width} ${y}V${height}H0z`,
    }
  }
  const size = Math.min(width, height)
  const sun = disc(
    width * between(random, 0.25, 0.75),
    height * between(random, 0.26, 0.36),
    size * between(random, 0.13, 0.2),
  )
  return [{ tone: 4, path: sun }, ridge(3, 0.5), ridge(2, 0.64), ridge(1, 0.8)]
}
