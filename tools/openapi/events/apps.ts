// The events about apps.
import * as z from "zod"
import { documentFields } from "../../../src/core/http/field-docs.ts"
import { storeEvent } from "./event.ts"

const app = z.strictObject({ slug: z.string() })
documentFields(app, { slug: { description: "Identifier of the app.", example: "reviews" } })

export const appEvents = {
  "app.enabled": storeEvent("app.enabled", "An app was enabled.", { app }),
  "app.disabled": storeEvent("app.disabled", "An app was disabled.", { app }),
}
