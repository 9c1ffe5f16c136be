// What a document needs to know of a surface beside its routes: who may call it, what its gate refuses, what refusals look like.
import type { RefusalCode } from "../../src/core/http/refusal.ts"
import type { RouteInfo } from "../../src/core/http/route.ts"

/** One way in which a route refuses. */
export interface RefusalDoc {
  code: string
  status: number
  /** The body as a client reads it, in English. */
  body: unknown
}

export interface Api {
  name: "platform" | "content" | "license"
  title: string
  /** Markdown. */
  description: string
  /** The path that its operations' paths follow. */
  base: string
  /** One a noun, in the order of the reference. */
  tags: Record<string, string>
  routes: readonly RouteInfo[]
  securitySchemes: Record<string, object>
  security(route: RouteInfo): Record<string, string[]>[]
  /** Whether refusals tell their code to clients. */
  showsCodes: boolean
  /** Fields of a refusal that may be absent where an example has them. */
  optional?: string[]
  /** What each code means, for readers. */
  codes?: Record<string, { status: number; when: string; next: string }>
  /** What the route may refuse with: its own codes, its validators' and its gate's. */
  refusals(route: RouteInfo): RefusalDoc[]
  /** Headers that a request may carry. */
  requestHeaders(route: RouteInfo): string[]
  /** Headers of every answer. */
  responseHeaders(route: RouteInfo): string[]
}

/** What reads a JSON body refuses. */
export const takesBody = (route: RouteInfo): boolean => Boolean(route.input.json ?? route.fields ?? route.files)

/** Whether a validator stands before the route, or it holds its fields to a schema itself. */
export const isValidated = (route: RouteInfo): boolean => Boolean(takesBody(route) || route.input.query)

/** Codes without doubles, in the order given. */
export const distinct = (codes: readonly (RefusalCode | false)[]): RefusalCode[] => [
  ...new Set(codes.filter((code) => code !== false)),
]

/** The first field that a request must have, for the example of a fault. */
export function exampleField(route: RouteInfo): string {
  const schema = route.input.json ?? route.fields ?? route.input.query
  const shape =
    (schema as { shape?: Record<string, { safeParse(value: unknown): { success: boolean } }> } | undefined)?.shape ?? {}
  const names = Object.keys(shape)
  return names.find((name) => !shape[name]?.safeParse(undefined).success) ?? names[0] ?? "body"
}
