// The verbs of a product: everyone with an account reads what is published, staff write.
import { and, eq, sql } from "drizzle-orm"
import type * as z from "zod"
import { searchable } from "../../../content/blog/fields"
import { fold } from "../../../content/case-folding"
import { asUser, authed, type UserCtx } from "../../../content/user"
import { invalid, Refusal } from "../../../core/http/refusal"
import { type Page, pageFrom } from "../../../core/list/page"
import { countedAt } from "../../../core/list/site-totals"
import { WriteConflict, retryOnConflict } from "../../../core/write/commit"
import { products } from "../../../db/schema/sites/products"
import { remove, update } from "../../../db/write"
import { assertMaySee, assertStaff } from "../../authorization"
import { isEmpty } from "../../empty-input"
import { slugChoices } from "../../slug-candidates"
import { insertProduct, isProduct, productColumns, selectPage, selectProduct, selectSlugs } from "./queries"
import type { CreateProduct, ListProducts, Product, UpdateProduct } from "./schemas"

/**
 * A page of products.
 * @throws Refusal `unauthenticated`; `forbidden` for drafts, unless it is staff that asks
 */
export async function listProducts(
  ctx: UserCtx,
  input: z.output<typeof ListProducts>,
): Promise<Page<Omit<Product, "description">>> {
  const { user, answers } = await authed(ctx, () => selectPage(ctx.site, input))
  assertMaySee(user, input.status)
  return pageFrom(answers)
}

/**
 * One product, by id or slug.
 * @throws Refusal `unauthenticated`; `not_found`, also for a draft, unless it is staff that asks
 */
export async function readProduct(ctx: UserCtx, segment: string): Promise<Product> {
  const { user, answers } = await authed(ctx, () => [selectProduct(ctx.site, segment)])
  const [[row]] = answers
  if (!row || (row.status !== "published" && !user.isStaff)) throw new Refusal("not_found")
  return row
}

/**
 * Adds a product.
 * @throws Refusal `unauthenticated`, `email_unverified`, `forbidden`; `limit_reached` when the plan's products are used up;
 *   `validation_failed` for a slug that is taken
 */
export async function createProduct(ctx: UserCtx, input: z.output<typeof CreateProduct>): Promise<Product> {
  const { site, now } = ctx
  const limit = site.subscription?.plan?.limits.products ?? 0
  const choices = input.slug ? [input.slug] : slugChoices(input.name, "product")
  return retryOnConflict(async () => {
    const { user, answers } = await authed(
      ctx,
      () =>
        [
          selectSlugs(site, choices),
          site.db.select({ total: countedAt(site.id, "products").mapWith(Number) }).from(sql`(select 1)`),
        ] as const,
    )
    assertStaff(user)
    const [taken, [count]] = answers
    if (limit > 0 && (count?.total ?? 0) >= limit) throw new Refusal("limit_reached")
    const slug = choices.find((choice) => !taken.some((row) => row.slug === choice))
    if (!slug) throw invalid("slug", "taken")
    const values = { ...toRow(input), slug, siteId: site.id, createdAt: now, updatedAt: now }
    const [[row]] = await asUser(ctx, () => [insertProduct(site, values, limit)])
    if (!row) throw new WriteConflict("The slug or the last product of the plan went to another")
    return row
  })
}

function toRow(input: z.output<typeof CreateProduct>) {
  const { name, description = null, image = null, price_cents, currency, stock = null, status } = input
  return { name, description, image, priceCents: price_cents, currency, stock, status, ...texts(name, description) }
}

/** What a product is sorted and searched by. */
const texts = (name: string, description: string | null) => ({
  nameKey: fold(name),
  searchText: [name, description ?? ""].map(searchable).join("\n"),
})

/**
 * Changes what is given of a product.
 * @throws Refusal `unauthenticated`, `forbidden`, `not_found`; `validation_failed` for a slug that is taken
 */
export async function updateProduct(
  ctx: UserCtx,
  segment: string,
  input: z.output<typeof UpdateProduct>,
): Promise<Product> {
  const { site } = ctx
  const { user, answers } = await authed(ctx, () => [selectProduct(site, segment)])
  assertStaff(user)
  const [[row]] = answers
  if (!row) throw new Refusal("not_found")
  if (isEmpty(input)) return row
  const name = input.name ?? row.name
  const description = input.description === undefined ? row.description : input.description
  const values = {
    name,
    description,
    slug: input.slug,
    image: input.image,
    priceCents: input.price_cents,
    currency: input.currency,
    stock: input.stock,
    status: input.status,
    ...texts(name, description),
    updatedAt: ctx.now,
  }
  const free = sql`not exists (select 1 from ${products} other
    where other.site_id = ${site.id} and other.slug = ${input.slug ?? row.slug} and other.id <> ${row.id})`
  const [[saved]] = await asUser(ctx, () => [
    update(products)
      .set(values)
      .where(and(eq(products.siteId, site.id), eq(products.id, row.id), free))
      .returning(productColumns),
  ])
  if (!saved) throw invalid("slug", "taken")
  return saved
}

/**
 * Removes a product. Orders keep its name and price; its reviews go with it.
 * @throws Refusal `unauthenticated`, `forbidden`, `not_found`
 */
export async function removeProduct(ctx: UserCtx, segment: string): Promise<void> {
  const { site } = ctx
  const { user } = await authed(ctx)
  assertStaff(user)
  const [removed] = await asUser(ctx, () => [
    remove(products).where(isProduct(site, segment)).returning({ id: products.id }),
  ])
  if (!removed.length) throw new Refusal("not_found")
}
