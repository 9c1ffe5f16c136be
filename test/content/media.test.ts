// Media library: folders, files, uploads, the trash, and deletion.
import { env } from "cloudflare:workers"
import { describe, expect, test, vi } from "vitest"
import { sweepMedia } from "../../src/content/media/sweep"
import { DAY } from "../../src/lib/time"
import { call, consume, isolate, run } from "../support/app"
import { checkedEnv } from "../support/checked-database"
import { content, hostOfStore, makeSettings } from "../support/content-factories"
import { costsOf } from "../support/costs"
import { makeReadyStore } from "../support/factories"
import { failNextSiteWrites } from "../support/faults"
import { makeServerKey, makeSiteKey } from "../support/key-factories"
import { listObjectKeys, type MediaClient, makeMediaClient, upload } from "../support/media-factories"
import { siteRows } from "../support/rows"

const makeFolder = async (media: MediaClient, name: string, parent_id = 0) =>
  (await media("POST", "/folders", { json: { name, parent_id } })).body.id as number

/** Builds a streamed form with a file of `size` bytes, and reports how much of it was read. */
function makeForm(size: number) {
  const boundary = "----form"
  const head = `--${boundary}\r\nContent-Disposition: form-data; name="file"; filename="a.bin"\r\n\r\n`
  const bytes = new TextEncoder().encode(`${head}${"x".repeat(size)}\r\n--${boundary}--\r\n`)
  let read = 0
  const body = new ReadableStream({
    type: "bytes",
    pull(controller) {
      controller.enqueue(bytes.slice(read, read + 65_536))
      read = Math.min(read + 65_536, bytes.length)
      if (read === bytes.length) controller.close()
    },
  })
  return { headers: { "Content-Type": `multipart/form-data; boundary=${boundary}` }, body, read: () => read }
}

describe("keys and rate limits", () => {
  test("returns 401 in the media envelope with rate-limit headers without a valid key", async () => {
    const requests: [string, string, Record<string, string>][] = [
      ["GET", "/media/files", {}],
      ["POST", "/media/folders", {}],
      ["GET", "/media/no-such-path", {}],
      ["PUT", "/media/files", {}],
      ["GET", "/media/files", { "X-API-KEY": `tns_abcdefgh_${"x".repeat(40)}` }],
      ["GET", "/media/files", { "X-API-KEY": "nonsense" }],
      ["GET", "/media/files", { Authorization: `Bearer ${await makeServerKey()}` }],
    ]
    for (const [method, path, headers] of requests) {
      const response = await content(method, path, { headers })
      expect(response.status, `${method} ${path}`).toBe(401)
      expect(response.body).toEqual({ message: expect.any(String), errors: {} })
      expect(response.headers.get("X-RateLimit-Limit")).toBe("60")
    }
  })

  test("limits requests per type of key and reports the limit in every response", async () => {
    const now = Date.now()
    for (const [key, limit] of [
      [await makeServerKey("central", "standard"), 60],
      [await makeServerKey("central", "internal"), 120],
      [await makeSiteKey(), 60],
    ] as const) {
      const headers = { "X-API-KEY": key }
      for (const [index, path] of ["/media/files", "/media/folders/999", "/media/folders"].entries()) {
        const response = await content("GET", path, { headers })
        expect(response.status).toBe(path.endsWith("999") ? 404 : 200)
        expect(response.headers.get("X-RateLimit-Limit")).toBe(String(limit))
        expect(response.headers.get("X-RateLimit-Remaining")).toBe(String(limit - index - 1))
      }
      const rest = Array.from({ length: limit - 3 }, () => content("GET", "/media/files", { headers }))
      expect((await Promise.all(rest)).every((response) => response.status === 200)).toBe(true)
      const refused = await content("GET", "/media/files", { headers })
      expect(refused.status).toBe(429)
      expect(refused.body).toEqual({ message: expect.any(String), errors: {} })
      expect(refused.headers.get("X-RateLimit-Remaining")).toBe("0")
      const reset = Number(refused.headers.get("X-RateLimit-Reset")) * 1000
      expect(reset).toBeGreaterThan(now)
      expect(reset).toBeLessThanOrEqual(Date.now() + 61_000)
      expect(Number(refused.headers.get("Retry-After"))).toBeGreaterThan(0)
      // Reads run in parallel with the rate-limit check, but even an invalid request waits for its result.
      const wrong = await Promise.all([1, 2, 3, 4].map(() => content("GET", "/media/files?folder_id=NaN", { headers })))
      expect(wrong.map(({ status }) => status)).toEqual([429, 429, 429, 429])
      const wrongMethod = await content("PUT", "/media/files", { headers })
      expect([wrongMethod.status, wrongMethod.headers.get("Allow")], "no header of the 405").toEqual([429, null])
      // A new isolate without cached refusals checks the limit in parallel with its work, and writes nothing either.
      isolate.env = checkedEnv()
      const write = await content("POST", "/media/folders", { headers, json: { name: "Refused" } })
      expect([write.status, write.body.errors]).toEqual([429, {}])
    }
    expect(await siteRows("select id from media_folders")).toEqual([])
  })

  test("neither reads nor stores an upload over the rate limit", async () => {
    const headers = { "X-API-KEY": await makeServerKey("central", "standard") }
    await Promise.all(Array.from({ length: 60 }, () => content("GET", "/media/files", { headers })))
    const logged = vi.spyOn(console, "error")
    const stores = [vi.spyOn(env.MEDIA, "put"), vi.spyOn(env.MEDIA, "createMultipartUpload")]
    // The first request is handled by an isolate without a cached refusal, the second one by an isolate with one.
    isolate.env = checkedEnv()
    for (const bytes of [100, 6_000_000]) {
      const form = makeForm(bytes)
      const response = await content("POST", "/media/files", {
        headers: { ...headers, ...form.headers },
        body: form.body,
      })
      expect([response.status, form.read()], JSON.stringify(bytes)).toEqual([429, 0])
    }
    for (const store of stores) expect(store).not.toHaveBeenCalled()
    expect(logged.mock.calls.filter(([line]) => String(line).includes("work behind the response failed"))).toEqual([])
    expect(await siteRows("select path from media_orphans")).toEqual([])
  })

  test("returns 404 and 405 in the media envelope for unknown paths and methods", async () => {
    const media = await makeMediaClient()
    const missing = await media("GET", "/nothing")
    expect(missing.status).toBe(404)
    expect(missing.body).toEqual({ message: "Not found.", errors: {} })
    const wrongMethod = await media("PUT", "/files")
    expect(wrongMethod.status).toBe(405)
    expect(wrongMethod.headers.get("Allow")).toContain("GET")
    expect(wrongMethod.body.errors).toEqual({})
  })
})

