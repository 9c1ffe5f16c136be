// Requires an entry for every field of a type. Code that lists the fields of an input or a resource by hand uses it, so
// that a new field is a compile error in each such place until it is handled or omitted for a reason.

/** The entry of a field that is left out on purpose. */
export interface Omitted {
  /** Why nothing handles the field here, in at least two words. */
  readonly omitted: `${string} ${string}`
}

/** An entry for every field of `T`, including the optional ones. */
export type EveryField<T, Entry> = { readonly [Name in keyof T]-?: Entry | Omitted }

/** `T` with every field named, even if its value is undefined. */
export type Complete<T> = { [Name in keyof Required<T>]: T[Name] }

const isOmitted = (entry: unknown): entry is Omitted =>
  typeof entry === "object" && entry !== null && "omitted" in entry

/** Lists the fields that are not omitted, with their entries, in the order of the object. */
export const listFields = <Name extends string, Entry>(
  fields: Readonly<Record<Name, Entry | Omitted>>,
): [name: Name, entry: Exclude<Entry, Omitted>][] =>
  (Object.entries(fields) as [Name, Exclude<Entry, Omitted>][]).filter(([, entry]) => !isOmitted(entry))

/**
 * For every field of an input, the column of `Row` that stores it. Its type has to accept the field's values. A field
 * whose name is that of a column is stored nowhere else.
 */
export type InputColumns<Input, Row> = {
  readonly [Name in keyof Input]-?: ColumnFor<Name, NonNullable<Input[Name]>, Row> | Omitted
}

type ColumnFor<Name, Value, Row> =
  CamelCase<Name> extends keyof Row
    ? Pick<AcceptingColumns<Value, Row>, CamelCase<Name>>[CamelCase<Name>]
    : AcceptingColumns<Value, Row>[keyof Row]

type AcceptingColumns<Value, Row> = { [Column in keyof Row]: Value extends Row[Column] ? Column : never }

type CamelCase<Name> = Name extends `${infer First}_${infer Rest}`
  ? `${First}${Capitalize<CamelCase<Rest> & string>}`
  : Name

/** The fields of an input under the names of the columns that store them. */
type StoredColumns<Input, Columns> = {
  [Name in keyof Columns & keyof Input as Columns[Name] extends string ? Columns[Name] : never]: Input[Name]
}

/**
 * Returns the values of an input by the columns that store them.
 * @param columns the column of each field; declare it with `as const satisfies InputColumns<Input, Row>`
 */
export const toColumns = <Input extends object, const Columns extends EveryField<Input, string>>(
  input: Input,
  columns: Columns,
): StoredColumns<Input, Columns> =>
  Object.fromEntries(
    listFields<string, string>(columns as Readonly<Record<string, string | Omitted>>).map(([name, column]) => [
      column,
      input[name as keyof Input],
    ]),
  ) as StoredColumns<Input, Columns>

type SnakeCase<Name extends string> = Name extends `${infer First}${infer Rest}`
  ? `${First extends Lowercase<First> ? First : `_${Lowercase<First>}`}${SnakeCase<Rest>}`
  : ""

/**
 * The fields that a resource needs: one for each column of its table, in snake case. `Internal` are the columns that it
 * does not contain under their name.
 */
export type PublishedColumns<Row, Internal extends keyof Row> = Record<
  SnakeCase<Exclude<keyof Row, Internal> & string>,
  unknown
> &
  Record<string, unknown>
