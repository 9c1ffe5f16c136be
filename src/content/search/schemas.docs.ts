// Documents the API fields of the search.
import { documentFields } from "../../core/http/field-docs"
import { FoundPage, FoundPost, FoundProduct, Search, SearchResults } from "./schemas"

const slug = { description: "Identifier in URLs.", example: "rain-coat" }
const image = { description: "URL or path of the image.", example: null }
const description = { description: "Summary.", example: null }

documentFields(Search, { q: { description: "The text to search for.", example: "wool" } })

documentFields(FoundProduct, {
  name: { description: "Name of the product.", example: "Rain coat" },
  slug,
  image,
  price_cents: { description: "Price in the currency's smallest unit.", example: 12_900 },
  currency: { description: "ISO 4217 currency code.", example: "EUR" },
  in_stock: { description: "Whether the product can be ordered." },
})

documentFields(FoundPost, {
  name: { description: "Title.", example: "How we dye wool" },
  slug: { ...slug, example: "how-we-dye-wool" },
  image,
  description,
})

documentFields(FoundPage, {
  name: { description: "Title.", example: "Shipping" },
  slug: { ...slug, example: "shipping" },
  image,
  description,
})

documentFields(SearchResults, {
  products: { description: "Up to 20 products, newest first; none without the app `ecommerce`." },
  posts: { description: "Up to 20 posts, newest first." },
  pages: { description: "Up to 20 pages, newest first." },
})