describe("folders", () => {
  test("creates, lists, reads and renames folders", async () => {
    const media = await makeMediaClient()
    const created = await media("POST", "/folders", { json: { name: "Été 2026" } })
    expect(created.status).toBe(201)
    expect(created.body).toEqual({
      id: expect.any(Number),
      name: "Été 2026",
      slug: "ete-2026",
      parent_id: 0,
      created_at: expect.stringMatching(/\+00:00$/),
      updated_at: expect.any(String),
    })
    const { id } = created.body
    const child = (await media("POST", "/folders", { json: { name: "inside", parent_id: String(id) } })).body
    expect((await media("GET", "/folders")).body).toEqual([created.body])
    expect((await media("GET", `/folders?folder_id=${id}`)).body).toEqual([child])
    expect((await media("GET", `/folders/${id}`)).body).toEqual({ ...created.body, files: [] })
    const renamed = await media("PATCH", `/folders/${id}`, { json: { name: "Summer" } })
    expect(renamed.body).toMatchObject({ id, name: "Summer", slug: "summer", parent_id: 0 })
    expect((await media("GET", "/folders?folder_id=999")).status).toBe(404)
  })

  test("returns 422 with the field's name for invalid folders", async () => {
    const media = await makeMediaClient()
    await makeFolder(media, "taken")
    const table: [json: unknown, field: string][] = [
      [{}, "name"],
      [{ name: "" }, "name"],
      [{ name: "Taken" }, "name"],
      [{ name: "../up" }, "name"],
      [{ name: "a/b" }, "name"],
      [{ name: "a\u202eb" }, "name"],
      [{ name: "a\u0000b" }, "name"],
      [{ name: "x".repeat(121) }, "name"],
      [{ name: 7 }, "name"],
      [{ name: "x", parent_id: 999 }, "parent_id"],
      [{ name: "x", parent_id: -1 }, "parent_id"],
      [{ name: "x", parent_id: "1e3" }, "parent_id"],
      [{ name: "x", parent_id: 2 ** 53 }, "parent_id"],
    ]
    for (const [json, field] of table) {
      const response = await media("POST", "/folders", { json })
      expect(response.status, JSON.stringify(json)).toBe(422)
      expect(Object.keys(response.body.errors), JSON.stringify(json)).toEqual([field])
    }
    const broken = await media("POST", "/folders", { body: "{", headers: { "Content-Type": "application/json" } })
    expect(broken.status).toBe(400)
    expect(broken.body).toEqual({ message: expect.any(String), errors: {} })
    expect(await siteRows("select count(*) as n from media_folders")).toEqual([{ n: 1 }])
  })

  test("returns 404 for unknown and malformed ids with every method", async () => {
    const media = await makeMediaClient()
    for (const id of ["999", "1e3", "-1", "0", "9007199254740993", "abc", "%00"]) {
      expect((await media("GET", `/folders/${id}`)).status, id).toBe(404)
      expect((await media("DELETE", `/folders/${id}`)).status, id).toBe(404)
      expect((await media("PATCH", `/folders/${id}/trash`)).status, id).toBe(404)
      expect((await media("PATCH", `/folders/${id}/restore`)).status, id).toBe(404)
      expect((await media("PATCH", `/folders/${id}`, { json: { name: "x" } })).status, id).toBe(404)
      expect((await media("DELETE", `/files/${id}`)).status, id).toBe(404)
      expect((await media("PATCH", `/files/${id}/trash`)).status, id).toBe(404)
    }
  })

  test("rejects moving a folder into itself, into a descendant, or to a parent where its name is taken", async () => {
    const media = await makeMediaClient()
    const a = await makeFolder(media, "a")
    const b = await makeFolder(media, "b", a)
    const c = await makeFolder(media, "c", b)
    for (const parent_id of [a, b, c, 999]) {
      const response = await media("PATCH", `/folders/${a}`, { json: { parent_id } })
      expect(response.status).toBe(422)
      expect(Object.keys(response.body.errors)).toEqual(["parent_id"])
    }
    await makeFolder(media, "C")
    const taken = await media("PATCH", `/folders/${c}`, { json: { parent_id: 0 } })
    expect(Object.keys(taken.body.errors)).toEqual(["name"])
    expect((await media("PATCH", `/folders/${c}`, { json: { parent_id: 0, name: "d" } })).status).toBe(200)
    expect((await media("PATCH", `/folders/${a}`, { json: { parent_id: c } })).status).toBe(200)
    // Two concurrent moves would create a cycle; one of them must fail.
    const [x, y] = [await makeFolder(media, "x"), await makeFolder(media, "y")]
    const moves = await Promise.all([
      media("PATCH", `/folders/${x}`, { json: { parent_id: y } }),
      media("PATCH", `/folders/${y}`, { json: { parent_id: x } }),
    ])
    expect(moves.map((move) => move.status).sort()).toEqual([200, 422])
  })

  test("rejects folders nested more than 30 levels deep", async () => {
    const media = await makeMediaClient()
    let parent = 0
    for (let depth = 1; depth <= 30; depth++) parent = await makeFolder(media, "in", parent)
    expect((await media("POST", "/folders", { json: { name: "in", parent_id: parent } })).status).toBe(422)
  })

  test("rejects moving a folder where its subfolders would be more than 30 levels deep", async () => {
    const media = await makeMediaClient()
    let parent = 0
    for (let depth = 1; depth <= 28; depth++) parent = await makeFolder(media, "in", parent)
    const moved = await makeFolder(media, "moved")
    const child = await makeFolder(media, "child", moved)
    const grandchild = await makeFolder(media, "grandchild", child)
    const move = (id: number) => media("PATCH", `/folders/${id}`, { json: { parent_id: parent } })
    const refused = await move(moved)
    expect([refused.status, Object.keys(refused.body.errors)]).toEqual([422, ["parent_id"]])
    await media("DELETE", `/folders/${grandchild}`)
    expect((await move(moved)).status).toBe(200)
  })

  test("creates only one of two folders with the same name requested concurrently", async () => {
    const media = await makeMediaClient()
    const responses = await Promise.all(["same", "SAME"].map((name) => media("POST", "/folders", { json: { name } })))
    expect(responses.map((response) => response.status).sort()).toEqual([201, 422])
    expect(await siteRows("select count(*) as n from media_folders")).toEqual([{ n: 1 }])
  })
})

