// Documents the API fields of apps.
import { documentFields } from "../../core/http/field-docs"
import { AppResource } from "./schemas"

documentFields(AppResource, {
  slug: { description: "Identifier of the app in requests.", example: "reviews" },
  name: { description: "Name of the app.", example: "Reviews" },
  enabled: { description: "Whether the store uses the app." },
  required_by: { description: "Slugs of the installed apps that require this one.", example: [] },
})
