// Texts of the galleries app for the API reference.
import type { AppDocs } from "../definition"
import "./schemas.docs"

export const docs: AppDocs = {
  operations: {
    "galleries.list": "Lists galleries without their pictures, newest first. Drafts require staff access.",
    "galleries.create": "Creates a gallery with its pictures. Requires staff access.",
    "galleries.get": "Returns a gallery with its pictures, by id or slug. Drafts require staff access.",
    "galleries.update": "Changes the fields in the body; `pictures` replaces all pictures. Requires staff access.",
    "galleries.delete": "Deletes a gallery with its pictures. Requires staff access.",
  },
  parameters: {
    "galleries :id": { description: "Id of the gallery; reading also accepts its slug.", example: "1" },
  },
  lookups: { "galleries.create": ["slug"], "galleries.update": ["slug"] },
}
