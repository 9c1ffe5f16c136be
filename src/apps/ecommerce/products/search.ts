// Searches published products for the search of the content API.
import type { SearchProducts } from "../../../content/search/service"
import { batch } from "../../../db/client"
import { selectPage } from "./queries"

export const searchProducts: SearchProducts = async (db, id, term, limit) => {
  const input = {
    page: 1,
    per_page: limit,
    status: "published",
    search: term,
    sort_by: "created_at",
    order: "desc",
  } as const
  const [, ...rows] = await batch(db, selectPage({ id }, input))
  return rows.flat().map(({ id: productId, name, slug, image, priceCents, currency, stock }) => ({
    id: productId,
    name,
    slug,
    image,
    price_cents: priceCents,
    currency,
    in_stock: stock !== 0,
  }))
}
