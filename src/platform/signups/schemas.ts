// Schemas of sign-ups, from a form or as JSON.
import * as z from "zod"
import { email, MIN_PASSWORD_LENGTH, password, text, withLookups } from "../../core/http/validation"
import { LOCALES } from "../../core/i18n/locale"
import { CouponCode } from "../coupons/schemas"
import { CreateStore } from "../stores/schemas"

/** Treats an empty form field as absent. */
const optional = <Type extends z.ZodType>(type: Type) =>
  z.preprocess((value) => (value === "" ? undefined : value), type.nullish())

const fields = z.object({
  name: text({ max: 120 }),
  subdomain: CreateStore.shape.subdomain,
  email: email(190),
  plan: optional(z.string().max(63)),
  theme: optional(z.string().max(63)),
  preset: optional(z.string().max(63)),
  coupon: optional(CouponCode),
  language: optional(z.enum(LOCALES)),
})

/** The fields that are looked up among the current offers. */
const CHOICES = ["email", "plan", "theme", "preset", "coupon"] as const

/** A sign-up that is confirmed by mail. A password that old clients still send is ignored. */
export const SignUp = withLookups(fields, ...CHOICES)

/** The password of a new store's owner, which is looked up among the common ones. */
export const ChosenPassword = withLookups(z.object({ password: password(MIN_PASSWORD_LENGTH) }), "password")

/** A sign-up without confirmation by mail, which includes the password. */
export const SignUpWithPassword = withLookups(fields.extend(ChosenPassword.shape), ...CHOICES, "password")

export const EmailOnly = z.object({ email: email(190) })
