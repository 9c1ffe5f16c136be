// Fault injection: every bucket call of an upload fails before or after it takes effect. Either the file exists with
// its bytes or neither does, and the sweep deletes orphaned bytes and reservations.
import { env } from "cloudflare:workers"
import { expect, test, vi } from "vitest"
import { sweepMedia } from "../../src/content/media/sweep"
import { DAY } from "../../src/lib/time"
import { run } from "../support/app"
import { failNextSiteWrites } from "../support/faults"
import { listObjectKeys, makeMediaClient, upload } from "../support/media-factories"
import { siteRows } from "../support/rows"

/** Sizes of a single upload and of a multipart upload. */
const SIZES = [100, 12_000_000]

type Calls = "put" | "createMultipartUpload"

/** Makes a call of the bucket fail. */
function failBucket(call: Calls, when: "before" | "after"): void {
  const real = env.MEDIA[call].bind(env.MEDIA) as (...args: unknown[]) => Promise<unknown>
  vi.spyOn(env.MEDIA, call).mockImplementation((async (...args: unknown[]) => {
    if (when === "after") await real(...args)
    throw new Error(`${call}: We encountered an internal error. Please try again. (10001)`)
  }) as never)
}

/** Makes a part or the completion of a multipart upload fail. */
function failMultipart(step: "uploadPart" | "complete", when: "before" | "after"): void {
  const create = env.MEDIA.createMultipartUpload.bind(env.MEDIA)
  vi.spyOn(env.MEDIA, "createMultipartUpload").mockImplementation(async (...args) => {
    const upload = await create(...args)
    const real = upload[step].bind(upload) as (...args: unknown[]) => Promise<unknown>
    const failing = async (...args: unknown[]) => {
      if (when === "after") await real(...args)
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
  "the bucket fails before it stores the file": () => failBucket("put", "before"),
  "the bucket fails after it stored the file": () => failBucket("put", "after"),
  "the bucket fails before it creates a multipart upload": () => failBucket("createMultipartUpload", "before"),
  "the bucket fails after it created a multipart upload": () => failBucket("createMultipartUpload", "after"),
  "the bucket fails before it stores a part": () => failMultipart("uploadPart", "before"),
  "the bucket fails after it stored a part": () => failMultipart("uploadPart", "after"),
  "the bucket fails before it completes a multipart upload": () => failMultipart("complete", "before"),
  "the bucket fails after it completed a multipart upload": () => failMultipart("complete", "after"),
  "the database fails after the transfer": () => void failNextSiteWrites(2),
  "the database fails before the transfer": () => void failNextSiteWrites(1),
}

test.each(Object.keys(FAULTS))(
  "leaves no orphaned bytes or reservations when %s",
  async (name) => {
    const media = await makeMediaClient()
    let failed = 0
    for (const bytes of SIZES) {
      FAULTS[name]?.()
      const { status } = await upload(media, "a.bin", new Uint8Array(bytes))
      vi.restoreAllMocks()
      const files = await siteRows("select path from media_files")
      if (status >= 400) failed += 1
      expect(files.length, JSON.stringify(bytes)).toEqual(status < 300 ? 1 : 0)
      await run((ctx) => sweepMedia(ctx, "SITES_1"), { now: new Date(Date.now() + 2 * DAY) })
      expect(await siteRows("select * from media_orphans")).toEqual([])
      expect((await listObjectKeys()).length).toBe(files.length)
      await env.SITES_1.prepare("delete from media_files").run()
      for (const key of await listObjectKeys()) await env.MEDIA.delete(key)
      // The upload succeeds once the bucket works again.
      expect((await upload(media, "a.bin", new Uint8Array(10))).status).toBe(201)
      await env.SITES_1.prepare("delete from media_files").run()
      for (const key of await listObjectKeys()) await env.MEDIA.delete(key)
    }
    expect(failed).toBeGreaterThan(0)
  },
  120_000,
)
