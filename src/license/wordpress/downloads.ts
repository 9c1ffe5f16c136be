// Serves GET /api/downloads/{token}: an update file by its signed URL. WordPress downloads it without the API key. The
// license is checked again, so blocking one ends its downloads before the URL expires.
import { hostOf } from "../../core/http/host"
import { clientAddress } from "../../core/http/http"
import { addressLimits, assertNotRefused, takeTokens } from "../../core/http/rate-limit"
import { Refusal } from "../../core/http/refusal"
import { createSurface, requestContext, type SurfaceEnv } from "../../core/http/surface"
import { batch } from "../../db/client"
import { firstMatch, selectMatchByActivation } from "../activations/queries"
import { buildFileName, getReleasedFile, openFile } from "../external/download"
import { downloadResponse } from "../external/file-response"
import { licenseAndActivation } from "../external/verify"
import { selectSigningPair, signDigest } from "../offline/key"
import { getDownloadRejection } from "../rules/download"
import { firstVersion, selectVersion } from "../versions/queries"
import { type SignedDownload, verifyDownloadToken } from "./signed-url"

const DOWNLOADS_PER_MINUTE = 60

const ERRORS = {
  not_found: 404,
  method_not_allowed: 405,
  rate_limited: 429,
  temporarily_unavailable: 503,
  server_error: 500,
} as const

type DownloadEnv = SurfaceEnv & { Variables: SurfaceEnv["Variables"] & { download: SignedDownload } }

export const downloads = createSurface<DownloadEnv, keyof typeof ERRORS>({
  name: "downloads",
  base: "/api/downloads",
  gate: [
    async (c, next) => {
      if (hostOf(c.env, c.req.url).kind !== "central") throw new Refusal("not_found")
      const { settings, now } = requestContext(c)
      const limits = addressLimits("downloads:ip", clientAddress(c), DOWNLOADS_PER_MINUTE)
      assertNotRefused(c.env, limits)
      await takeTokens(c.env, c.var.log, limits)
      const token = c.req.path.split("/").at(-1) ?? ""
      const download = await verifyDownloadToken(settings, now, token)
      if (!download) throw new Refusal("not_found")
      c.set("download", download)
      await next()
    },
  ],
  maxBody: null,
  codes: ERRORS,
  // Without a body, which a client would save as the file.
  refuse: (c, { code }) => c.body(null, ERRORS[code]),
})

downloads.get("/:token", async (c) => {
  const ctx = requestContext(c)
  const { versionId, activation } = c.var.download
  const [versions, pair, matches = []] = await batch(ctx.db, [
    selectVersion(ctx.db, versionId),
    selectSigningPair(ctx.db),
    ...(activation === null ? [] : [selectMatchByActivation(activation)]),
  ])
  const found = firstVersion(versions)
  const file = getReleasedFile(ctx, found, "main")
  if (!found || !file) throw new Refusal("not_found")
  const facts = licenseAndActivation(firstMatch(matches))
  // The URL was issued to the activated domain.
  const request = { clientName: null, domain: facts.activation?.domain ?? null, ip: null }
  if (getDownloadRejection({ ...facts, ...found, request, now: ctx.now }) !== null)
    return downloadResponse({ kind: "refused" })
  const response = downloadResponse(await openFile(ctx, file, buildFileName(found, "main"), c.req.raw.headers))
  const signature = file.sha384 ? await signDigest(ctx, pair, file.sha384) : null
  // WordPress verifies this header against its trusted keys.
  if (signature && response.ok) response.headers.set("X-Content-Signature", signature)
  return response
})
