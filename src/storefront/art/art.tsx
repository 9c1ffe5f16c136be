// Draws generated art from a name, in the theme's colors, for items without a picture.
import { compositions, type Mark } from "./compositions"
import { randomFrom } from "./seed"

/** Width and height of the drawing per format. The frame crops the rest. */
const FORMATS = { tall: [400, 500], wide: [540, 400], panorama: [1200, 560] } as const
export type Format = keyof typeof FORMATS

/** Tone mapping of the inverted variant, which swaps the background and the pale color. */
const SWAPPED_TONES = { 0: 3, 1: 1, 2: 2, 3: 0, 4: 4 } as const

/**
 * Draws the art of a name. The same name always produces the same marks.
 * @param name name of the product, post or shop
 * @param width in drawing units
 * @param height in drawing units
 * @returns the marks from back to front; the first is the background
 */
export function drawMarks(name: string, width: number, height: number): Mark[] {
  const random = randomFrom(name)
  const compose = compositions[Math.floor(random() * compositions.length)] ?? compositions[0]
  const swapped = random() < 0.3
  const marks: Mark[] = [{ tone: 0, path: `M0 0h${width}v${height}H0z` }, ...compose(random, width, height)]
  return swapped ? marks.map(({ tone, path }) => ({ tone: SWAPPED_TONES[tone], path })) : marks
}

export function Art({ name, format }: { name: string; format: Format }) {
  const [width, height] = FORMATS[format]
  return (
    <svg viewBox={`0 0 ${width} ${height}`} preserveAspectRatio="xMidYMid slice" aria-hidden="true" focusable="false">
      {drawMarks(name, width, height).map((mark) => (
        <path key={mark.path} class={`t${mark.tone}`} d={mark.path} />
      ))}
    </svg>
  )
}