describe("uploads", () => {
  test("stores a file with the media type of its bytes and lists it in its folder", async () => {
    const media = await makeMediaClient()
    const folder = await makeFolder(media, "pictures")
    const response = await upload(media, "Été à Paris.PNG", PNG, folder)
    expect(response.status).toBe(201)
    expect(response.body).toEqual({
      id: expect.any(Number),
      alt: null,
      name: "Été à Paris.PNG",
      url: expect.stringMatching(/^https:\/\/localhost\/media\/[0-9A-Z]{26}\/ete-a-paris\.png$/),
      size: PNG.length,
      mime_type: "image/png",
      folder_id: folder,
      created_at: expect.any(String),
    })
    expect((await media("GET", `/files?folder_id=${folder}`)).body).toEqual([response.body])
    expect((await media("GET", `/folders/${folder}`)).body.files).toEqual([response.body])
    const file = `/files/${response.body.id}`
    const described = await media("PATCH", file, { json: { alt: " Summer in Paris " } })
    expect(described.body).toEqual({ ...response.body, alt: "Summer in Paris" })
    expect((await media("PATCH", file, { json: { alt: "" } })).body).toEqual(response.body)
    expect((await media("GET", "/files")).body).toEqual([])
    expect(await listObjectKeys()).toHaveLength(1)
    expect(await siteRows("select count(*) as n from media_orphans")).toEqual([{ n: 0 }])
    expect(await siteRows("select total from counters where list = 'media_bytes'")).toEqual([{ total: PNG.length }])
  })

  test("accepts form fields in any order and ignores unknown ones", async () => {
    const media = await makeMediaClient()
    const folder = await makeFolder(media, "pictures")
    for (const order of [
      ["folder_id", "file"],
      ["file", "folder_id"],
      ["note", "file", "folder_id"],
    ]) {
      const form = new FormData()
      for (const field of order) {
        if (field === "file") form.set(field, new Blob(["hello"]), "hello.txt")
        else form.set(field, field === "note" ? "y".repeat(50_000) : String(folder))
      }
      expect((await media("POST", "/files", { body: form })).body.folder_id, order.join()).toBe(folder)
    }
  })

  test("derives the media type from the bytes, not from the name or the client", async () => {
    const media = await makeMediaClient()
    const table: [name: string, bytes: string | Uint8Array<ArrayBuffer>, type: string][] = [
      ["page.png", "<!DOCTYPE html><script>alert(1)</script>", "text/html"],
      ["page.jpg", "  \n<ScRiPt>alert(1)</script>", "text/html"],
      ["comment.txt", "<!-- x --><b>hi</b>", "text/html"],
      ["drawing.png", '<?xml version="1.0"?><svg xmlns="http://www.w3.org/2000/svg"><script/></svg>', "image/svg+xml"],
      ["feed.svg", '<?xml version="1.0"?><rss/>', "text/xml"],
      ["pixel.html", PNG, "image/png"],
      ["photo", new Uint8Array([0xff, 0xd8, 0xff, 0xe0, 0]), "image/jpeg"],
      ["a.gif", "GIF89a....", "image/gif"],
      ["a.webp", "RIFF\0\0\0\0WEBPVP8 ", "image/webp"],
      ["a.pdf", "%PDF-1.7", "application/pdf"],
      ["a.mp4", "\0\0\0\x20ftypisom", "video/mp4"],
      ["report.docx", "PK\x03\x04rest", "application/vnd.openxmlformats-officedocument.wordprocessingml.document"],
      ["app.apk", "PK\x03\x04rest", "application/zip"],
      ["table.csv", "a,b\n1,2\n", "text/csv"],
      ["script.js", "alert(1)", "text/plain"],
      ["notes.txt", "Grüße, 世界", "text/plain"],
      ["noise.bin", new Uint8Array([1, 2, 3, 0, 255]), "application/octet-stream"],
    ]
    for (const [name, bytes, type] of table) {
      expect((await upload(media, name, bytes)).body.mime_type, name).toBe(type)
    }
  })

  test("sanitises file names", async () => {
    const media = await makeMediaClient()
    const table: [original: string, name: string][] = [
      ["../../etc/passwd", "passwd"],
      ["..\\..\\boot.ini", "boot.ini"],
      ["a\u0000b\u0007.txt", "ab.txt"],
      ["invoice\u202egpj.exe", "invoicegpj.exe"],
      ["...hidden", "hidden"],
      ["..", "file"],
      ["", "file-1"],
      ['qu"ote<>|.txt', "qu-ote---.txt"],
      ["e\u0301te\u0301.txt", "été.txt"],
      ["👩‍👩‍👧.png", "👩‍👩‍👧.png"],
      [`${"x".repeat(300)}.jpeg`, `${"x".repeat(195)}.jpeg`],
      ["日本語のファイル.txt", "日本語のファイル.txt"],
    ]
    for (const [original, name] of table) {
      const body = rawForm([
        `form-data; name="file"; filename="${original.replace(/\\/g, "\\\\").replace(/"/g, "%22")}"`,
        "x",
      ])
      const response = await media("POST", "/files", body)
      expect(response.status, original).toBe(201)
      expect(response.body.name, original).toBe(name)
      expect((await call("GET", new URL(response.body.url).pathname)).status, original).toBe(200)
    }
    for (const key of await listObjectKeys()) expect(key).toMatch(/^central\/[0-9A-Z]{26}\/[^/\\\p{Cc}]+$/u)
  })

  test("numbers files whose name is taken, also for concurrent uploads", async () => {
    const media = await makeMediaClient()
    const responses = await Promise.all(Array.from({ length: 6 }, () => upload(media, "Photo.png", PNG)))
    expect(responses.map((response) => response.status)).toEqual(Array(6).fill(201))
    expect(responses.map((response) => response.body.name).sort()).toEqual([
      "Photo-1.png",
      "Photo-2.png",
      "Photo-3.png",
      "Photo-4.png",
      "Photo-5.png",
      "Photo.png",
    ])
    expect((await upload(media, "photo.PNG", PNG)).body.name).toBe("photo-6.PNG")
    expect((await upload(media, "Photo.png", PNG, await makeFolder(media, "x"))).body.name).toBe("Photo.png")
  })

  test("rejects malformed forms and leaves neither rows nor bytes", async () => {
    const media = await makeMediaClient()
    const part = '--b\r\nContent-Disposition: form-data; name="file"; filename="a.txt"\r\n\r\n'
    const table: [name: string, status: number, body: string, type?: string][] = [
      ["no boundary", 400, `${part}x\r\n--b--\r\n`, "multipart/form-data"],
      ["another media type", 415, "{}", "application/json"],
      ["an empty body", 400, ""],
      ["truncated in the file", 400, `${part}half a fi`],
      ["truncated after the file", 400, `${part}x\r\n--b`],
      ["truncated in the headers", 400, "--b\r\nContent-Disp"],
      ["another boundary", 400, `${part.replace("--b", "--c")}x\r\n--c--\r\n`],
      ["a part without a name", 400, "--b\r\nContent-Type: text/plain\r\n\r\nx\r\n--b--\r\n"],
      ["endless headers", 400, `--b\r\nX: ${"y".repeat(40_000)}\r\n\r\nx\r\n--b--\r\n`],
      [
        "ten thousand parts",
        400,
        `${'--b\r\nContent-Disposition: form-data; name="x"\r\n\r\ny\r\n'.repeat(10_000)}--b--\r\n`,
      ],
      ["no file", 422, '--b\r\nContent-Disposition: form-data; name="folder_id"\r\n\r\n0\r\n--b--\r\n'],
      ["no part at all", 422, "--b--\r\n"],
      ["an empty file", 422, `${part}\r\n--b--\r\n`],
      ["a file that is a text field", 422, '--b\r\nContent-Disposition: form-data; name="file"\r\n\r\nx\r\n--b--\r\n'],
      ["two files", 422, `${part}x\r\n${part}y\r\n--b--\r\n`],
      [
        "a folder that is not there",
        422,
        `${part}x\r\n--b\r\nContent-Disposition: form-data; name="folder_id"\r\n\r\n999\r\n--b--\r\n`,
      ],
      [
        "a folder id that is not a number",
        422,
        `${part}x\r\n--b\r\nContent-Disposition: form-data; name="folder_id"\r\n\r\n1e3\r\n--b--\r\n`,
      ],
      [
        "a folder id without end",
        422,
        `${part}x\r\n--b\r\nContent-Disposition: form-data; name="folder_id"\r\n\r\n${"1".repeat(5000)}\r\n--b--\r\n`,
      ],
    ]
    for (const [name, status, body, type = "multipart/form-data; boundary=b"] of table) {
      const response = await media("POST", "/files", { body, headers: { "Content-Type": type } })
      expect(response.status, name).toBe(status)
      expect(response.body, name).toEqual({ message: expect.any(String), errors: expect.any(Object) })
    }
    expect(await siteRows("select count(*) as n from media_files")).toEqual([{ n: 0 }])
    await run((ctx) => sweepMedia(ctx, "SITES_1"), { now: new Date(Date.now() + 1000) })
    expect(await listObjectKeys()).toEqual([])
    expect(await siteRows("select count(*) as n from media_orphans")).toEqual([{ n: 0 }])
  })

  test("accepts a file at the size limit and returns 413 above it, with and without Content-Length", async () => {
    const media = await makeMediaClient()
    const limit = { MEDIA_MAX_BYTES: "300000" }
    const send = (bytes: number, stream = false) => {
      const { body, headers } = rawForm(['form-data; name="file"; filename="a.bin"', "x".repeat(bytes)])
      const source = stream ? new Response(body).body : body
      return media("POST", "/files", { body: source as BodyInit, headers, env: limit })
    }
    expect((await send(300_000)).status).toBe(201)
    expect((await send(300_001)).status).toBe(413)
    expect((await send(300_000, true)).status).toBe(201)
    expect((await send(300_001, true)).status).toBe(413)
    const huge = await send(700_000)
    expect(huge.status).toBe(413)
    expect(huge.body).toEqual({ message: expect.any(String), errors: {} })
  })

  test("stores multipart uploads byte for byte, also at part boundaries", async () => {
    const media = await makeMediaClient()
    const part = 5 * 1024 * 1024
    for (const size of [part - 1, part, part + 1, 2 * part, 2 * part + 12_345]) {
      const bytes = new Uint8Array(size)
      for (let at = 0; at < size; at += 65_536) crypto.getRandomValues(bytes.subarray(at, at + 65_536))
      const response = await upload(media, "noise.bin", bytes)
      expect(response.body.size).toBe(size)
      const key = (await siteRows("select path from media_files where id = ?", response.body.id))[0]?.path
      const object = await env.MEDIA.get(`central/${key}`)
      const stored = new Uint8Array((await object?.arrayBuffer()) ?? new ArrayBuffer(0))
      expect(await digest(stored)).toBe(await digest(bytes))
    }
  })

  test("stores content that resembles a form boundary", async () => {
    const media = await makeMediaClient()
    const tricky = "\r\n--\r\n--b\r\n--boundar\r\n-\r\r\n--boundarx--\r\n".repeat(5000)
    const response = await media("POST", "/files", rawForm(['form-data; name="file"; filename="a.txt"', tricky]))
    expect(response.body.size).toBe(tricky.length)
  })
})

