// Mocks DNS over HTTPS for the Workers that a benchmark serves: every name has a public address.

/** Responds to a DNS query; null for other requests. */
export function respondToDns(request: Request): Response | null {
  const url = new URL(request.url)
  if (url.pathname !== "/dns-query") return null
  const Answer = url.searchParams.get("type") === "A" ? [{ type: 1, data: "203.0.114.10" }] : []
  return Response.json({ Status: 0, Answer })
}
