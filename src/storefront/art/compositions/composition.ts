// What a composition is, and the few moves that all of them make.

/** Index into the preset's five art colours, background first. */
export type Tone = 0 | 1 | 2 | 3 | 4
export type Mark = { tone: Tone; path: string }
export type Composition = (random: () => number, width: number, height: number) => Mark[]

export const between = (random: () => number, low: number, high: number) => low + random() * (high - low)
export const pick = <T>(random: () => number, choices: readonly [T, ...T[]]): T =>
  choices[Math.floor(random() * choices.length)] ?? choices[0]

/** The width of a subject. Three of them fill a panorama, so that one stands in the middle however it is cropped. */
const SUBJECT = 400

/** The middles of as many equal columns as a picture of this width should have. */
export function columns(width: number): { x: number; span: number }[] {
  const count = Math.max(1, Math.round(width / SUBJECT))
  return Array.from({ length: count }, (_, index) => ({ x: (width / count) * (index + 0.5), span: width / count }))
}