describe("renaming and moving files", () => {
  test("does not change a file's URL, and numbers a name that is taken", async () => {
    const media = await makeMediaClient()
    const folder = await makeFolder(media, "f")
    const first = (await upload(media, "a.txt", "one")).body
    const second = (await upload(media, "b.txt", "two", folder)).body
    const renamed = await media("PATCH", `/files/${first.id}`, { json: { name: "../B.txt" } })
    expect(renamed.body).toEqual({ ...first, name: "B.txt" })
    const moved = await media("PATCH", `/files/${first.id}`, { json: { folder_id: folder } })
    expect(moved.body).toEqual({ ...first, name: "B-1.txt", folder_id: folder })
    expect((await media("PATCH", `/files/${second.id}`, { json: {} })).body).toEqual(second)
    expect((await media("PATCH", `/files/${second.id}`, { json: { folder_id: 999 } })).status).toBe(422)
    expect((await media("PATCH", "/files/999", { json: { name: "x" } })).status).toBe(404)
    expect((await call("GET", new URL(first.url).pathname)).text).toBe("one")
  })
})

describe("listing files", () => {
  test("lists files in pages, newest first, and caps the page size", async () => {
    const media = await makeMediaClient()
    for (let i = 1; i <= 12; i++) await upload(media, `${i}.txt`, "x")
    const names = async (query: string) =>
      (await media("GET", `/files?${query}`)).body.map((file: { name: string }) => file.name)
    expect(await names("limit=5")).toEqual(["12.txt", "11.txt", "10.txt", "9.txt", "8.txt"])
    expect(await names("limit=5&page=3")).toEqual(["2.txt", "1.txt"])
    expect(await names("page=4")).toEqual([])
    expect(await names("limit=9999")).toHaveLength(12)
    for (const query of ["limit=x", "page=0", "folder_id=abc", "folder_id=-1"]) {
      expect((await media("GET", `/files?${query}`)).status, query).toBe(422)
    }
    expect((await media("GET", "/files?folder_id=999")).status).toBe(404)
  })
})

