// Type of an app's texts for the API reference, the `docs.ts` of its folder. Only tools import them.

export interface AppDocs {
  /** When to use an operation and what it changes, by operation id. */
  operations: Readonly<Record<string, string>>
  /** Path parameters that differ from `:id`, the id of the resource, such as `products :id`. */
  parameters?: Readonly<Record<string, { description: string; integer?: boolean; example: string | number }>>
  /** Fields for which a valid request may be refused, because a lookup decides, by operation id. For `npm run fuzz`. */
  lookups?: Readonly<Record<string, readonly string[]>>
}
