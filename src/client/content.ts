// The client of a site's content API.
import { type ApiClient, createApiClient } from "./api-client.ts"
import { OPERATIONS, type Operations } from "./content-openapi.ts"
import { assertCredential, Transport, type TransportOptions } from "./transport.ts"

export interface ContentOptions extends TransportOptions {
  /** The site's API key or a server token; media requires one. */
  apiKey?: string
  /** A user's token from `accounts.logIn`. */
  token?: string
}

/** A client of the content API, with one property per resource. */
export type ContentClient = ApiClient<Operations>

/**
 * Creates a client of the content API of the site that `baseUrl` names.
 *
 * Methods are called `client.<resource>.<verb>(…ids of the path, input, options)`, as in the reference, and return the
 * body of the response. Failed calls throw a `TenancyError` with `status`, `message` and `errors`. A POST other than
 * `orders.place` is only retried after a 429, because it has no idempotency key.
 * @throws TypeError for invalid options
 */
export function createContentClient({ apiKey, token, ...options }: ContentOptions): ContentClient {
  const headers: Record<string, string> = {}
  if (apiKey !== undefined) headers["X-API-KEY"] = assertCredential(apiKey, "apiKey must be an API key")
  if (token !== undefined) headers.Authorization = `Bearer ${assertCredential(token, "token must be a user's token")}`
  return createApiClient(
    new Transport(options, { basePath: "/api/v1", headers, hasIdempotencyKeys: false }),
    OPERATIONS,
  )
}