describe("the trash", () => {
  test("hides the contents of a trashed folder and shows them again after it is restored", async () => {
    const media = await makeMediaClient()
    const outer = await makeFolder(media, "outer")
    const inner = await makeFolder(media, "inner", outer)
    const file = (await upload(media, "a.txt", "x", inner)).body
    const served = async () => (await call("GET", new URL(file.url).pathname)).status
    expect(await served()).toBe(200)
    const trashed = await media("PATCH", `/folders/${outer}/trash`)
    expect(trashed.status).toBe(200)
    expect(trashed.body).toEqual({ message: expect.any(String) })
    expect((await media("PATCH", `/folders/${outer}/trash`)).status).toBe(200)
    expect((await media("GET", "/folders")).body).toEqual([])
    for (const path of [
      `/folders/${outer}`,
      `/folders/${inner}`,
      `/files?folder_id=${inner}`,
      `/folders?folder_id=${inner}`,
    ]) {
      expect((await media("GET", path)).status, path).toBe(404)
    }
    expect(await served()).toBe(404)
    expect((await upload(media, "b.txt", "x", inner)).status).toBe(422)
    expect((await media("POST", "/folders", { json: { name: "x", parent_id: inner } })).status).toBe(422)
    expect((await media("GET", "/folders?trashed=1")).body.map((folder: { id: number }) => folder.id)).toEqual([outer])
    await makeFolder(media, "Outer")
    const restored = await media("PATCH", `/folders/${outer}/restore`)
    expect(restored.body).toMatchObject({ id: outer, name: "outer-1", parent_id: 0 })
    expect(await served()).toBe(200)
    expect((await media("PATCH", `/folders/${outer}/restore`)).status).toBe(200)
    await media("PATCH", `/folders/${outer}/trash`)
    const twice = await Promise.all([1, 2].map(() => media("PATCH", `/folders/${outer}/restore`)))
    expect(twice.map(({ body }) => body.name)).toEqual(["outer-1", "outer-1"])
  })

  test("hides a trashed file and restores it under an available name", async () => {
    const media = await makeMediaClient()
    const folder = await makeFolder(media, "f")
    const file = (await upload(media, "a.txt", "x", folder)).body
    expect((await media("PATCH", `/files/${file.id}/trash`)).status).toBe(200)
    expect((await media("GET", `/files?folder_id=${folder}`)).body).toEqual([])
    expect((await media("PATCH", `/files/${file.id}`, { json: { name: "z" } })).status).toBe(404)
    expect((await media("GET", "/files?trashed=1")).body).toHaveLength(1)
    expect((await call("GET", new URL(file.url).pathname)).status).toBe(404)
    await upload(media, "a.txt", "y", folder)
    expect((await media("PATCH", `/files/${file.id}/restore`)).body).toMatchObject({
      name: "a-1.txt",
      folder_id: folder,
    })
    await media("PATCH", `/files/${file.id}/trash`)
    await media("PATCH", `/folders/${folder}/trash`)
    expect((await media("PATCH", `/files/${file.id}/restore`)).body).toMatchObject({ name: "a-1.txt", folder_id: 0 })
    expect((await call("GET", new URL(file.url).pathname)).text).toBe("x")
  })
})

