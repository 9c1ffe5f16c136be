// E-commerce: products and orders.
import type { Plugin } from "../plugin"
import { seedProducts } from "./seed"

export const ecommerce: Plugin = { slug: "ecommerce", name: "E-commerce", requires: [], seed: seedProducts }
