// Documents the API fields of tags.
import { documentFields } from "../../../core/http/field-docs"
import { SaveTag, TagResource, UpdateTag } from "./schemas"

const name = { description: "Name of the tag.", example: "Wool" }
const slug = { description: "Identifier in URLs.", example: "wool" }
const description = { description: "Description for readers.", example: null }

documentFields(SaveTag, {
  name,
  slug: { ...slug, description: "Identifier in URLs; derived from the name when omitted." },
  description,
})

documentFields(UpdateTag, { name, slug, description })

documentFields(TagResource, {
  name,
  slug,
  description,
})
