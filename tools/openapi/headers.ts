// The headers of requests and answers, as components of every document.

const text = (description: string, example: string) => ({ description, schema: { type: "string" }, example })
const number = (description: string, example: number) => ({ description, schema: { type: "integer" }, example })

export const HEADERS = {
  "X-Request-Id": {
    ...text("Names this request in the log. Quote it when you report something.", "01K4YQZ0M8T3V6N9R2B5C7D1EF"),
    required: true,
  },
  "X-Tenancy-Api-Version": {
    ...text("Changes only when an answer or a payload breaks its shape.", "2026-09-02"),
    required: true,
  },
  "X-RateLimit-Limit": number("Requests a minute of the tighter budget.", 120),
  "X-RateLimit-Remaining": number("What is left of them.", 119),
  "X-RateLimit-Reset": number("When the minute is over, in seconds since 1970.", 1_788_344_160),
  "Retry-After": { ...number("Seconds until there is a budget again.", 17), required: true },
  "Idempotent-Replayed": text("`true` on an answer that was kept under this `Idempotency-Key`.", "true"),
  ETag: text("The version of what was answered, for `If-None-Match`.", '"3f1c9a"'),
  "Cache-Status": text("How the edge answered.", "Tenancy; hit"),
  "Cache-Control": text("How long it may be used without asking again.", "public, max-age=60"),
  "X-D1-Bookmark": text(
    "The state of the site's data after this write; bring it with the next read, which is then no older.",
    "00000085-0000024c-00004c6d-8e61117bf38d7adb71b934ebbf891683",
  ),
  "Content-Disposition": text("The file's name.", 'attachment; filename="main_ACME-SEO_1.5.0.zip"'),
  "Accept-Ranges": text("`bytes`: a part may be asked for.", "bytes"),
  "X-Content-Type-Options": text("`nosniff`.", "nosniff"),
}

/** On a 503 that passes by itself; one without it lasts until somebody opens the store. */
export const AFTER_MOVE = number("Seconds after which to try again: the store is being moved, and takes no writes.", 30)

const parameter = (name: string, description: string, schema: object, example: string) => ({
  name,
  in: "header",
  required: false,
  description,
  schema: { type: "string", ...schema },
  example,
})

export const REQUEST_HEADERS = {
  "Idempotency-Key": parameter(
    "Idempotency-Key",
    "Makes a repetition safe: for 24 hours a request under the same key is answered what the first one was, and done once.",
    { minLength: 1, maxLength: 255, pattern: "^[\\x21-\\x7e]+$" },
    "8f14e45f-ceea-467f-9f0e-3a1c7c1d2b6a",
  ),
  "Accept-Language": parameter("Accept-Language", "Language of messages: `en`, `es`, `fr` or `vi`.", {}, "fr"),
  "If-None-Match": parameter(
    "If-None-Match",
    "The ETag of what the client has; 304 when it is still good.",
    {},
    '"3f1c9a"',
  ),
  "X-D1-Bookmark": parameter(
    "X-D1-Bookmark",
    "The bookmark of a write whose effect is to be seen; without it, or with one that is none, an answer may be a moment old.",
    {},
    "00000085-0000024c-00004c6d-8e61117bf38d7adb71b934ebbf891683",
  ),
  "X-API-URL": parameter(
    "X-API-URL",
    "Where the software is installed; without it `Origin` or `Referer` says so.",
    {},
    "https://shop.example.com",
  ),
  "X-API-IP": parameter("X-API-IP", "The address of its server; without it the connection's.", {}, "203.0.113.7"),
  "X-API-LANGUAGE": parameter("X-API-LANGUAGE", "Language of messages: `english`, `en`, `es`, `fr`, `vi`.", {}, "en"),
}
