// Operations on products: every user reads published products, staff manage them.
import { and, eq, sql } from "drizzle-orm"
import type * as z from "zod"
import { changesOf, idOfSlug, isUnchanged, timeOfUpdate } from "../../../content/blog/changes"
import { toSearchText } from "../../../content/blog/fields"
import { foldCase } from "../../../content/case-folding"
import { writeAsStaff } from "../../../content/staff/write"
import { authenticate, type UserCtx } from "../../../content/user"
import { type Input, parseInput } from "../../../core/http/input"
import { Refusal } from "../../../core/http/refusal"
import { type Page, pageFrom } from "../../../core/list/page"
import { auditChanges, compareResources } from "../../../core/write/changes"
import { retryOnConflict } from "../../../core/write/commit"
import { isUniqueViolation } from "../../../db/errors"
import { inSite } from "../../../db/site-scope"
import { abortUnlessTouched } from "../../../db/write"
import { type InputColumns, toColumns } from "../../../lib/every-field"
import { isEmpty } from "../../../lib/is-empty"
import { isNonEmpty } from "../../../lib/non-empty"
import { assertCanListStatus, assertStaff } from "../../authorization"
import { slugCandidatesOf } from "../../slug-candidates"
import { products } from "../tables"
import {
  countOwnProducts,
  insertProduct,
  selectAnySample,
  selectPage,
  selectProduct,
  selectSamples,
  selectTakenSlugs,
} from "./queries"
import {
  type CreateProduct,
  type ListedRow,
  type ListProducts,
  listImages,
  type Product,
  productResource,
  UpdateProduct,
} from "./schemas"

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
 * Lists a page of products, and finds out whether the shop still has sample products, on any page.
 * @throws Refusal `unauthenticated`; `forbidden` for drafts unless the user is staff
 */
export async function listProductsAndSamples(
  ctx: UserCtx,
  input: z.output<typeof ListProducts>,
): Promise<Page<ListedRow> & { hasSamples: boolean }> {
  const { user, results } = await authenticate(
    ctx,
    () => [selectAnySample(ctx.site), ...selectPage(ctx.site, input)] as const,
  )
  assertCanListStatus(user, input.status)
  const [samples, ...page] = results
  return { ...pageFrom(page), hasSamples: samples.length > 0 }
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
          site.db.select({ total: countOwnProducts(site.id).mapWith(Number) }).from(sql`(select 1)`),
        ] as const,
    )
    assertStaff(user, "editor")
    const [taken, [count]] = results
    const slug = candidates.find((candidate) => !taken.some((row) => row.slug === candidate))
    const fields = input.complete({ slug: candidates.length && !slug ? "taken" : null })
    if (limit > 0 && (count?.total ?? 0) >= limit) throw new Refusal("limit_reached")
    if (!slug) throw input.reject("slug", "taken")
    const values = { ...toRow(fields), slug, createdAt: now, updatedAt: now }
    const { name, status } = values
    const id = idOfSlug(products, site.id, slug)
    const [[row]] = await writeAsStaff(ctx, user, {
      // Aborted if the slug, or the last product of the plan, went to another.
      writes: [insertProduct(site, values, limit), abortUnlessTouched],
      auditLog: [
        {
          subject: "shop_product",
          id,
          action: "created",
          after: { slug, name, status },
        },
      ],
      events: [
        {
          type: "shop.product.created",
          data: { product: productResource({ ...values, id: 0, siteId: site.id }) },
          fill: { "$.data.product.id": id },
        },
      ],
    })
    if (!row) throw new Error("The product was not stored")
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
    isSample: null,
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
 * @param assertUnchanged throws for a product that changed since the caller read it
 * @throws Refusal `unauthenticated`, `forbidden`, `not_found`; `validation_failed` for a slug that is taken
 */
export const updateProduct = (
  ctx: UserCtx,
  segment: string,
  changes: Input<typeof UpdateProduct>,
  assertUnchanged?: (product: Product) => void,
): Promise<Product> => changeProduct(ctx, segment, () => changes, assertUnchanged)

/**
 * Adds an image to those that a product has by then.
 * @throws Refusal as `updateProduct`; `validation_failed` for an image too many
 */
export const addProductImage = (ctx: UserCtx, segment: string, image: string): Promise<Product> =>
  changeProduct(ctx, segment, (row) => parseInput(UpdateProduct, { images: [...listImages(row), image] }))

