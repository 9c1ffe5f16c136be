// Texts of the guestbook for the API reference.
import type { AppDocs } from "../../../src/apps/definition"
import { documentFields } from "../../../src/core/http/field-docs"
import { EntryResource, SignGuestbook } from "./schemas"

const name = { description: "Name of the visitor.", example: "Ines" }

documentFields(SignGuestbook, { name })

documentFields(EntryResource, { name })

export const docs: AppDocs = {
  operations: {
    "guestbook.list": "Lists the entries, oldest first.",
    "guestbook.sign": "Adds an entry, which is public at once.",
  },
}
