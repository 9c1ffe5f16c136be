// Reviews: what users think of products.
import type { Plugin } from "../plugin"

export const reviews: Plugin = { slug: "reviews", name: "Reviews", requires: ["ecommerce"] }
