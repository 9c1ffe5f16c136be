// Documents the API fields of revisions.
import { documentFields } from "../../core/http/field-docs"
import { Revision } from "./schemas"

documentFields(Revision, {
  n: { description: "Number of the version; 1 for the first one.", example: 3 },
  created_at: { description: "When the version was saved.", example: "2026-02-11T09:30:00+00:00" },
  author: {
    description: "Who saved it; null for a version from before revisions. `id` is null for servers and operators.",
    example: { id: 42, name: "Ada Lovelace" },
  },
  name: { description: "Its title.", example: "How we dye wool" },
})
