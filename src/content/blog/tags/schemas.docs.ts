// Documents the API fields of tags.
import { documentFields } from "../../../core/http/field-docs"
import { TagResource } from "./schemas"

documentFields(TagResource, {
  name: { description: "Name of the tag.", example: "Wool" },
  slug: { description: "Identifier in URLs.", example: "wool" },
  description: { description: "Description for readers.", example: null },
})
