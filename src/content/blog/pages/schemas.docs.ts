// Documents the API fields of pages.
import { documentFields } from "../../../core/http/field-docs"
import { ListedPage, ListPages, PageResource, SavePage, UpdatePage } from "./schemas"

const name = { description: "Title.", example: "Shipping" }
const slug = { description: "Identifier in URLs.", example: "shipping" }
const description = { description: "Summary.", example: null }
const image = { description: "URL or path of the image.", example: null }
const template = { description: "Template of the theme.", example: "default" }
const status = { example: "published" }
const content = { description: "HTML.", example: "<p>We ship within two days.</p>" }

documentFields(SavePage, {
  name,
  slug: { ...slug, description: "Identifier in URLs; derived from the title when omitted." },
  description,
  image,
  template,
  status,
  content,
})

documentFields(UpdatePage, { name, slug, description, image, template, status, content })

documentFields(ListPages, {
  status: { description: "Only pages with this status." },
  sort_by: { description: "Field to sort by." },
  order: { description: "Sort direction." },
})

documentFields(ListedPage, {
  name,
  slug,
  description,
  image,
  template,
  status,
})

documentFields(PageResource, { content }, ListedPage)
