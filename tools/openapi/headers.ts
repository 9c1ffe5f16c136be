// Documents the headers of requests and responses, as components of every document.

const text = (description: string, example: string) => ({ description, schema: { type: "string" }, example })
const number = (description: string, example: number) => ({ description, schema: { type: "integer" }, example })

const BOOKMARK = "00000085-0000024c-00004c6d-8e61117bf38d7adb71b934ebbf891683"

export const HEADERS = {
  "X-Request-Id": {
    ...text("Id of the request in the logs. Include it when you contact support.", "01K4YQZ0M8T3V6N9R2B5C7D1EF"),
    required: true,
  },
  "X-Tenancy-Api-Version": {
    ...text("API version, which changes only with incompatible changes.", "2026-09-02"),
    required: true,
  },
  "X-RateLimit-Limit": number("Requests per minute of the tightest rate limit.", 120),
  "X-RateLimit-Remaining": number("Requests left in this minute.", 119),
  "X-RateLimit-Reset": number("Unix time in seconds at which the rate limit resets.", 1_788_344_160),
  "Retry-After": { ...number("Seconds until the rate limit allows another request.", 17), required: true },
  "Idempotent-Replayed": text("`true` if the response was stored for this `Idempotency-Key`.", "true"),
  ETag: text("Version of the content, for `If-None-Match`.", '"3f1c9a"'),
  "Cache-Status": text("How the cache handled the request (RFC 9211).", "Tenancy; hit"),
  "Cache-Control": text("How long the response may be cached.", "public, max-age=60"),
  "X-D1-Bookmark": text("Position of this write. Send it with a read that has to include the write.", BOOKMARK),
  "Content-Disposition": text("Name of the file.", 'attachment; filename="main_ACME-SEO_1.5.0.zip"'),
  "Accept-Ranges": text("`bytes`: range requests are supported.", "bytes"),
  "X-Content-Type-Options": text("`nosniff`.", "nosniff"),
}

/** On a temporary 503. A disabled API and a suspended store respond without it. */
export const UNAVAILABLE_RETRY_AFTER = number("Seconds until a retry makes sense.", 3)

/** @param example none for a header whose value must differ in each request, because tools send the example */
const parameter = (name: string, description: string, schema: object, example?: string) => ({
  name,
  in: "header",
  required: false,
  description,
  schema: { type: "string", ...schema },
  ...(example !== undefined && { example }),
})

export const REQUEST_HEADERS = {
  "Idempotency-Key": parameter(
    "Idempotency-Key",
    "Unique key that makes retries safe. For 24 hours, requests with the same key get the first response and have no further effect.",
    { minLength: 1, maxLength: 255, pattern: "^[\\x21-\\x7e]+$" },
  ),
  // Its component has another name, because the control plane's key works differently.
  "Order-Idempotency-Key": parameter(
    "Idempotency-Key",
    "Unique key that makes retries safe: a request that is repeated with it returns the order that the first one placed. With another body, the response is 422.",
    { minLength: 1, maxLength: 255, pattern: "^[\\x21-\\x7e]+$" },
  ),
  "Accept-Language": parameter("Accept-Language", "Language of messages: `en`, `es`, `fr` or `vi`.", {}, "en"),
  "X-LANGUAGE": parameter(
    "X-LANGUAGE",
    "Language of messages, before `Accept-Language`: `en`, `es`, `fr` or `vi`.",
    {},
    "en",
  ),
  "If-None-Match": parameter(
    "If-None-Match",
    "ETag of the cached response. The server responds with 304 if it is current.",
    {},
    '"3f1c9a"',
  ),
  "If-Match": parameter(
    "If-Match",
    "`ETag` of the resource as you read it. If it was changed since, the response is 412 `precondition_failed` and nothing changes.",
    {},
    '"42.7"',
  ),
  "X-D1-Bookmark": parameter(
    "X-D1-Bookmark",
    "Bookmark of a write that the response has to include. Without it, the response may be slightly out of date.",
    {},
    BOOKMARK,
  ),
  "X-API-URL": parameter(
    "X-API-URL",
    "URL of the installation; `Origin` or `Referer` by default.",
    {},
    "https://shop.example.com",
  ),
  "X-API-IP": parameter(
    "X-API-IP",
    "IP address of the installation's server; that of the connection by default.",
    {},
    "203.0.113.7",
  ),
  "X-API-LANGUAGE": parameter("X-API-LANGUAGE", "Language of messages: `english`, `en`, `es`, `fr` or `vi`.", {}, "en"),
}
