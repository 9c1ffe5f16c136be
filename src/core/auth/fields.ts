// Fields that forms of accounts share.
import * as z from "zod"
import { MIN_PASSWORD_LENGTH, password, text, withLookups } from "../http/validation"

/** The form that accepts an invitation. The service looks the password up among the common ones. */
export const acceptanceForm = (minPasswordLength = MIN_PASSWORD_LENGTH) =>
  withLookups(z.object({ name: text({ min: 2, max: 120 }), password: password(minPasswordLength) }), "password")
