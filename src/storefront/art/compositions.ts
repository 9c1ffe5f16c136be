// Eight ways to fill a picture. Each works at any size: a wide picture holds more of the same subject, not a stretched one.
import { arch, block, disc, half, leaf, pebble, quarter, vessel } from "./shapes"

/** Index into the preset's five art colours, background first. */
type Tone = 0 | 1 | 2 | 3 | 4
export type Mark = { tone: Tone; path: string }
type Composition = (random: () => number, width: number, height: number) => Mark[]

const between = (random: () => number, low: number, high: number) => low + random() * (high - low)
const pick = <T>(random: () => number, choices: readonly [T, ...T[]]): T =>
  choices[Math.floor(random() * choices.length)] ?? choices[0]

/** The width of a subject. Three of them fill a panorama, so that one stands in the middle however it is cropped. */
const SUBJECT = 400

/** The middles of as many equal columns as a picture of this width should have. */
function columns(width: number): { x: number; span: number }[] {
  const count = Math.max(1, Math.round(width / SUBJECT))
  return Array.from({ length: count }, (_, index) => ({ x: (width / count) * (index + 0.5), span: width / count }))
}

const doorways: Composition = (random, width, height) => {
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

const sunrise: Composition = (random, width, height) => {
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

const cairn: Composition = (random, width, height) => {
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

const hills: Composition = (random, width, height) => {
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

const tiles: Composition = (random, width, height) => {
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

const totem: Composition = (random, width, height) => {
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

const stillLife: Composition = (random, width, height) => {
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

const sprigs: Composition = (random, width, height) => {
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
