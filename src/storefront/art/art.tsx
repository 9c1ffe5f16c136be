// A picture drawn from a name, in the theme's colours, for whatever has no photograph.
import { compositions, type Mark } from "./compositions"
import { randomFrom } from "./seed"

/** Drawing areas; what is outside of a picture's frame is cut off. */
const FORMATS = { tall: [400, 500], wide: [540, 400], panorama: [1200, 560] } as const
export type Format = keyof typeof FORMATS

/** Some pictures are printed on the pale colour instead of the background one. */
const SWAPPED = { 0: 3, 1: 1, 2: 2, 3: 0, 4: 4 } as const

/**
 * @param name of the product, post or shop; the same name always draws the same marks
 * @param width in drawing units
 * @param height in drawing units
 * @returns marks from back to front, the first covering the whole
 */
export function draw(name: string, width: number, height: number): Mark[] {
  const random = randomFrom(name)
  const compose = compositions[Math.floor(random() * compositions.length)] ?? compositions[0]
  const swapped = random() < 0.3
  const marks: Mark[] = [{ tone: 0, path: `M0 0h${width}v${height}H0z` }, ...compose(random, width, height)]
  return swapped ? marks.map(({ tone, path }) => ({ tone: SWAPPED[tone], path })) : marks
}

export function Art({ name, format }: { name: string; format: Format }) {
  const [width, height] = FORMATS[format]
  return (
    <svg viewBox={`0 0 ${width} ${height}`} preserveAspectRatio="xMidYMid slice" aria-hidden="true" focusable="false">
      {draw(name, width, height).map((mark) => (
        <path key={mark.path} class={`t${mark.tone}`} d={mark.path} />
      ))}
    </svg>
  )
}
