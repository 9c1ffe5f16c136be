// Operations on galleries: every user reads published galleries, staff manage them.
import { eq } from "drizzle-orm"
import type * as z from "zod"
import { authenticate, type UserCtx, writeAsUser } from "../../content/user"
import type { Input } from "../../core/http/input"
import { Refusal } from "../../core/http/refusal"
import { type Page, pageFrom } from "../../core/list/page"
import { retryOnConflict } from "../../core/write/commit"
import { isUniqueViolation } from "../../db/errors"
import { inSite } from "../../db/site-scope"
import { assertCanListStatus, assertStaff } from "../authorization"
import { isEmpty } from "../empty-input"
import { slugCandidatesOf } from "../slug-candidates"
import { replacePictures, selectGallery, selectIdBySlug, selectPages, selectSlugs } from "./queries"
import type { CreateGallery, Gallery, GalleryWithPictures, ListGalleries, Picture, UpdateGallery } from "./schemas"
import { galleries, pictures } from "./tables"

/**
 * Lists a page of galleries, newest first.
 * @throws Refusal `unauthenticated`; `forbidden` for drafts unless the user is staff
 */
export async function listGalleries(ctx: UserCtx, input: z.output<typeof ListGalleries>): Promise<Page<Gallery>> {
  const { user, results } = await authenticate(ctx, () =>
    selectPages(input, { site: ctx.site.id, status: input.status }),
  )
  assertCanListStatus(user, input.status)
  return pageFrom(results)
}

/**
 * Reads a gallery with its pictures by id or slug.
 * @throws Refusal `unauthenticated`; `not_found`, also for a draft unless the user is staff
 */
export async function getGallery(ctx: UserCtx, segment: string): Promise<GalleryWithPictures> {
  const { user, results } = await authenticate(ctx, () => selectGallery(ctx.site, segment))
  const [[gallery], currentPictures] = results
  if (!gallery || (gallery.status !== "published" && !user.isStaff)) throw new Refusal("not_found")
  return { gallery, pictures: currentPictures }
}

/**
 * Creates a gallery.
 * @throws Refusal `unauthenticated`, `email_unverified`, `forbidden`; `validation_failed` for a slug that is taken
 */
export async function createGallery(ctx: UserCtx, input: Input<typeof CreateGallery>): Promise<GalleryWithPictures> {
  const { site, now } = ctx
  const candidates = slugCandidatesOf(input, "gallery")
  return retryOnConflict(async () => {
    const { user, results } = await authenticate(ctx, () => [selectSlugs(site, candidates)])
    assertStaff(user, "editor")
    const slug = candidates.find((candidate) => !results[0].some((row) => row.slug === candidate))
    const { pictures: newPictures = [], ...fields } = input.complete({
      slug: candidates.length && !slug ? "taken" : null,
    })
    if (!slug) throw input.reject("slug", "taken")
    const values = { ...fields, slug, createdAt: now, updatedAt: now }
    const [[gallery]] = await writeAsUser(ctx, () => [
      inSite(site.id).insert(galleries).values(values).returning(),
      ...replacePictures(site, selectIdBySlug(site, slug), newPictures),
    ])
    if (!gallery) throw new Error("The gallery was not stored")
    return { gallery, pictures: newPictures.map(toPicture) }
  })
}

const toPicture = ({ image, caption = null }: { image: string; caption?: string | null | undefined }): Picture => ({
  image,
  caption,
})

/**
 * Updates the given fields of a gallery.
 * @throws Refusal `unauthenticated`, `forbidden`, `not_found`; `validation_failed` for a slug that is taken
 */
export async function updateGallery(
  ctx: UserCtx,
  segment: string,
  input: Input<typeof UpdateGallery>,
): Promise<GalleryWithPictures> {
  const { site } = ctx
  const { user, results } = await authenticate(ctx, () => selectGallery(site, segment))
  assertStaff(user, "editor")
  const [[current], currentPictures] = results
  if (!current) throw new Refusal("not_found")
  const values = await input.completeBeforeCommit(async ({ slug }) => ({
    slug: slug && slug !== current.slug && (await selectSlugs(site, [slug])).length ? "taken" : null,
  }))
  if (isEmpty(values)) return { gallery: current, pictures: currentPictures }
  const { pictures: newPictures, ...fields } = values
  try {
    const [[gallery]] = await writeAsUser(ctx, () => [
      inSite(site.id)
        .update(galleries)
        .set({ ...fields, updatedAt: ctx.now })
        .where(eq(galleries.id, current.id))
        .returning(),
      ...(newPictures ? replacePictures(site, current.id, newPictures) : []),
    ])
    if (!gallery) throw new Refusal("not_found")
    return { gallery, pictures: newPictures?.map(toPicture) ?? currentPictures }
  } catch (cause) {
    if (isUniqueViolation(cause, "galleries.slug")) throw input.reject("slug", "taken")
    throw cause
  }
}

/**
 * Removes a gallery with its pictures.
 * @throws Refusal `unauthenticated`, `forbidden`, `not_found`
 */
export async function deleteGallery(ctx: UserCtx, segment: string): Promise<void> {
  const { site } = ctx
  const { user, results } = await authenticate(ctx, () => selectGallery(site, segment))
  assertStaff(user, "editor")
  const [[current]] = results
  if (!current) throw new Refusal("not_found")
  await writeAsUser(ctx, () => [
    inSite(site.id).remove(pictures).where(eq(pictures.galleryId, current.id)),
    inSite(site.id).remove(galleries).where(eq(galleries.id, current.id)),
  ])
}
