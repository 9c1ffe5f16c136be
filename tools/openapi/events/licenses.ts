// license.*: about no store.
import * as z from "zod"
import { LicenseResource } from "../../../src/license/licenses/schemas.ts"
import { type EventDoc, payload } from "./event.ts"
import { sparse } from "./sparse.ts"

const license = sparse(LicenseResource).meta({ id: "EventLicense" })

const activation = z
  .strictObject({
    id: z.int().optional(),
    domain: z.string().optional(),
    ip: z.string().optional(),
    client_name: z.string().optional(),
    activated_at: z.string().optional(),
  })
  .meta({ id: "EventActivation" })

const about = (type: string, summary: string, data: z.ZodRawShape = {}): EventDoc => ({
  summary,
  payload: payload(type, { license, ...data }),
})

export const licenseEvents = {
  "license.expiring": about("license.expiring", "A license ends in 30, 7 or 1 days.", { days: z.int() }),
  "license.expired": about("license.expired", "A license has ended."),
  "license.update_support_expired": about("license.update_support_expired", "A license gets no later versions."),
  "license.activated": about("license.activated", "A license was activated somewhere.", { activation }),
  "license.deactivated": about(
    "license.deactivated",
    "An activation ended; or all of a license, and how many they were.",
    {
      activation: activation.optional(),
      activations: z.int().optional(),
    },
  ),
  "license.blocked": about("license.blocked", "A license was blocked."),
}
