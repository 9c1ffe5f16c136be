// The multipart parser: any chunking yields the same parts, and malformed input fails.
import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { boundaryOf, MultipartError, readMultipart } from "../../src/lib/multipart"

const encoder = new TextEncoder()

/** Creates a byte stream in chunks of the given lengths, repeated. */
function createStream(bytes: Uint8Array, lengths: number[] = [bytes.length || 1]): ReadableStream<Uint8Array> {
  let offset = 0
  let chunkIndex = 0
  return new ReadableStream({
    type: "bytes",
    pull(controller) {
      const length = lengths[chunkIndex++ % lengths.length] ?? 1
      const chunk = bytes.slice(offset, offset + length)
      offset += chunk.length
      if (chunk.length) controller.enqueue(chunk)
      else {
        controller.close()
        controller.byobRequest?.respond(0)
      }
    },
  })
}

/** Reads all parts completely. */
async function readParts(body: ReadableStream<Uint8Array>, boundary = "b", limits = { parts: 100, bytes: 10_000_000 }) {
  const parts: { name: string; filename: string | null; text: string }[] = []
  for await (const part of readMultipart(body, boundary, limits)) {
    let text = ""
    for (let bytes = await part.read(); bytes; bytes = await part.read()) text += String.fromCharCode(...bytes)
    parts.push({ name: part.name, filename: part.filename, text })
  }
  return parts
}

const getFailureReason = (work: Promise<unknown>) =>
  work.then(
    () => "no error",
    (error: unknown) => (error instanceof MultipartError ? error.reason : String(error)),
  )

const part = (disposition: string, value: string) =>
  `--b\r\nContent-Disposition: form-data; ${disposition}\r\n\r\n${value}\r\n`

describe("readMultipart", () => {
  test("finds the same parts for any chunking", async () => {
    // Values consist of delimiter characters, so that chunks end inside partial delimiters.
    const value = fc.array(fc.constantFrom("\r", "\n", "-", "b", "\r\n--", "\r\n-", "x".repeat(200)), { maxLength: 40 })
    const values = fc.array(
      value.map((pieces) => pieces.join("").replaceAll("\r\n--b", "?")),
      { minLength: 1, maxLength: 5 },
    )
    const lengths = fc.array(fc.integer({ min: 1, max: 300 }), { minLength: 1, maxLength: 5 })
    await fc.assert(
      fc.asyncProperty(values, lengths, async (texts, sizes) => {
        const body = `${texts.map((text, index) => part(`name="f${index}"; filename="n"`, text)).join("")}--b--\r\n`
        const parts = await readParts(createStream(encoder.encode(body), sizes))
        expect(parts.map((found) => found.text)).toEqual(texts)
      }),
      { numRuns: 200 },
    )
  })

  test("reports every proper prefix of a form as truncated", async () => {
    const body = encoder.encode(`${part('name="a"; filename="a"', "one")}${part('name="c"', "two")}--b--`)
    for (let length = 0; length < body.length; length++) {
      expect(await getFailureReason(readParts(createStream(body.slice(0, length), [7]))), String(length)).toBe(
        "truncated",
      )
    }
    expect(await readParts(createStream(body))).toHaveLength(2)
  })

  test("parses any bytes into parts or a MultipartError", async () => {
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 300 }), fc.boolean(), async (noise, framed) => {
        const text = String.fromCharCode(...noise)
        const bytes = framed ? encoder.encode(`--b\r\n${text}\r\n\r\n${text}\r\n--b--`) : noise
        expect(["no error", "truncated", "malformed"]).toContain(
          await getFailureReason(readParts(createStream(bytes, [11]))),
        )
      }),
      { numRuns: 200 },
    )
  })

  test("ignores preamble, epilogue, padding after a delimiter and the case of header names", async () => {
    const body =
      'hello\r\n--b  \t\r\nX-Other: 1\r\ncontent-DISPOSITION: form-data; name="a"\r\n\r\none\r\n--b--\r\nbye --b'
    expect(await readParts(createStream(encoder.encode(body)))).toEqual([{ name: "a", filename: null, text: "one" }])
  })

  test("decodes names as browsers, curl and older clients encode them", async () => {
    const table: [disposition: string, name: string, filename: string | null][] = [
      ['name="file"; filename="a.txt"', "file", "a.txt"],
      ['filename="a.txt"; name="file"', "file", "a.txt"],
      ["name=file; filename=a.txt", "file", "a.txt"],
      ['name="file"; filename="a %22b%22 %41.txt"', "file", 'a "b" %41.txt'],
      ['name="file"; filename="a \\"b\\".txt"', "file", 'a "b".txt'],
      ['name="file"; filename="semi;colon=1.txt"', "file", "semi;colon=1.txt"],
      ['name="file"; filename=""', "file", ""],
      ["name=\"file\"; filename*=UTF-8''na%C3%AFve.txt", "file", "naïve.txt"],
      ["name=\"file\"; filename*=UTF-8''%zz", "file", null],
      ['name="größe"; filename="日本.txt"', "größe", "日本.txt"],
    ]
    for (const [disposition, name, filename] of table) {
      const [found] = await readParts(createStream(encoder.encode(`${part(disposition, "x")}--b--`)))
      expect(found, disposition).toEqual({ name, filename, text: "x" })
    }
    for (const headers of [
      "Content-Type: text/plain",
      "Content-Disposition: attachment; name=x",
      "Content-Disposition: form-data",
    ]) {
      const body = encoder.encode(`--b\r\n${headers}\r\n\r\nx\r\n--b--`)
      expect(await getFailureReason(readParts(createStream(body))), headers).toBe("malformed")
    }
  })

  test("skips the unread rest of a part", async () => {
    const body = encoder.encode(`${part('name="a"', "x".repeat(200_000))}${part('name="b"', "two")}--b--`)
    const names = []
    for await (const found of readMultipart(createStream(body), "b", { parts: 2, bytes: 1_000_000 })) {
      names.push(found.name)
      if (found.name === "a") await found.read()
    }
    expect(names).toEqual(["a", "b"])
  })

  test("fails for more parts or bytes than allowed", async () => {
    const body = encoder.encode(`${part('name="a"', "x")}${part('name="b"', "y")}--b--`)
    expect(await getFailureReason(readParts(createStream(body), "b", { parts: 1, bytes: 1000 }))).toBe("too_many_parts")
    expect(await getFailureReason(readParts(createStream(body), "b", { parts: 2, bytes: body.length - 1 }))).toBe(
      "too_large",
    )
    expect(await getFailureReason(readParts(createStream(body), "b", { parts: 2, bytes: body.length }))).toBe(
      "no error",
    )
  })
})

test("boundaryOf parses quoted and bare boundaries and rejects invalid ones", () => {
  const table: [header: string | undefined, boundary: string | null][] = [
    ["multipart/form-data; boundary=abc", "abc"],
    ['Multipart/Form-Data; charset=utf-8; Boundary="a b"', "a b"],
    ["multipart/form-data", null],
    ["multipart/form-data; boundary=", null],
    ['multipart/form-data; boundary=""', null],
    [`multipart/form-data; boundary=${"x".repeat(71)}`, null],
    ["multipart/mixed; boundary=abc", null],
    ["application/json", null],
    [undefined, null],
  ]
  for (const [header, boundary] of table) expect(boundaryOf(header), header).toBe(boundary)
})
