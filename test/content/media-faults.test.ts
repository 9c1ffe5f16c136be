// A bucket that fails under an upload, at each of its calls, before or after it did what it was asked: there is a record with its bytes or
// none, and the sweep leaves no byte that nobody knows and no room that nothing takes.
import { env } from "cloudflare:workers"
import { expect, test, vi } from "vitest"
import { sweepAllMedia } from "../../src/content/media/sweep"
import { DAY } from "../../src/lib/time"
import { run } from "../support/app"
import { failNextSiteWrite } from "../support/faults"
import { keysOf, mediaOf, upload } from "../support/media-factories"
import { siteRows } from "../support/rows"

/** Bytes that go up whole, and bytes that go up in parts. */
const SIZES = [100, 12_000_000]

type Calls = "put" | "createMultipartUpload"

/** Lets a call of the bucket fail. */
function failBucket(call: Calls, when: "before" | "after"): void {
  const real = env.MEDIA[call].bind(env.MEDIA) as (...args: unknown[]) => Promise<unknown>
  vi.spyOn(env.MEDIA, call).mockImplementation((async (...args: unknown[]) => {
    if (when === "after") await real(...args)
    throw new Error(`${call}: We encountered an internal error. Please try again. (10001)`)
  }) as never)
}

/** Lets a part or the end of an upload in parts fail. */
function failMultipart(step: "uploadPart" | "complete", when: "before" | "after"): void {
  const create = env.MEDIA.createMultipartUpload.bind(env.MEDIA)
  vi.spyOn(env.MEDIA, "createMultipartUpload").mockImplementation(async (...args) => {
    const upload = await create(...args)
    const real = upload[step].bind(upload) as (...given: unknown[]) => Promise<unknown>
    const failing = async (...given: unknown[]) => {
      if (when === "after") await real(...given)
      throw new Error(`${step}: We encountered an internal error. (10001)`)
    }
    return new Proxy(upload, {
      get(target, name) {
        if (name === step) return failing
        const value = Reflect.get(target, name)
        return typeof value === "function" ? value.bind(target) : value
      },
    })
  })
}

const FAULTS: Record<string, () => void> = {
  "before it takes the file": () => failBucket("put", "before"),
  "after it took the file": () => failBucket("put", "after"),
  "before it opens an upload": () => failBucket("createMultipartUpload", "before"),
  "after it opened an upload": () => failBucket("createMultipartUpload", "after"),
  "before a part": () => failMultipart("uploadPart", "before"),
  "after a part": () => failMultipart("uploadPart", "after"),
  "before the end": () => failMultipart("complete", "before"),
  "after the end": () => failMultipart("complete", "after"),
  "and the database after it": () => void failNextSiteWrite(2),
  "and the database before it": () => void failNextSiteWrite(1),
}

test.each(Object.keys(FAULTS))(
  "the bucket fails %s",
  async (name) => {
    const media = await mediaOf()
    let failed = 0
    for (const bytes of SIZES) {
      FAULTS[name]?.()
      const { status } = await upload(media, "a.bin", new Uint8Array(bytes))
      vi.restoreAllMocks()
      const files = await siteRows("select path from media_files")
      if (status >= 400) failed += 1
      expect(files.length, JSON.stringify(bytes)).toEqual(status < 300 ? 1 : 0)
      await run(sweepAllMedia, { now: new Date(Date.now() + 2 * DAY) })
      expect(await siteRows("select * from media_orphans")).toEqual([])
      expect((await keysOf()).length).toBe(files.length)
      await env.SITES_1.prepare("delete from media_files").run()
      for (const key of await keysOf()) await env.MEDIA.delete(key)
      // What was refused for no fault of the file's is taken when the bucket is well.
      expect((await upload(media, "a.bin", new Uint8Array(10))).status).toBe(201)
      await env.SITES_1.prepare("delete from media_files").run()
      for (const key of await keysOf()) await env.MEDIA.delete(key)
    }
    expect(failed).toBeGreaterThan(0)
  },
  120_000,
)