describe("deletion", () => {
  test("hides a deleted file at once and deletes its bytes in the sweep", async () => {
    const media = await makeMediaClient()
    const file = (await upload(media, "a.txt", "x")).body
    await media("PATCH", `/files/${file.id}/trash`)
    const deleted = await media("DELETE", `/files/${file.id}`)
    expect(deleted.status).toBe(200)
    expect(deleted.body).toEqual({ message: expect.any(String) })
    expect((await call("GET", new URL(file.url).pathname)).status).toBe(404)
    expect((await media("DELETE", `/files/${file.id}`)).status).toBe(404)
    expect(env.SLOW_JOB_QUEUE.send).toHaveBeenCalledWith({ job: "media", database: "SITES_1" })
    expect(await listObjectKeys()).toHaveLength(1)
    await consume("tenancy-slow-jobs", [{ job: "media", database: "SITES_1" }])
    expect(await listObjectKeys()).toEqual([])
    expect(await siteRows("select count(*) as n from media_orphans")).toEqual([{ n: 0 }])
    expect(await siteRows("select total from counters where list = 'media_bytes'")).toEqual([{ total: 0 }])
  })

  test("deletes a folder with its contents, including trashed ones, and resumes after a failed sweep", async () => {
    const media = await makeMediaClient()
    const outer = await makeFolder(media, "outer")
    const inner = await makeFolder(media, "inner", outer)
    const files = [await upload(media, "a.txt", "x", outer), await upload(media, "b.txt", "x", inner)]
    await upload(media, "kept.txt", "x")
    await media("PATCH", `/files/${files[1]?.body.id}/trash`)
    const trashed = await makeFolder(media, "trashed", inner)
    await media("PATCH", `/folders/${trashed}/trash`)
    expect((await media("DELETE", `/folders/${outer}`)).status).toBe(200)
    for (const path of [`/folders/${outer}`, `/folders/${inner}`, `/files?folder_id=${inner}`]) {
      expect((await media("GET", path)).status, path).toBe(404)
    }
    expect((await media("PATCH", `/files/${files[1]?.body.id}/restore`)).status).toBe(404)
    expect((await media("DELETE", `/files/${files[0]?.body.id}`)).status).toBe(404)
    expect((await media("DELETE", `/folders/${inner}`)).status).toBe(404)
    expect((await call("GET", new URL(files[0]?.body.url).pathname)).status).toBe(404)
    await makeFolder(media, "outer")
    // The bucket fails once during the sweep.
    const spy = vi.spyOn(env.MEDIA, "delete").mockRejectedValueOnce(new Error("R2 is down"))
    await expect(run((ctx) => sweepMedia(ctx, "SITES_1"))).rejects.toThrow("R2 is down")
    expect(await listObjectKeys()).toHaveLength(3)
    await run((ctx) => sweepMedia(ctx, "SITES_1"), { now: new Date(Date.now() + DAY) })
    spy.mockRestore()
    expect(await listObjectKeys()).toHaveLength(1)
    expect(await siteRows("select name from media_folders")).toEqual([{ name: "outer" }])
    expect(await siteRows("select name from media_files")).toEqual([{ name: "kept.txt" }])
    expect(await siteRows("select count(*) as n from media_orphans")).toEqual([{ n: 0 }])
  })

  test("deletes all or none in bulk, accepts string and duplicate ids, and returns 422 for unknown ones", async () => {
    const media = await makeMediaClient()
    const files = []
    for (let i = 0; i < 3; i++) files.push((await upload(media, `${i}.txt`, "x")).body.id)
    const folders = [await makeFolder(media, "a"), await makeFolder(media, "b")]
    folders.push(await makeFolder(media, "c", folders[0]))
    for (const [path, json] of [
      ["/files/deletes", { files: [...files, 999] }],
      ["/folders/deletes", { folders: [...folders, 999] }],
    ] as const) {
      const response = await media("POST", path, { json })
      expect(response.status).toBe(422)
      expect(Object.keys(response.body.errors)).toEqual(Object.keys(json))
    }
    expect((await media("GET", "/files")).body).toHaveLength(3)
    expect((await media("GET", "/folders")).body).toHaveLength(2)
    const texts = [...files.map(String), files[0]]
    expect((await media("POST", "/files/deletes", { json: { files: texts } })).body).toEqual({
      message: expect.any(String),
    })
    expect((await media("POST", "/folders/deletes", { json: { folders } })).status).toBe(200)
    expect((await media("GET", "/files")).body).toEqual([])
    expect((await media("GET", "/folders")).body).toEqual([])
    await run((ctx) => sweepMedia(ctx, "SITES_1"))
    expect(
      await siteRows("select (select count(*) from media_files) + (select count(*) from media_folders) as n"),
    ).toEqual([{ n: 0 }])
  })

  test("returns 422 for invalid bulk bodies", async () => {
    const media = await makeMediaClient()
    for (const files of [undefined, [], "1", [1.5], [-1], ["1e3"], [2 ** 53], [null], Array(5001).fill(1)]) {
      expect(
        (await media("POST", "/files/deletes", { json: { files } })).status,
        JSON.stringify(files)?.slice(0, 20),
      ).toBe(422)
    }
  })

  test("deletes thousands of files in one request and a folder of any size in several sweep steps", async () => {
    const media = await makeMediaClient()
    const folder = await makeFolder(media, "big")
    await env.SITES_1.prepare(
      `with recursive n (i) as (select 1 union all select i + 1 from n where i < 5000)
       insert into media_files (site_id, folder_id, name, name_key, path, size, mime_type, etag, created_at, updated_at)
       select 'central', ?, i, i, 'x/' || i, 1, 'text/plain', '"e"', 0, 0 from n`,
    )
      .bind(folder)
      .run()
    const ids = (await siteRows("select id from media_files")).map((row) => row.id)
    expect((await media("POST", "/files/deletes", { json: { files: [...ids.slice(1), 99_999] } })).status).toBe(422)
    const costs = await costsOf(() => media("POST", "/files/deletes", { json: { files: ids.slice(0, 2500) } }))
    expect(costs.roundTrips).toBe(2 + BACKGROUND_ROUND_TRIPS)
    expect((await media("DELETE", `/folders/${folder}`)).status).toBe(200)
    await run((ctx) => sweepMedia(ctx, "SITES_1"))
    expect(
      await siteRows("select (select count(*) from media_files) + (select count(*) from media_orphans) as n"),
    ).toEqual([{ n: 0 }])
  })

  test("deletes the bytes of an interrupted upload after a day", async () => {
    const media = await makeMediaClient()
    // The first write records the orphan. The second one inserts the file, and is retried once.
    const put = failNextSiteWrites(2, 2)
    expect((await upload(media, "a.txt", "x")).status).toBe(503)
    put.mockRestore()
    expect(await listObjectKeys()).toHaveLength(1)
    await run((ctx) => sweepMedia(ctx, "SITES_1"), { now: new Date(Date.now() + 1000) })
    expect(await listObjectKeys()).toEqual([])
    await env.MEDIA.put("central/y/z.txt", "left behind")
    await env.SITES_1.prepare("insert into media_orphans (site_id, path, due_at) values ('central', 'y/z.txt', ?)")
      .bind(Date.now() + DAY)
      .run()
    await run((ctx) => sweepMedia(ctx, "SITES_1"))
    expect(await listObjectKeys()).toHaveLength(1)
    await run((ctx) => sweepMedia(ctx, "SITES_1"), { now: new Date(Date.now() + DAY + 1) })
    expect(await listObjectKeys()).toEqual([])
  })
})

