// Renders a gradient as a PNG (second edition, truecolour).
import { crc32, deflateSync } from "node:zlib"

const WIDTH = 480
const HEIGHT = 320

/**
 * Renders a PNG.
 * @param hue of the color, 0 to 360
 */
export function renderPicture(hue: number): Uint8Array<ArrayBuffer> {
  const lines = Array.from({ length: HEIGHT }, (_, y) => [
    0, // unfiltered
    ...Array.from({ length: WIDTH }, (_, x) => getColor(hue + x / 20, 0.35 + (0.5 * y) / HEIGHT)).flat(),
  ])
  const header = Buffer.alloc(13)
  header.writeUInt32BE(WIDTH, 0)
  header.writeUInt32BE(HEIGHT, 4)
  header.set([8, 2], 8) // eight bits a channel, red green blue
  return new Uint8Array(
    Buffer.concat([
      Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]),
      buildChunk("IHDR", header),
      buildChunk("IDAT", deflateSync(Buffer.from(lines.flat()))),
      buildChunk("IEND", Buffer.alloc(0)),
    ]),
  )
}

function buildChunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, "latin1"), data])
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)]
  length.writeUInt32BE(data.length)
  sum.writeUInt32BE(crc32(body))
  return Buffer.concat([length, body, sum])
}

/** Converts a color of medium saturation from HSL to RGB (CSS Color 4). */
function getColor(hue: number, light: number): [number, number, number] {
  const part = (n: number) => {
    const k = (n + hue / 30) % 12
    return Math.round(255 * (light - 0.45 * Math.min(light, 1 - light) * Math.max(-1, Math.min(k - 3, 9 - k, 1))))
  }
  return [part(0), part(8), part(4)]
}
