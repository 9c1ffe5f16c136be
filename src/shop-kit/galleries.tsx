// The form of a gallery, for the pages of staff and of operators.
import type { Child } from "hono/jsx"
import type { GalleryWithPictures } from "../apps/galleries/schemas"
import type { Form } from "../core/http/body"
import { versionTag } from "../core/http/precondition"
import { Field, Select, TextArea } from "../page-kit/form"
import { ShownVersion } from "../page-kit/version-guard"

const MAX_TITLE_LENGTH = 250

/** Lines that are parsed: one more than a gallery may have, which is refused. */
const MAX_LINES = 101

/** Converts the lines of a gallery's form: a path or URL, a space, and a caption. */
export function convertPictures(form: Form, fields: Record<string, unknown>) {
  const { pictures: _, ...others } = fields
  const text = form.get("pictures")?.at(-1)
  if (text === undefined) return { fields: others, errors: {} }
  const lines = text.split("\n", MAX_LINES).map((line) => line.trim())
  const pictures = lines.filter(Boolean).map((line) => {
    const [image = "", ...caption] = line.split(/\s+/)
    return { image, caption: caption.join(" ") }
  })
  return { fields: { ...others, pictures }, errors: {} }
}

const toLine = ({ image, caption }: GalleryWithPictures["pictures"][number]): string =>
  [image, caption?.replace(/\s+/g, " ")].filter(Boolean).join(" ")

/** The pictures of a gallery as the text of its form. */
export const toPictureLines = (found: GalleryWithPictures | undefined): string | undefined =>
  found?.pictures.map(toLine).join("\n")

interface GalleryFieldsProps {
  /** Missing for a new gallery. */
  found?: GalleryWithPictures | undefined
  texts: { title: string; statuses: Record<GalleryWithPictures["gallery"]["status"], string> }
  /** The field `pictures`, with one picture per line. */
  pictures: Child
  /** The field `image`. */
  cover: Child
  slug: Child
}

/** The fields of a gallery. */
export const GalleryFields = ({ found, texts: t, pictures, cover, slug }: GalleryFieldsProps) => (
  <>
    {found && <ShownVersion version={versionTag(found.gallery.id, found.gallery.updatedAt.getTime())} />}
    <Field name="name" label={t.title} required maxlength={MAX_TITLE_LENGTH} value={found?.gallery.name} />
    {pictures}
    <TextArea name="description" rows={3} maxlength={2000} value={found?.gallery.description} />
    {cover}
    <Select
      name="status"
      value={found?.gallery.status ?? "published"}
      choices={(["published", "draft"] as const).map((value) => ({ value, label: t.statuses[value] }))}
    />
    {slug}
  </>
)
