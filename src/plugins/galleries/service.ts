// The verbs of a gallery: everyone with an account sees what is published, staff hang the pictures.
import { and, eq } from "drizzle-orm"
import type * as z from "zod"
import { authed, type UserCtx } from "../../content/user"
import { type Page, pageFrom } from "../../core/page"
import { invalid, Refusal } from "../../core/refusal"
import { batch } from "../../db/client"
import { galleries, pictures } from "../../db/schema/sites/galleries"
import { isEmpty } from "../changes"
import { slugChoices } from "../slugs"
import { assertMaySee, assertStaff } from "../staff"
import { isDuplicate } from "../unique"
import { hang, idOf, selectGallery, selectPage, selectSlugs } from "./queries"
import type { CreateGallery, Gallery, GalleryFacts, ListGalleries, Picture, UpdateGallery } from "./schemas"

/**
 * A page of galleries, the newest first.
 * @throws Refusal `unauthenticated`; `forbidden` for drafts, unless it is staff that asks
 */
export async function listGalleries(ctx: UserCtx, input: z.output<typeof ListGalleries>): Promise<Page<Gallery>> {
  const { user, answers } = await authed(ctx, () => selectPage(ctx.site, input))
  assertMaySee(user, input.status)
  return pageFrom(answers)
}

/**
 * One gallery with its pictures, by id or slug.
 * @throws Refusal `unauthenticated`; `not_found`, also for a draft, unless it is staff that asks
 */
export async function readGallery(ctx: UserCtx, segment: string): Promise<GalleryFacts> {
  const { user, answers } = await authed(ctx, () => selectGallery(ctx.site, segment))
  const [[gallery], hung] = answers
  if (!gallery || (gallery.status !== "published" && !user.isStaff)) throw new Refusal("not_found")
  return { gallery, pictures: hung }
}

/** Of those who make a gallery of one name at once, each round one gets the slug. */
const ROUNDS = 5

/**
 * Makes a gallery.
 * @throws Refusal `unauthenticated`, `forbidden`; `validation_failed` for a slug that is taken
 */
export async function createGallery(ctx: UserCtx, input: z.output<typeof CreateGallery>): Promise<GalleryFacts> {
  const { site, now } = ctx
  const { pictures: hung = [], ...fields } = input
  const choices = input.slug ? [input.slug] : slugChoices(input.name, "gallery")
  for (let round = 1; ; round++) {
    const { user, answers } = await authed(ctx, () => [selectSlugs(site, choices)])
    assertStaff(user)
    const slug = choices.find((choice) => !answers[0].some((row) => row.slug === choice))
    if (!slug) throw invalid("slug", "taken")
    const values = { ...fields, siteId: site.id, slug, createdAt: now, updatedAt: now }
    try {
      const [[gallery]] = await site.db.batch([
        site.db.insert(galleries).values(values).returning(),
        ...hang(site, idOf(site, slug), hung),
      ])
      if (!gallery) throw new Error("The gallery was not stored")
      return { gallery, pictures: hung.map(toPicture) }
    } catch (cause) {
      if (!isDuplicate(cause, "galleries")) throw cause
      if (round === ROUNDS) throw invalid("slug", "taken")
    }
  }
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
  const { pictures: hung, ...fields } = input
  try {
    const [rows] = (await batch(site.db, [
      site.db
        .update(galleries)
        .set({ ...fields, updatedAt: ctx.now })
        .where(isRow(site.id, known.id))
        .returning(),
      ...(hung ? hang(site, known.id, hung) : []),
    ])) as [Gallery[]]
    const [gallery] = rows
    if (!gallery) throw new Refusal("not_found")
    return { gallery, pictures: hung?.map(toPicture) ?? before }
  } catch (cause) {
    if (isDuplicate(cause, "galleries")) throw invalid("slug", "taken")
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
  await batch(site.db, [
    site.db.delete(pictures).where(and(eq(pictures.siteId, site.id), eq(pictures.galleryId, known.id))),
    site.db.delete(galleries).where(isRow(site.id, known.id)),
  ])
}

const isRow = (siteId: string, id: number) => and(eq(galleries.siteId, siteId), eq(galleries.id, id))
