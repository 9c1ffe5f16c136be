// Documents the API fields of categories.
import { documentFields } from "../../../core/http/field-docs"
import { CategoryResource, SaveCategory, UpdateCategory } from "./schemas"

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
