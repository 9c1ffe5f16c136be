// Documents the API fields of products.
import { documentFields } from "../../../core/http/field-docs"
import { CreateProduct, ListedProduct, ListProducts, ProductResource, UpdateProduct } from "./schemas"

const name = { description: "Name of the product.", example: "Rain coat" }
const slug = { description: "Identifier in URLs.", example: "rain-coat" }
const generatedSlug = { ...slug, description: "Identifier in URLs; derived from the name when omitted." }
const description = { description: "HTML.", example: "<p>Waxed cotton, made to last.</p>" }
const image = { description: "URL or path of the image.", example: "/media/2026/coat.jpg" }
const images = {
  description: "URLs or paths of up to 10 images. The first one is `image`; an update of `image` alone replaces it.",
  example: ["/media/2026/coat.jpg", "/media/2026/coat-back.jpg"],
}
const seoTitle = { description: "Title of the product's page; null for the product's name.", example: null }
const seoDescription = {
  description: "Description of the product's page for search engines; null for the beginning of the product's.",
  example: null,
}
const priceCents = { description: "Price in the currency's smallest unit.", example: 12_900 }
const currency = { description: "ISO 4217 currency code.", example: "EUR" }
const stock = { description: "Items in stock; null if the stock is not tracked.", example: 20 }
const status = { example: "published" }

documentFields(ListProducts, {
  status: { description: "Only products with this status." },
  search: { description: "Only products that contain this text.", example: "coat" },
  sort_by: { description: "Field to sort by." },
  order: { description: "Sort direction." },
})

documentFields(CreateProduct, {
  name,
  slug: generatedSlug,
  description,
  image,
  images,
  seo_title: seoTitle,
  seo_description: seoDescription,
  price_cents: priceCents,
  currency,
  stock,
  status,
})

documentFields(UpdateProduct, {
  name,
  slug: generatedSlug,
  description,
  image,
  images,
  seo_title: seoTitle,
  seo_description: seoDescription,
  price_cents: priceCents,
  currency,
  stock,
  status,
})

documentFields(ListedProduct, {
  slug,
  name,
  image,
  images,
  price_cents: priceCents,
  currency,
  stock,
  in_stock: { description: "Whether the product can be ordered." },
  status,
})

documentFields(ProductResource, { description, seo_title: seoTitle, seo_description: seoDescription }, ListedProduct)
