// Documents the API fields of categories.
import { documentFields } from "../../../core/http/field-docs"
import { CategoryResource, FilterCategories, SaveCategory, UpdateCategory } from "./schemas"

const name = { description: "Name of the category.", example: "Workshop" }
const slug = { description: "Identifier in URLs.", example: "workshop" }
const description = { description: "Description for readers.", example: null }
const parent = { description: "Id or slug of the parent category; null at the top level.", example: null }

documentFields(SaveCategory, {
  name,
  slug: { ...slug, description: "Identifier in URLs; derived from the name when omitted." },
  description,
  parent,
})

documentFields(UpdateCategory, { name, slug, description, parent })

documentFields(CategoryResource, {
  name,
  slug,
  description,
  parent_id: { description: "Id of the parent category; 0 at the top level.", example: 0 },
  children: { description: "Direct subcategories.", example: [] },
})

const ids = (what: string) => ({ description: `${what}, as comma-separated ids.`, example: [3, 5] })

documentFields(FilterCategories, {
  search: { description: "Only categories whose name contains this text.", example: "work" },
  include: ids("Only these categories"),
  exclude: ids("Not these categories"),
  parent: ids("Only direct subcategories of these categories"),
  order_by: { description: "Field to sort by; `title` is the same as `name`." },
  order: { description: "Sort direction." },
})
