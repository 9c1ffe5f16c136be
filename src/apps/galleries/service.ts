// The verbs of a gallery: everyone with an account sees what is published, staff choose the pictures.
import { and, eq } from "drizzle-orm"
import type * as z from "zod"
import { asUser, authed, type UserCtx } from "../../content/user"
import { invalid, Refusal } from "../../core/http/refusal"
import { type Page, pageFrom } from "../../core/list/page"
import { retryOnConflict } from "../../core/write/commit"
import { isUnique } from "../../db/errors"
import { galleries, pictures } from "../../db/schema/sites/galleries"
import { insert, remove, update } from "../../db/write"
import { assertMaySee, assertStaff } from "../authorization"
import { isEmpty } from "../empty-input"
import { slugChoices } from "../slug-candidates"
import { idOf, pagesOf, replacePictures, selectGallery, selectSlugs } from "./queries"
import type { CreateGallery, Gallery, GalleryFacts, ListGalleries, Picture, UpdateGallery } from "./schemas"

/**
 * A page of galleries, the newest first.
 * @throws Refusal `unauthenticated`; `forbidden` for drafts, unless it is staff that asks
 */
export async function listGalleries(ctx: UserCtx, input: z.output<typeof ListGalleries>): Promise<Page<Gallery>> {
  const { user, answers } = await authed(ctx, () => pagesOf(input, { site: ctx.site.id, status: input.status }))
  assertMaySee(user, input.status)
  return pageFrom(answers)
}

/**
 * One gallery with its pictures, by id or slug.
 * @throws Refusal `unauthenticated`; `not_found`, also for a draft, unless it is staff that asks
 */
export async function readGallery(ctx: UserCtx, segment: string): Promise<GalleryFacts> {
  const { user, answers } = await authed(ctx, () => selectGallery(ctx.site, segment))
  const [[gallery], shown] = answers
  if (!gallery || (gallery.status !== "published" && !user.isStaff)) throw new Refusal("not_found")
  return { gallery, pictures: shown }
}

/**
 * Makes a gallery.
 * @throws Refusal `unauthenticated`, `email_unverified`, `forbidden`; `validation_failed` for a slug that is taken
 */
export async function createGallery(ctx: UserCtx, input: z.output<typeof CreateGallery>): Promise<GalleryFacts> {
  const { site, now } = ctx
  const { pictures: shown = [], ...fields } = input
  const choices = input.slug ? [input.slug] : slugChoices(input.name, "gallery")
  return retryOnConflict(async () => {
    const { user, answers } = await authed(ctx, () => [selectSlugs(site, choices)])
    assertStaff(user)
    const slug = choices.find((choice) => !answers[0].some((row) => row.slug === choice))
    if (!slug) throw invalid("slug", "taken")
    const values = { ...fields, siteId: site.id, slug, createdAt: now, updatedAt: now }
    const [[gallery]] = await asUser(ctx, () => [
      insert(galleries).values(values).returning(),
      ...replacePictures(site, idOf(site, slug), shown),
    ])
    if (!gallery) throw new Error("The gallery was not stored")
    return { gallery, pictures: shown.map(toPicture) }
  })
}

const toPicture = ({ image, caption = null }: { image: string; caption?: string | null | undefined }): Picture => ({
  image,
  caption,
})

/**
 * Changes what is given of a gallery.
 * @throws Refusal `unauthenticated`, `forbidden`, `not_found`; `validation_failed` for a slug that is taken
 */
export async function updateGallery(
  ctx: UserCtx,
  segment: string,
  input: z.output<typeof UpdateGallery>,
): Promise<GalleryFacts> {
  const { site } = ctx
  const { user, answers } = await authed(ctx, () => selectGallery(site, segment))
  assertStaff(user)
  const [[known], before] = answers
  if (!known) throw new Refusal("not_found")
  if (isEmpty(input)) return { gallery: known, pictures: before }
  const { pictures: shown, ...fields } = input
  try {
    const [[gallery]] = await asUser(ctx, () => [
      update(galleries)
        .set({ ...fields, updatedAt: ctx.now })
        .where(isRow(site.id, known.id))
        .returning(),
      ...(shown ? replacePictures(site, known.id, shown) : []),
    ])
    if (!gallery) throw new Refusal("not_found")
    return { gallery, pictures: shown?.map(toPicture) ?? before }
  } catch (cause) {
    if (isUnique(cause, "galleries.slug")) throw invalid("slug", "taken")
    throw cause
  }
}

/**
 * Removes a gallery with its pictures.
 * @throws Refusal `unauthenticated`, `forbidden`, `not_found`
 */
export async function removeGallery(ctx: UserCtx, segment: string): Promise<void> {
  const { site } = ctx
  const { user, answers } = await authed(ctx, () => selectGallery(site, segment))
  assertStaff(user)
  const [[known]] = answers
  if (!known) throw new Refusal("not_found")
  await asUser(ctx, () => [
    remove(pictures).where(and(eq(pictures.siteId, site.id), eq(pictures.galleryId, known.id))),
    remove(galleries).where(isRow(site.id, known.id)),
  ])
}

const isRow = (siteId: string, id: number) => and(eq(galleries.siteId, siteId), eq(galleries.id, id))
