// The schema of an endpoint's filter.
import * as z from "zod"
import { listOf, shortText, violates } from "../../core/http/validation"
import type { FilterCondition } from "../../db/schema/central/webhooks"

const MAX_CONDITIONS = 10

const MAX_LIST_ITEMS = 100

const matching = (pattern: string) => {
  const regex = new RegExp(pattern)
  return shortText(200)
    .refine((path) => regex.test(path), violates("format"))
    .meta({ pattern })
}

/** Keys of a payload, from one of its fields. */
const path = matching("^(id|type|created_at|api_version|data|meta)(\\.[A-Za-z0-9_-]+)*$")

/** A changed field, by its name or its path. */
const changedPath = matching("^(data\\.changes\\.)?[A-Za-z0-9_-]+$")

const text = shortText(255)
const value = z.union([text, z.number(), z.boolean()])

/** No value. */
const none = z.null().optional()

/** The forms of a condition, by its operator. */
export const FILTER_CONDITIONS = [
  z.object({ path, op: z.enum(["eq", "ne"]), value }),
  z.object({ path, op: z.literal("in"), value: listOf(value, { min: 1, max: MAX_LIST_ITEMS }) }),
  z.object({ path, op: z.enum(["gt", "gte", "lt", "lte"]), value: z.union([text, z.number()]) }),
  z.object({ path, op: z.literal("exists"), value: none }),
  z.object({ path: changedPath, op: z.literal("changed"), value: none }),
] as const

/** Whether a value is a condition with an unknown operator, whose other fields the union does not check. */
const hasUnknownOp = ({ value }: { value: unknown }): boolean =>
  z.looseObject({ path: z.unknown(), op: z.unknown() }).safeParse(value).success &&
  !FILTER_CONDITIONS.some(({ shape }) => shape.op.safeParse((value as { op: unknown }).op).success)

const condition = z
  .discriminatedUnion("op", FILTER_CONDITIONS)
  .refine((input) => path.safeParse(input.path).success, { ...violates("format"), path: ["path"], when: hasUnknownOp })
  .transform(
    ({ path, op, value }): FilterCondition => ({ path, op, ...(value !== undefined && value !== null && { value }) }),
  )

/** Conditions, all of which an event has to meet; an empty list is stored as null. */
export const filter = listOf(condition, { max: MAX_CONDITIONS })
  .transform((conditions) => (conditions.length ? conditions : null))
  .nullish()
