// The request and response schemas of categories.

import * as z from "zod"
import { shortText, withLookups } from "../../../core/http/validation"
import type { categories } from "../../../db/schema/sites/posts"
import { description, name, slug } from "../fields"
import { listQuery } from "../listing"

export const ListCategories = z.object(listQuery)

const category = z.object({
  slug,
  name,
  description,
  parent: shortText(120).nullish().describe("slug of the parent category"),
})

export const SaveCategory = withLookups(category, "slug", "parent")

const Child = z.object({
  id: z.int(),
  name: z.string(),
  slug: z.string(),
  description: z.string().nullable(),
  parent_id: z.int(),
})

export const CategoryResource = Child.extend({ children: z.array(Child) }).meta({ id: "Category" })

type Row = Pick<typeof categories.$inferSelect, "id" | "name" | "slug" | "description" | "parentId">

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
