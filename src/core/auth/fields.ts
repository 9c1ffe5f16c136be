// Fields that forms of accounts share.
import * as z from "zod"
import { chosenPassword, text } from "../http/validation"

/** The form that accepts an invitation. */
export const acceptanceForm = (minPasswordLength?: number) =>
  z.object({ name: text({ min: 2, max: 120 }), password: chosenPassword(minPasswordLength) })
