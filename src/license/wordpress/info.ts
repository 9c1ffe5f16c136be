// Builds the update metadata that plugin-update-checker reads in WordPress.
import type * as z from "zod"
import { batch } from "../../db/client"
import { firstMatch } from "../activations/queries"
import { requireActiveProduct } from "../external/updates"
import { licenseAndActivation, resolveProof } from "../external/verify"
import { selectSigningPair, signDigest } from "../offline/key"
import { selectProductByReference } from "../products/queries"
import { formatMessage } from "../refusal-messages"
import { notFound } from "../refusals"
import { recordRejection } from "../rejections/service"
import { getDownloadRejection } from "../rules/download"
import { findOfferedUpdate } from "../rules/updates"
import type { LicenseCtx } from "../types"
import { selectNewest, selectNext } from "../versions/queries"
import type { WordPressInfo, WordPressQuery } from "./schemas"
import { buildDownloadUrl } from "./signed-url"

/**
 * Describes the version that an installation is offered. An installation whose license does not allow the download gets
 * the metadata without its URL, so that WordPress shows that an update exists.
 * @throws Refusal `not_found` for an unknown or inactive product, or one without a released version
 */
export async function describePlugin(
  ctx: LicenseCtx,
  referenceId: string,
  query: z.output<typeof WordPressQuery>,
): Promise<z.output<typeof WordPressInfo>> {
  const { installed_version: installed } = query
  const { statement, request } = await resolveProof(ctx, query, "domain")
  const [products, newest, next, pair, matches = []] = await batch(ctx.db, [
    selectProductByReference({ referenceId }),
    selectNewest(ctx.db, referenceId, ctx.now),
    selectNext(ctx.db, referenceId, installed ?? "", ctx.now),
    selectSigningPair(ctx.db),
    ...(statement ? [statement] : []),
  ])
  const product = requireActiveProduct(products)
  const offered = installed ? findOfferedUpdate(product, [...next, ...newest], installed, ctx.now) : null
  const version = offered ?? newest[0]
  if (!version) throw notFound("no_version")
  const match = firstMatch(matches)
  const rejection = getDownloadRejection({ ...licenseAndActivation(match), product, version, request, now: ctx.now })
  if (rejection !== null && statement) recordRejection(ctx, "download", rejection, match?.license.id)
  const file = version.mainFile
  const activation = product.licenseUpdate ? (match?.activation?.id ?? null) : null
  const isAllowed = file !== null && rejection === null
  return {
    name: product.name,
    slug: product.referenceId,
    version: version.version,
    last_updated: version.releasedAt?.toISOString().slice(0, 19).replace("T", " ") ?? null,
    sections: { description: escapeText(product.description ?? ""), changelog: version.changelog ?? "" },
    upgrade_notice: rejection === null ? null : formatMessage("license_not_held", ctx.language),
    download_url: isAllowed
      ? await buildDownloadUrl(ctx.settings, ctx.now, { versionId: version.versionId, activation })
      : null,
    download_sha256: file?.sha256 ?? null,
    download_signature: file?.sha384 ? await signDigest(ctx, pair, file.sha384) : null,
  }
}

/** The description is text, and WordPress shows HTML. */
const escapeText = (text: string): string =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll("\n", "<br>")
