// The request and response schemas of tags.

import * as z from "zod"
import { withLookups } from "../../../core/http/validation"
import type { tags } from "../../../db/schema/sites/posts"
import { description, name, slug } from "../fields"
import { listQuery } from "../listing"

export const ListTags = z.object(listQuery)

const fields = { slug, name, description }

export const SaveTag = withLookups(z.object(fields), "slug")

export const UpdateTag = withLookups(z.object(fields).partial(), "slug")

export type TagRow = typeof tags.$inferSelect

export const TagResource = z
  .object({ id: z.int(), name: z.string(), slug: z.string(), description: z.string().nullable() })
  .meta({ id: "Tag" })

export const tagResource = ({ id, name, slug, description }: TagRow): z.input<typeof TagResource> => ({
  id,
  name,
  slug,
  description,
})
