// Request and response schemas of the guestbook.
import * as z from "zod"
import { text } from "../../../src/core/http/validation"

export const SignGuestbook = z.object({ name: text({ max: 40 }) })

export const EntryResource = z.object({ id: z.int(), name: z.string() }).meta({ id: "GuestbookEntry" })
