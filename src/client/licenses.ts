// The client of the license manager.
import { type ApiClient, createApiClient } from "./api-client.ts"
import { OPERATIONS, type Operations } from "./license-openapi.ts"
import { assertCredential, Transport, type TransportOptions } from "./transport.ts"

export interface LicenseOptions extends TransportOptions {
  /** An external key for client software (`client`, `updates`), or an internal key for vendor tools. */
  key: string
  /** URL of the installation that uses the license, whose domain counts as one use. */
  installationUrl?: string
}

/** A client of the license manager, with one property per resource. */
export type LicenseClient = ApiClient<Operations>

/**
 * Creates a client of the license manager.
 *
 * Methods are called `client.<resource>.<verb>(…ids of the path, input, options)`, as in the reference, and return the
 * body of the response; downloads return the `Response`. Failed calls throw a `TenancyError` with `status`, `message`
 * and `errors`; an invalid license is not an error, but a response with `is_active: false`. A POST is only retried
 * after a 429, because this API has no idempotency keys.
 * @throws TypeError for invalid options
 */
export function createLicenseClient({ key, installationUrl, ...options }: LicenseOptions): LicenseClient {
  const headers = {
    "X-API-KEY": assertCredential(key, "key must be an API key of the license manager"),
    ...(installationUrl !== undefined && { "X-API-URL": installationUrl }),
  }
  return createApiClient(new Transport(options, { basePath: "/api", headers, hasIdempotencyKeys: false }), OPERATIONS)
}