/** @param decide returns the changes of the product as it was just read */
const changeProduct = (
  ctx: UserCtx,
  segment: string,
  decide: (product: Product) => Input<typeof UpdateProduct>,
  assertUnchanged?: (product: Product) => void,
): Promise<Product> =>
  retryOnConflict(async () => {
    const { site } = ctx
    const { user, results } = await authenticate(ctx, () => [selectProduct(site, segment)])
    assertStaff(user, "editor")
    const [[row]] = results
    if (!row) throw new Refusal("not_found")
    const changes = decide(row)
    const input = await changes.completeBeforeCommit(async ({ slug }) => ({
      slug: slug && slug !== row.slug && (await selectTakenSlugs(site, [slug])).length ? "taken" : null,
    }))
    assertUnchanged?.(row)
    const { columns, changed } = compareWithInput(row, input)
    if (isEmpty(changed)) return row
    const product = { ...row, ...columns, isSample: null, updatedAt: timeOfUpdate(ctx.now, row) }
    await writeAsStaff(ctx, user, {
      writes: [
        inSite(site.id)
          .update(products)
          .set({
            ...columns,
            ...sortAndSearchColumns(product.name, product.description),
            // A sample that staff have changed is a product of the shop.
            isSample: null,
            updatedAt: product.updatedAt,
          })
          .where(and(isUnchanged(products, row), isSameStock(row))),
        abortUnlessTouched,
      ],
      auditLog: [
        {
          subject: "shop_product",
          id: row.id,
          action: "changed",
          ...auditChanges(changed, {
            before: { ...identify(row), currency: row.currency },
            after: { ...identify(product), currency: product.currency },
          }),
        },
      ],
      events: [{ type: "shop.product.updated", data: { product: productResource(product), changes: changed } }],
    }).catch((cause) => {
      throw isUniqueViolation(cause, "products.slug") ? changes.reject("slug", "taken") : cause
    })
    return product
  })

/** Returns what an update would change of a product, as columns and as fields of the resource. */
export function compareWithInput(row: Product, input: z.output<typeof UpdateProduct>) {
  const columns = changesOf(row, { ...mergeImages(row, input), ...toColumns(input, INPUT_COLUMNS) })
  const changed = compareResources(productResource(row), productResource({ ...row, ...columns }), DERIVED_FIELDS)
  return { columns, changed }
}

/** Orders change the stock without the time of the update. */
const isSameStock = ({ stock }: Product) => sql`${products.stock} is ${stock}`

/** The column of each field; `image` and `images` depend on each other. */
const INPUT_COLUMNS = {
  name: "name",
  slug: "slug",
  description: "description",
  image: { omitted: "merged with the other images" },
  images: { omitted: "merged with the other images" },
  seo_title: "seoTitle",
  seo_description: "seoDescription",
  price_cents: "priceCents",
  currency: "currency",
  stock: "stock",
  status: "status",
} as const satisfies InputColumns<z.output<typeof UpdateProduct>, Product>

const identify = ({ name, slug }: Product) => ({ name, slug })

/** Fields that are not among the changes of a product. */
const DERIVED_FIELDS = ["in_stock", "updated_at"] as const

/**
 * Removes a product and its reviews. Orders retain its name and price.
 * @throws Refusal `unauthenticated`, `forbidden`, `not_found`
 */
export const removeProduct = (ctx: UserCtx, segment: string): Promise<void> =>
  retryOnConflict(async () => {
    const { site } = ctx
    const { user, results } = await authenticate(ctx, () => [selectProduct(site, segment)])
    assertStaff(user, "editor")
    const [[row]] = results
    if (!row) throw new Refusal("not_found")
    await writeAsStaff(ctx, user, {
      writes: [
        inSite(site.id)
          .remove(products)
          .where(and(isUnchanged(products, row), isSameStock(row))),
        abortUnlessTouched,
      ],
      auditLog: [{ subject: "shop_product", id: row.id, action: "deleted", before: identify(row) }],
      events: [{ type: "shop.product.deleted", data: { product: productResource(row) } }],
    })
  })

/**
 * Removes the sample products of a new shop that staff have not changed.
 * @throws Refusal `unauthenticated`, `forbidden`
 */
export const removeSamples = (ctx: UserCtx): Promise<void> =>
  retryOnConflict(async () => {
    const { site } = ctx
    const { user, results } = await authenticate(ctx, () => [selectSamples(site)])
    assertStaff(user, "editor")
    const auditLog = results[0].map((row) => ({
      subject: "shop_product" as const,
      id: row.id,
      action: "deleted" as const,
      before: identify(row),
    }))
    if (!isNonEmpty(auditLog)) return
    await writeAsStaff(ctx, user, {
      writes: results[0].flatMap((row) => [
        inSite(site.id)
          .remove(products)
          .where(and(isUnchanged(products, row), eq(products.isSample, true))),
        abortUnlessTouched,
      ]),
      auditLog,
      events: results[0].map((row) => ({ type: "shop.product.deleted", data: { product: productResource(row) } })),
    })
  })