describe("isolation between sites", () => {
  test("returns 401, 404 or 422 for keys and ids of another site", async () => {
    const [mine, theirs] = [await makeReadyStore(), await makeReadyStore()]
    const [media, foreign] = [await makeMediaClient(mine), await makeMediaClient(theirs)]
    const folder = await makeFolder(foreign, "secret")
    const file = (await upload(foreign, "secret.txt", "treasure", folder)).body
    const requests: [method: string, path: string, json: unknown, status: number][] = [
      ["GET", `/folders/${folder}`, undefined, 404],
      ["GET", `/folders?folder_id=${folder}`, undefined, 404],
      ["GET", `/files?folder_id=${folder}`, undefined, 404],
      ["PATCH", `/folders/${folder}`, { name: "mine" }, 404],
      ["PATCH", `/folders/${folder}/trash`, undefined, 404],
      ["PATCH", `/folders/${folder}/restore`, undefined, 404],
      ["DELETE", `/folders/${folder}`, undefined, 404],
      ["PATCH", `/files/${file.id}`, { name: "mine" }, 404],
      ["PATCH", `/files/${file.id}/trash`, undefined, 404],
      ["PATCH", `/files/${file.id}/restore`, undefined, 404],
      ["DELETE", `/files/${file.id}`, undefined, 404],
      ["POST", "/files/deletes", { files: [file.id] }, 422],
      ["POST", "/folders/deletes", { folders: [folder] }, 422],
      ["POST", "/folders", { name: "x", parent_id: folder }, 422],
    ]
    for (const [method, path, json, status] of requests) {
      expect((await media(method, path, { json })).status, `${method} ${path}`).toBe(status)
    }
    expect((await upload(media, "x.txt", "x", folder)).status).toBe(422)
    const own = (await upload(media, "x.txt", "x")).body
    expect((await media("PATCH", `/files/${own.id}`, { json: { folder_id: folder } })).status).toBe(422)
    const key = await makeServerKey(theirs)
    const crossed = await content("GET", "/media/files", { host: hostOfStore(mine), headers: { "X-API-KEY": key } })
    expect(crossed.status).toBe(401)
    const { pathname } = new URL(file.url)
    expect((await call("GET", pathname, { host: hostOfStore(mine) })).status).toBe(404)
    expect((await call("GET", pathname)).status).toBe(404)
    expect((await call("GET", pathname, { host: hostOfStore(theirs) })).text).toBe("treasure")
  })
})

