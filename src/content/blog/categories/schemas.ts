// The request and response schemas of categories.

import * as z from "zod"
import { searchTerm, withLookups } from "../../../core/http/validation"
import type { categories } from "../../../db/schema/sites/posts"
import { foldCase } from "../../case-folding"
import { description, idOrSlug, name, slug } from "../fields"
import { filterQuery, idList, listQuery } from "../listing"

export const ListCategories = z.object(listQuery)

export const FilterCategories = z.object({
  ...filterQuery,
  search: searchTerm((value) => foldCase(value).replaceAll("\0", "").trim()).optional(),
  parent: idList.optional(),
})

const fields = {
  slug,
  name,
  description,
  parent: idOrSlug.nullish().describe("id or slug of the parent category"),
}

export const SaveCategory = withLookups(z.object(fields), "slug", "parent")

export const UpdateCategory = withLookups(z.object(fields).partial(), "slug", "parent")

const Child = z.object({
  id: z.int(),
  name: z.string(),
  slug: z.string(),
  description: z.string().nullable(),
  parent_id: z.int(),
})

export const CategoryResource = Child.extend({ children: z.array(Child) }).meta({ id: "Category" })

type Row = typeof categories.$inferSelect

/** A category with its direct children. */
export interface CategoryWithChildren {
  category: Row
  children: Row[]
}

const childResource = ({ parentId, id, name, slug, description }: Row): z.input<typeof Child> => ({
  id,
  name,
  slug,
  description,
  parent_id: parentId,
})

export const categoryResource = ({ category, children }: CategoryWithChildren): z.input<typeof CategoryResource> => ({
  ...childResource(category),
  children: children.map(childResource),
})
