// Files of assets/ that cannot be read.
import { env } from "cloudflare:workers"
import { expect, test } from "vitest"
import { openStaticFile } from "../../src/core/storage/static-files"

/** The bindings, with a binding of the assets that behaves as given. */
const withAssets = (fetch: () => Promise<Response>) => ({ ...env, ASSETS: { ...env.ASSETS, fetch } })

test("a failing read is a refusal that asks to try again, and a file that was not deployed is an error", async () => {
  const lost = withAssets(() => Promise.reject(new Error("Network connection lost.")))
  const failed = withAssets(async () => new Response(null, { status: 503 }))
  for (const bindings of [lost, failed])
    await expect(openStaticFile(bindings, "guides.json")).rejects.toMatchObject({
      code: "temporarily_unavailable",
      facts: { retryAfter: 3 },
    })
  await expect(openStaticFile(env, "no-such-file")).rejects.toThrow("assets/no-such-file was not deployed: status 404")
})