describe("costs", () => {
  test("the media API reads in two round trips and writes in three", async () => {
    const store = await makeReadyStore()
    const media = await makeMediaClient(store)
    const folder = await makeFolder(media, "f")
    const file = (await upload(media, "a.txt", "x")).body
    const reads = ["/folders", "/files", `/folders/${folder}`, "/files?trashed=1"]
    for (const path of reads) {
      expect((await costsOf(() => media("GET", path))).roundTrips, path).toBeLessThanOrEqual(2)
    }
    const writes: [string, string, unknown?][] = [
      ["POST", "/folders", { name: "g" }],
      ["PATCH", `/folders/${folder}`, { name: "h" }],
      ["PATCH", `/folders/${folder}/trash`],
      ["PATCH", `/folders/${folder}/restore`],
      ["PATCH", `/files/${file.id}`, { name: "b.txt" }],
      ["PATCH", `/files/${file.id}/trash`],
      ["PATCH", `/files/${file.id}/restore`],
      ["DELETE", `/files/${file.id}`],
      ["DELETE", `/folders/${folder}`],
    ]
    for (const [method, path, json] of writes) {
      expect((await costsOf(() => media(method, path, { json }))).roundTrips, `${method} ${path}`).toBeLessThanOrEqual(
        3 + BACKGROUND_ROUND_TRIPS,
      )
    }
    // The orphan row is written while the bytes arrive, so only three round trips are sequential: key, bytes, row.
    expect((await costsOf(() => upload(media, "c.txt", "x"))).roundTrips).toBe(3 + BACKGROUND_ROUND_TRIPS)
  })
})

describe("site settings", () => {
  test("returns 503 in the content API's envelope when the API is switched off", async () => {
    await makeSettings("central", { apiEnabled: false })
    const response = await content("GET", "/media/files", { headers: { "X-API-KEY": await makeServerKey() } })
    expect(response.status).toBe(503)
    expect(response.body).toEqual({ error: true, data: null, message: expect.any(String) })
  })
})

/** Round trips in the background that copy the audit entry to the central database. */
const BACKGROUND_ROUND_TRIPS = 3

const PNG = Uint8Array.from(
  atob("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg=="),
  (c) => c.charCodeAt(0),
)

/** Builds the raw body of a form with one part. */
const rawForm = ([disposition, value]: [string, string]) => ({
  body: `--boundary\r\nContent-Disposition: ${disposition}\r\n\r\n${value}\r\n--boundary--\r\n`,
  headers: { "Content-Type": "multipart/form-data; boundary=boundary" },
})

const digest = async (bytes: Uint8Array<ArrayBuffer>) =>
  new Uint8Array(await crypto.subtle.digest("SHA-256", bytes)).toHex()
