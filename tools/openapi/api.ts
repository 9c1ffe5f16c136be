// What a document contains in addition to the routes of a surface: authentication, errors, headers and texts.
import { Refusal, type RefusalCode, type RefusalOf } from "../../src/core/http/refusal.ts"
import type { RouteInfo } from "../../src/core/http/route.ts"
import type { PathParameter } from "./strings/parameters.ts"

/** An error that a route can return. */
export interface RefusalDoc {
  code: string
  status: number
  /** The response body in English. */
  body: unknown
}

/**
 * Builds a refusal for an example.
 * @param facts the facts of any code; the message takes those that it needs
 */
export const buildRefusal = <Code extends RefusalCode>(code: RefusalCode, facts: object = {}): RefusalOf<Code> =>
  new (Refusal as new (code: RefusalCode, facts: object) => RefusalOf<Code>)(code, facts)

export interface Api {
  name: "platform" | "content" | "license"
  title: string
  /** Markdown. */
  description: string
  /** Prefix of all paths. */
  base: string
  /** Descriptions by tag, in the order of the reference. */
  tags: Record<string, string>
  /** Tags of paths that only stores have. */
  storeTags?: readonly string[]
  /** Descriptions by operation id. */
  descriptions: Record<string, string>
  /** Path parameters, in addition to those that the APIs share. */
  parameters?: Readonly<Record<string, PathParameter>>
  routes: readonly RouteInfo[]
  securitySchemes: Record<string, object>
  security(route: RouteInfo): Record<string, string[]>[]
  /** Whether error bodies contain a code. */
  hasErrorCodes: boolean
  /** Fields of error bodies that may be absent even if the example has them. */
  optional?: string[]
  /** Descriptions of the error codes. */
  codes?: Record<string, { status: number; when: string; next: string }>
  /** Lists the errors of a route: its own, and those of its validators and of the surface. */
  refusals(route: RouteInfo): RefusalDoc[]
  /** Lists the optional request headers. */
  requestHeaders(route: RouteInfo): string[]
  /** Lists the headers of every response. */
  responseHeaders(route: RouteInfo): string[]
}

/** Whether the route has a request body. */
export const hasBody = (route: RouteInfo): boolean => Boolean(route.input.json ?? route.fields ?? route.files)

/** Whether the route validates its body or query. */
export const isValidated = (route: RouteInfo): boolean => Boolean(hasBody(route) || route.input.query)

/** Removes duplicates and `false`; the order is unchanged. */
export const listUnique = <Code extends RefusalCode>(codes: readonly (Code | false)[]): Code[] => [
  ...new Set(codes.filter((code) => code !== false)),
]

/** Returns the first required field, for the example of a validation error. */
export function getExampleField(route: RouteInfo): string {
  const schema = route.input.json ?? route.fields ?? route.input.query
  const shape =
    (schema as { shape?: Record<string, { safeParse(value: unknown): { success: boolean } }> } | undefined)?.shape ?? {}
  const names = Object.keys(shape)
  return names.find((name) => !shape[name]?.safeParse(undefined).success) ?? names[0] ?? "body"
}

/** What code generators need to know about timestamps; part of every document. */
export const TIMESTAMPS =
  "Timestamps are ISO 8601 with an offset, such as `2026-09-02T10:15:00+00:00`: let a generated validator accept offsets, not only `Z`."
