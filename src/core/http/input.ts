// Validates input by its schema and by lookups, and reports the errors of both in one response. A schema declares the
// fields that its service function looks up (`withLookups`). Such a function receives a `PartialInput`, which yields
// the values only in exchange for the result of each lookup, so no function can report a lookup's error alone.
import * as z from "zod"
import { isJsonObject } from "../../lib/json"
import { type FieldError, type FieldErrors, type FieldRule, Refusal, type RefusalOf } from "./refusal"
import { fieldErrors, lookupsOf, type WithLookups } from "./validation"

/** The validated input of a service function: the schema's output, or a `PartialInput` when it declares lookups. */
export type Input<Schema extends z.ZodType> =
  Schema extends WithLookups<infer Field> ? PartialInput<z.output<Schema>, Field> : z.output<Schema>

/** The result of a lookup: the violated rule, or nothing for a valid value. `path` names an item of a list. */
type LookupResult = FieldRule | FieldError | readonly (FieldError & { path: string })[] | false | null | undefined

type LookupResults<Field extends string> = Readonly<Record<Field, LookupResult>>

/** Input that the schema has validated and whose lookups are still to come. Some of its fields may be invalid. */
export class PartialInput<Values, Field extends string> {
  /** The fields that the schema accepts. An invalid field is missing. */
  readonly valid: Readonly<Partial<Values>>
  readonly #errors: FieldErrors
  readonly #order: readonly string[]

  constructor(valid: Partial<Values>, errors: FieldErrors, order: readonly string[]) {
    this.valid = valid
    this.#errors = errors
    this.#order = order
  }

  /**
   * Returns the values.
   * @param results the result of each lookup; none for a field that is invalid already
   * @throws Refusal `validation_failed` with the errors of the schema and of the lookups
   */
  complete(results: LookupResults<Field>): Values {
    const errors = this.#merge(results)
    if (Object.keys(errors).length) throw new Refusal("validation_failed", { fields: errors })
    return this.valid as Values
  }

  /**
   * Returns the values. The lookups run only when the schema reports errors: for rules that the commit enforces, such
   * as a unique index, so that valid input costs no round trip.
   * @throws Refusal `validation_failed` with the errors of the schema and of the lookups
   */
  async completeBeforeCommit(lookUp: (valid: Partial<Values>) => Promise<LookupResults<Field>>): Promise<Values> {
    if (!this.hasErrors) return this.valid as Values
    return this.complete(await lookUp(this.valid))
  }

  /** Records the results of some lookups. The returned input requires only the others. */
  with<Known extends Field>(results: LookupResults<Known>): PartialInput<Values, Exclude<Field, Known>> {
    return new PartialInput(this.valid, this.#merge(results), this.#order)
  }

  /** Renames or converts the valid fields. */
  map<Next>(convert: (valid: Readonly<Partial<Values>>) => Partial<Next>): PartialInput<Next, Field> {
    return new PartialInput(convert(this.valid), this.#errors, this.#order)
  }

  /**
   * Creates the refusal of one field, for an error that is found while other lookups cannot run or after the commit.
   */
  reject(field: Field, result: FieldRule | FieldError): RefusalOf<"validation_failed"> {
    return new Refusal("validation_failed", { fields: this.#merge({ [field]: result }) })
  }

  /**
   * Returns the value of a field that the other lookups need, such as the store.
   * @throws Refusal `validation_failed` with the errors of the schema, when that field is invalid
   */
  require<Name extends keyof Values & string>(field: Name): Values[Name] {
    if (this.#isInvalid(field)) throw new Refusal("validation_failed", { fields: this.#errors })
    return this.valid[field] as Values[Name]
  }

  /** Whether the schema accepts a field; an optional one may be absent. */
  isValid(field: keyof Values & string): boolean {
    return !this.#isInvalid(field)
  }

  get hasErrors(): boolean {
    return Object.keys(this.#errors).length > 0
  }

  /** Adds the errors of lookups to those of the schema, in the order of its fields. */
  #merge(results: Partial<Record<string, LookupResult>>): FieldErrors {
    const found = Object.entries(results).flatMap(([field, result]) =>
      this.#isInvalid(field) ? [] : toEntries(field, result),
    )
    if (!found.length) return this.#errors
    const position = ([name]: [string, unknown]) => this.#order.indexOf(name.split(".")[0] ?? name)
    const entries = [...Object.entries(this.#errors), ...found].sort((a, b) => position(a) - position(b))
    return toRecord(entries)
  }

  #isInvalid(field: string): boolean {
    return Object.keys(this.#errors).some((name) => name === field || name.startsWith(`${field}.`))
  }
}

function toEntries(field: string, result: LookupResult): [string, FieldError[]][] {
  if (!result) return []
  if (typeof result === "string") return [[field, [{ rule: result }]]]
  if ("rule" in result) return [[field, [result]]]
  return result.map(({ path, ...error }) => [`${field}.${path}`, [error]])
}

/** Builds an object without a prototype, because a field may be named `__proto__`. */
const toRecord = (entries: [string, FieldError[]][]): FieldErrors =>
  Object.assign(Object.create(null) as FieldErrors, Object.fromEntries(entries))

/**
 * Validates a value by a schema.
 * @param known errors that were found before
 * @returns the input of the service function; with errors only when one of its lookups can still run
 * @throws Refusal `validation_failed` with errors by field
 */
export function parseInput<Schema extends z.ZodType>(
  schema: Schema,
  value: unknown,
  known: FieldErrors = {},
): Input<Schema> {
  const result = schema.safeParse(value)
  const hasKnownErrors = Object.keys(known).length > 0
  if (result.success && !hasKnownErrors) return validInput(schema, result.data)
  const errors = result.success ? known : { ...known, ...fieldErrors(result.error, value) }
  const invalid = new Set(result.error?.issues.map(({ path: [field] }) => field))
  const canLookUp = lookupsOf(schema).some((field) => !invalid.has(field))
  if (!canLookUp || !isJsonObject(value) || !(schema instanceof z.ZodObject))
    throw new Refusal("validation_failed", { fields: errors })
  const valid: Record<string, unknown> = {}
  for (const [field, fieldSchema] of Object.entries(schema.shape)) {
    if (invalid.has(field)) continue
    const { data } = (fieldSchema as z.ZodType).safeParse(value[field])
    if (data !== undefined) valid[field] = data
  }
  return new PartialInput(valid, errors, Object.keys(schema.shape)) as Input<Schema>
}

/** Wraps values that are valid by the schema, for a caller without a request. */
export const validInput = <Schema extends z.ZodType>(schema: Schema, values: z.output<Schema>): Input<Schema> =>
  (schema instanceof z.ZodObject && lookupsOf(schema).length
    ? new PartialInput(values as object, {}, Object.keys(schema.shape))
    : values) as Input<Schema>
