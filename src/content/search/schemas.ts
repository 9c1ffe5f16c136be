// The request and response schemas of the search.
import * as z from "zod"
import { searchTerm } from "../../core/http/validation"
import { foldCase } from "../case-folding"

export const Search = z.object({
  q: searchTerm((value) => foldCase(value).replaceAll("\0", "").replace(/\s+/g, " ").trim()),
})

const found = { id: z.int(), name: z.string(), slug: z.string(), image: z.string().nullable() }
const described = { ...found, description: z.string().nullable() }

/** A product as a search finds it. The app that has products converts its rows. */
export const FoundProduct = z
  .object({ ...found, price_cents: z.int(), currency: z.string(), in_stock: z.boolean() })
  .meta({ id: "FoundProduct" })

export const FoundPost = z.object({ ...described, created_at: z.string() }).meta({ id: "FoundPost" })
export const FoundPage = z.object(described).meta({ id: "FoundPage" })

export const SearchResults = z
  .object({ products: z.array(FoundProduct), posts: z.array(FoundPost), pages: z.array(FoundPage) })
  .meta({ id: "SearchResults" })
