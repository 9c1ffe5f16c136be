// Documents the API fields of pages.
import { documentFields } from "../../../core/http/field-docs"
import { ListedPage, ListPages, PageResource } from "./schemas"

documentFields(ListPages, {
  status: { description: "Only pages with this status." },
  sort_by: { description: "Field to sort by." },
  order: { description: "Sort direction." },
})

documentFields(ListedPage, {
  name: { description: "Title.", example: "Shipping" },
  slug: { description: "Identifier in URLs.", example: "shipping" },
  description: { description: "Summary.", example: null },
  image: { description: "URL or path of the image.", example: null },
  template: { description: "Template of the theme.", example: "default" },
  status: { example: "published" },
})

documentFields(
  PageResource,
  { content: { description: "HTML.", example: "<p>We ship within two days.</p>" } },
  ListedPage,
)
