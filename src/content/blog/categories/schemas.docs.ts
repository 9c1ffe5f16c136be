// Documents the API fields of categories.
import { documentFields } from "../../../core/http/field-docs"
import { CategoryResource } from "./schemas"

documentFields(CategoryResource, {
  name: { description: "Name of the category.", example: "Workshop" },
  slug: { description: "Identifier in URLs.", example: "workshop" },
  description: { description: "Description for readers.", example: null },
  parent_id: { description: "Id of the parent category; 0 at the top level.", example: 0 },
  children: { description: "Direct subcategories.", example: [] },
})
