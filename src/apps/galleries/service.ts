// Operations on galleries: every user reads published galleries, staff manage them.
import { eq } from "drizzle-orm"
import type * as z from "zod"
import { changesOf, isUnchanged, timeOfUpdate } from "../../content/blog/changes"
import { writeAsStaff } from "../../content/staff/write"
import { authenticate, type UserCtx } from "../../content/user"
import type { Input } from "../../core/http/input"
import { type Precondition, versionTag } from "../../core/http/precondition"
import { Refusal } from "../../core/http/refusal"
import { type Page, pageFrom } from "../../core/list/page"
import { auditChanges, compareResources } from "../../core/write/changes"
import { retryOnConflict } from "../../core/write/commit"
import { isUniqueViolation } from "../../db/errors"
import { inSite } from "../../db/site-scope"
import { abortUnlessTouched } from "../../db/write"
import { isEmpty } from "../../lib/is-empty"
import { assertCanListStatus, assertStaff } from "../authorization"
import { slugCandidatesOf } from "../slug-candidates"
import { replacePictures, selectGallery, selectIdBySlug, selectPages, selectSlugs } from "./queries"
import {
  type CreateGallery,
  type Gallery,
  type GalleryWithPictures,
  galleryResource,
  type ListGalleries,
  type Picture,
  type UpdateGallery,
} from "./schemas"
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
    const [[gallery]] = await writeAsStaff(ctx, user, {
      writes: [
        inSite(site.id).insert(galleries).values(values).returning(),
        ...replacePictures(site, selectIdBySlug(site, slug), newPictures),
      ],
      auditLog: [
        { subject: "gallery", id: selectIdBySlug(site, slug), action: "created", after: identify({ ...values, slug }) },
      ],
    })
    if (!gallery) throw new Error("The gallery was not stored")
    return { gallery, pictures: newPictures.map(toPicture) }
  })
}

const toPicture = ({ image, caption = null }: { image: string; caption?: string | null | undefined }): Picture => ({
  image,
  caption,
})

/** The fields that every audit entry about a gallery shows. */
const identify = ({ name, slug, status }: Pick<Gallery, "name" | "slug" | "status">) => ({ name, slug, status })

/**
 * Updates the given fields of a gallery.
 * @param precondition compares the `versionTag` of its id and the time of its update
 * @throws Refusal `unauthenticated`, `forbidden`, `not_found`, `precondition_failed`; `validation_failed` for a slug
 *   that is taken
 */
export const updateGallery = (
  ctx: UserCtx,
  segment: string,
  input: Input<typeof UpdateGallery>,
  precondition?: Precondition,
): Promise<GalleryWithPictures> =>
  retryOnConflict(async () => {
    const { site } = ctx
    const { user, results } = await authenticate(ctx, () => selectGallery(site, segment))
    assertStaff(user, "editor")
    const [[gallery], pictures] = results
    if (!gallery) throw new Refusal("not_found")
    precondition?.(versionTag(gallery.id, gallery.updatedAt.getTime()))
    const values = await input.completeBeforeCommit(async ({ slug }) => ({
      slug: slug && slug !== gallery.slug && (await selectSlugs(site, [slug])).length ? "taken" : null,
    }))
    const { pictures: newPictures, ...fields } = values
    const columns = changesOf<Gallery>(gallery, fields)
    const after = {
      gallery: { ...gallery, ...columns, updatedAt: timeOfUpdate(ctx.now, gallery) },
      pictures: newPictures?.map(toPicture) ?? pictures,
    }
    const current = { gallery, pictures }
    const changes = compareResources(galleryResource(current), galleryResource(after), ["updated_at"])
    if (isEmpty(changes)) return current
    await writeAsStaff(ctx, user, {
      writes: [
        inSite(site.id)
          .update(galleries)
          .set({ ...columns, updatedAt: after.gallery.updatedAt })
          .where(isUnchanged(galleries, gallery)),
        abortUnlessTouched,
        ...(newPictures ? replacePictures(site, gallery.id, newPictures) : []),
      ],
      auditLog: [
        {
          subject: "gallery",
          id: gallery.id,
          action: "changed",
          ...auditChanges(changes, { before: identify(gallery), after: identify(after.gallery) }),
        },
      ],
    }).catch((cause) => {
      throw isUniqueViolation(cause, "galleries.slug") ? input.reject("slug", "taken") : cause
    })
    return after
  })

/**
 * Removes a gallery with its pictures.
 * @throws Refusal `unauthenticated`, `forbidden`, `not_found`
 */
export const deleteGallery = (ctx: UserCtx, segment: string): Promise<void> =>
  retryOnConflict(async () => {
    const { site } = ctx
    const { user, results } = await authenticate(ctx, () => selectGallery(site, segment))
    assertStaff(user, "editor")
    const [[gallery]] = results
    if (!gallery) throw new Refusal("not_found")
    await writeAsStaff(ctx, user, {
      writes: [
        inSite(site.id).remove(galleries).where(isUnchanged(galleries, gallery)),
        abortUnlessTouched,
        inSite(site.id).remove(pictures).where(eq(pictures.galleryId, gallery.id)),
      ],
      auditLog: [{ subject: "gallery", id: gallery.id, action: "deleted", before: identify(gallery) }],
    })
  })
