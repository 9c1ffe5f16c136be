// Operations on products: every user reads published products, staff manage them.
import { and, eq, sql } from "drizzle-orm"
import type * as z from "zod"
import { hasIdOrSlug, toSearchText } from "../../../content/blog/fields"
import { foldCase } from "../../../content/case-folding"
import { authenticate, type UserCtx, writeAsUser } from "../../../content/user"
import type { Input } from "../../../core/http/input"
import { Refusal } from "../../../core/http/refusal"
import { type Page, pageFrom } from "../../../core/list/page"
import { selectSiteCounter } from "../../../core/list/site-totals"
import { retryOnConflict, WriteConflict } from "../../../core/write/commit"
import { inSite } from "../../../db/site-scope"
import { assertCanListStatus, assertStaff } from "../../authorization"
import { isEmpty } from "../../empty-input"
import { slugCandidatesOf } from "../../slug-candidates"
import { products } from "../tables"
import { insertProduct, productColumns, selectPage, selectProduct, selectTakenSlugs } from "./queries"
import type { CreateProduct, ListedRow, ListProducts, Product, UpdateProduct } from "./schemas"

/**
 * Lists a page of products.
 * @throws Refusal `unauthenticated`; `forbidden` for drafts unless the user is staff
 */
export async function listProducts(ctx: UserCtx, input: z.output<typeof ListProducts>): Promise<Page<ListedRow>> {
  const { user, results } = await authenticate(ctx, () => selectPage(ctx.site, input))
  assertCanListStatus(user, input.status)
  return pageFrom(results)
}

/**
 * Reads a product by id or slug.
 * @throws Refusal `unauthenticated`; `not_found`, also for a draft unless the user is staff
 */
export async function readProduct(ctx: UserCtx, segment: string): Promise<Product> {
  const { user, results } = await authenticate(ctx, () => [selectProduct(ctx.site, segment)])
  const [[row]] = results
  if (!row || (row.status !== "published" && !user.isStaff)) throw new Refusal("not_found")
  return row
}

/**
 * Creates a product.
 * @throws Refusal `unauthenticated`, `email_unverified`, `forbidden`; `limit_reached` when the plan's products are used
 *   up; `validation_failed` for a slug that is taken
 */
export async function createProduct(ctx: UserCtx, input: Input<typeof CreateProduct>): Promise<Product> {
  const { site, now } = ctx
  const limit = site.subscription?.plan?.limits.products ?? 0
  const candidates = slugCandidatesOf(input, "product")
  return retryOnConflict(async () => {
    const { user, results } = await authenticate(
      ctx,
      () =>
        [
          selectTakenSlugs(site, candidates),
          site.db.select({ total: selectSiteCounter(site.id, "products").mapWith(Number) }).from(sql`(select 1)`),
        ] as const,
    )
    assertStaff(user, "editor")
    const [taken, [count]] = results
    const slug = candidates.find((candidate) => !taken.some((row) => row.slug === candidate))
    const fields = input.complete({ slug: candidates.length && !slug ? "taken" : null })
    if (limit > 0 && (count?.total ?? 0) >= limit) throw new Refusal("limit_reached")
    if (!slug) throw input.reject("slug", "taken")
    const values = { ...toRow(fields), slug, createdAt: now, updatedAt: now }
    const [[row]] = await writeAsUser(ctx, () => [insertProduct(site, values, limit)])
    if (!row) throw new WriteConflict("The slug or the last product of the plan went to another")
    return row
  })
}

function toRow(input: z.output<typeof CreateProduct>) {
  const { name, description = null, price_cents, currency, stock = null, status } = input
  return {
    name,
    description,
    ...mergeImages({ image: null, images: null }, input),
    seoTitle: input.seo_title ?? null,
    seoDescription: input.seo_description ?? null,
    priceCents: price_cents,
    currency,
    stock,
    status,
    ...sortAndSearchColumns(name, description),
  }
}

type Images = Pick<Product, "image" | "images">

/**
 * Merges the images of an input: a list replaces all, and a single one the first of them.
 * @param input `images` has precedence; null removes all
 */
function mergeImages(
  before: Images,
  input: { image?: string | null | undefined; images?: string[] | null | undefined },
): Images {
  if (input.images !== undefined) return { image: input.images?.[0] ?? null, images: input.images ?? [] }
  const { image } = input
  if (image === undefined) return { image: before.image, images: before.images }
  if (image === null) return { image, images: [] }
  const others = (before.images ?? []).slice(1).filter((other) => other !== image)
  return { image, images: [image, ...others] }
}

/** Builds the columns that products are sorted and searched by. */
const sortAndSearchColumns = (name: string, description: string | null) => ({
  nameKey: foldCase(name),
  searchText: [name, description ?? ""].map(toSearchText).join("\n"),
})

/**
 * Updates the given fields of a product.
 * @throws Refusal `unauthenticated`, `forbidden`, `not_found`; `validation_failed` for a slug that is taken
 */
export async function updateProduct(
  ctx: UserCtx,
  segment: string,
  changes: Input<typeof UpdateProduct>,
): Promise<Product> {
  const { site } = ctx
  const { user, results } = await authenticate(ctx, () => [selectProduct(site, segment)])
  assertStaff(user, "editor")
  const [[row]] = results
  if (!row) throw new Refusal("not_found")
  const input = await changes.completeBeforeCommit(async ({ slug }) => ({
    slug: slug && slug !== row.slug && (await selectTakenSlugs(site, [slug])).length ? "taken" : null,
  }))
  if (isEmpty(input)) return row
  const name = input.name ?? row.name
  const description = input.description === undefined ? row.description : input.description
  const values = {
    name,
    description,
    slug: input.slug,
    ...mergeImages(row, input),
    seoTitle: input.seo_title,
    seoDescription: input.seo_description,
    priceCents: input.price_cents,
    currency: input.currency,
    stock: input.stock,
    status: input.status,
    ...sortAndSearchColumns(name, description),
    updatedAt: ctx.now,
  }
  const isSlugFree = sql`not exists (select 1 from ${products} other
    where other.site_id = ${site.id} and other.slug = ${input.slug ?? row.slug} and other.id <> ${row.id})`
  const [[saved]] = await writeAsUser(ctx, () => [
    inSite(site.id)
      .update(products)
      .set(values)
      .where(and(eq(products.id, row.id), isSlugFree))
      .returning(productColumns),
  ])
  if (!saved) throw changes.reject("slug", "taken")
  return saved
}

/**
 * Removes a product and its reviews. Orders retain its name and price.
 * @throws Refusal `unauthenticated`, `forbidden`, `not_found`
 */
export async function removeProduct(ctx: UserCtx, segment: string): Promise<void> {
  const { site } = ctx
  const { user } = await authenticate(ctx)
  assertStaff(user, "editor")
  const [removed] = await writeAsUser(ctx, () => [
    inSite(site.id).remove(products).where(hasIdOrSlug(products, segment)).returning({ id: products.id }),
  ])
  if (!removed.length) throw new Refusal("not_found")
}
