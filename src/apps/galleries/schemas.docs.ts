// Documents the API fields of galleries.
import { documentFields } from "../../core/http/field-docs"
import { CreateGallery, GalleryResource, ListedGallery, ListGalleries, UpdateGallery } from "./schemas"

const name = { description: "Title.", example: "Lookbook" }
const slug = { description: "Identifier in URLs.", example: "lookbook" }
const generatedSlug = { ...slug, description: "Identifier in URLs; derived from the name when omitted." }
const description = { description: "Description for visitors.", example: null }
const image = { description: "URL or path of the cover image.", example: "/media/2026/lookbook.jpg" }
const status = { example: "published" }
const pictures = {
  description: "Pictures in order. They replace the current ones.",
  example: [{ image: "/media/2026/coat.jpg", caption: "The rain coat in ochre" }],
}

documentFields(ListGalleries, { status: { description: "Only galleries with this status." } })

documentFields(CreateGallery, { name, slug: generatedSlug, description, image, status, pictures })

documentFields(UpdateGallery, { name, slug: generatedSlug, description, image, status, pictures })

documentFields(ListedGallery, { slug, name, description, image, status })

documentFields(GalleryResource, { pictures: { ...pictures, description: "Pictures in order." } }, ListedGallery)

documentFields(GalleryResource.shape.pictures.element, {
  image: { description: "URL or path of the picture.", example: "/media/2026/coat.jpg" },
  caption: { description: "Text below the picture.", example: "The rain coat in ochre" },
})
