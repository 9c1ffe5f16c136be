// Serves the documentation: pages at /docs, OpenAPI documents at /openapi, and /llms.txt. Everything is rendered from
// openapi/ and docs/guides once per isolate and is the same for every reader.
import type { Context } from "hono"
import type { JSX } from "hono/jsx/jsx-runtime"
import { conditional } from "../core/cache/edge-cache"
import { contentSecurityPolicy, SELF_HOSTED } from "../core/html/content-security-policy"
import { respondErrorPage } from "../core/html/error-page"
import { findSiteByHost, hostOf } from "../core/http/host"
import { Refusal } from "../core/http/refusal"
import { createSurface, publicAccess, type SurfaceEnv } from "../core/http/surface"
import { publicUrl, settingsOf } from "../env"
import { sha256 } from "../lib/hash"
import { isolateState } from "../lib/isolate-state"
import { docsAssets, tryItAssets } from "./assets/assets"
import { type Guide, listGuides } from "./guides"
import { renderErrorCodes, renderEvents, renderLlmsTxt, renderReference } from "./markdown-export"
import { DOCUMENTS, type DocumentName, getServedDocument } from "./openapi"
import { ErrorCodesPage, listErrorCodeLinks } from "./pages/error-codes"
import { EventsPage, listEventLinks } from "./pages/events"
import { GuidePage } from "./pages/guide"
import { Home, listHomeLinks } from "./pages/home"
import { Layout, type LayoutProps } from "./pages/layout"
import { listOperationLinks, ReferencePage } from "./pages/reference"
import { SearchPage } from "./pages/search"
import { getReference, listReferences } from "./reference"
import { getSearchIndex, search } from "./search"
import { getTryIt } from "./try-it"

type C = Context<SurfaceEnv>

const CACHE_CONTROL = "public, max-age=300"

const ERRORS = {
  not_found: ["Not found.", 404],
  method_not_allowed: ["Method not allowed.", 405],
  temporarily_unavailable: ["This page is temporarily unavailable. Try again in a few seconds.", 503],
  server_error: ["Something went wrong.", 500],
} as const

export const docs = createSurface<SurfaceEnv, keyof typeof ERRORS>({
  name: "docs",
  gate: [publicAccess],
  maxBody: null,
  codes: ERRORS,
  refuse: (c, { code }) => {
    const [text, status] = ERRORS[code]
    // Documents are read by programs.
    if (!c.req.path.startsWith("/docs")) return c.text(text, status)
    return respondErrorPage(c, status)
  },
})

const isDocumentName = (name: string): name is DocumentName => (DOCUMENTS as readonly string[]).includes(name)

/** Lets pages of any origin read the documents, and validate a cached one. */
const CORS = { "Access-Control-Allow-Origin": "*", "Access-Control-Expose-Headers": "ETag, X-Request-Id" }

const PREFLIGHT = { "Access-Control-Allow-Methods": "GET, HEAD", "Access-Control-Allow-Headers": "If-None-Match" }

docs.use("/openapi/*", async (c, next) => {
  if (c.req.method === "OPTIONS") return c.body(null, 204, { ...CORS, ...PREFLIGHT, Allow: "GET, HEAD, OPTIONS" })
  await next()
})

docs.get("/openapi/:file", async (c) => {
  const [, name = "", kind] = /^(\w+)(\.postman)?\.json$/.exec(c.req.param("file")) ?? []
  const version = c.req.query("version") ?? "3.1"
  if (!isDocumentName(name) || (version !== "3.1" && version !== "3.0")) throw new Refusal("not_found")
  const edition = kind ? "postman" : version
  const host = hostOf(c.env, c.req.url)
  const { CENTRAL_DOMAIN } = settingsOf(c.env)
  // A store's host serves only the content API.
  if (host.kind === "other" && (name !== "content" || !(await findSiteByHost(c.env, host.hostname))))
    throw new Refusal("not_found")
  const hostname = host.kind === "central" ? CENTRAL_DOMAIN : host.hostname
  const { text, etag } = await getServedDocument(c.env, name, edition, publicUrl(settingsOf(c.env), hostname))
  const headers = {
    "Content-Type": "application/json",
    ETag: etag,
    "Cache-Control": CACHE_CONTROL,
    ...CORS,
  }
  return conditional(c.req.raw, new Response(text, { headers }))
})

docs.use(async (c, next) => {
  if (hostOf(c.env, c.req.url).kind !== "central") throw new Refusal("not_found")
  await next()
})

docs.get("/docs/assets/:file", async (c) => {
  const { path } = c.req
  const response = (await docsAssets.respond(c.env, path)) ?? (await tryItAssets.respond(c.env, path))
  if (!response) throw new Refusal("not_found")
  return conditional(c.req.raw, response)
})

docs.get("/llms.txt", (c) =>
  respondCached(c, "text/plain; charset=utf-8", async () =>
    renderLlmsTxt(appName(c), await listGuides(c.env, origin(c)), await listReferences(c.env), origin(c)),
  ),
)

const MAX_QUERY_LENGTH = 200

const readQuery = (c: C): string => (c.req.query("q") ?? "").slice(0, MAX_QUERY_LENGTH)

/** Results that the search field shows while the reader types. */
const MAX_SUGGESTIONS = 12

docs.get("/docs/search.json", async (c) => {
  const index = getSearchIndex(origin(c), await listGuides(c.env, origin(c)), await listReferences(c.env))
  return c.json(search(index, readQuery(c)).slice(0, MAX_SUGGESTIONS), 200, { "Cache-Control": CACHE_CONTROL })
})

docs.get("/docs/search", async (c) => {
  const query = readQuery(c)
  const guides = await listGuides(c.env, origin(c))
  const references = await listReferences(c.env)
  const results = search(getSearchIndex(origin(c), guides, references), query)
  const navigation = listHomeLinks(guides, references)
  const page = renderPage(
    c,
    { title: "Search", description: "Search the documentation.", navigation, query },
    <SearchPage query={query} results={results} />,
  )
  return new Response(page, { headers: { ...pageHeaders(c), "Cache-Control": "no-store", "X-Robots-Tag": "noindex" } })
})

docs.get("/docs", (c) =>
  respondCached(c, HTML, async () => {
    const guides = await listGuides(c.env, origin(c))
    const references = await listReferences(c.env)
    const navigation = listHomeLinks(guides, references)
    return renderPage(
      c,
      { title: "Documentation", description: `How to build on ${appName(c)}.`, navigation },
      <Home guides={guides} references={references} origin={origin(c)} appName={appName(c)} />,
    )
  }),
)

docs.get("/docs/", (c) => c.redirect("/docs", 308))

docs.get("/docs/:page", (c) => {
  const page = c.req.param("page")
  if (page.endsWith(".md"))
    return respondCached(c, "text/markdown; charset=utf-8", () => renderMarkdown(c, page.slice(0, -".md".length)))
  return respondCached(c, HTML, () => renderHtml(c, page))
})

const HTML = "text/html; charset=utf-8"

function pageHeaders(c: C) {
  const tryIt = getTryIt(settingsOf(c.env))
  const directives = tryIt ? { ...SELF_HOSTED, "connect-src": ["'self'", tryIt.storeOrigin] as const } : SELF_HOSTED
  return {
    "Content-Type": HTML,
    "Content-Security-Policy": contentSecurityPolicy(directives),
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
  }
}

const origin = (c: C): string => publicUrl(settingsOf(c.env), settingsOf(c.env).CENTRAL_DOMAIN)
const appName = (c: C): string => settingsOf(c.env).APP_NAME

/** @throws Refusal `not_found` */
async function renderHtml(c: C, name: string): Promise<string> {
  if (isDocumentName(name)) {
    const reference = await getReference(c.env, name)
    const { title } = reference
    const description = reference.description.split("\n")[0] ?? ""
    return renderPage(
      c,
      { title, description, navigation: listOperationLinks(reference), tryIt: getTryIt(settingsOf(c.env)) },
      <ReferencePage reference={reference} origin={origin(c)} />,
    )
  }
  if (name === "codes") {
    const platform = await getReference(c.env, "platform")
    const description = "Every error code of the control plane."
    const layout = { title: "Error codes", description, navigation: [listErrorCodeLinks(platform)] }
    return renderPage(c, layout, <ErrorCodesPage codes={platform.codes} />)
  }
  if (name === "events") {
    const platform = await getReference(c.env, "platform")
    const description = "Every webhook event with its payload."
    const layout = { title: "Events", description, navigation: [listEventLinks(platform)] }
    return renderPage(c, layout, <EventsPage events={platform.events} />)
  }
  const guides = await listGuides(c.env, origin(c))
  const guide = findGuide(guides, name)
  const navigation = listHomeLinks(guides, await listReferences(c.env))
  return renderPage(c, { title: guide.title, description: guide.lead, navigation }, <GuidePage guide={guide} />)
}

/** @throws Refusal `not_found` */
async function renderMarkdown(c: C, name: string): Promise<string> {
  if (isDocumentName(name)) return renderReference(await getReference(c.env, name), origin(c))
  if (name === "codes") return renderErrorCodes(await getReference(c.env, "platform"))
  if (name === "events") return renderEvents(await getReference(c.env, "platform"))
  return findGuide(await listGuides(c.env, origin(c)), name).text
}

/** @throws Refusal `not_found` */
function findGuide(guides: Guide[], name: string): Guide {
  const guide = guides.find((candidate) => candidate.name === name)
  if (!guide) throw new Refusal("not_found")
  return guide
}

const renderPage = (c: C, layout: Omit<LayoutProps, "path" | "appName">, content: JSX.Element): string =>
  (
    <Layout {...layout} path={c.req.path} appName={appName(c)}>
      {content}
    </Layout>
  ).toString()

/** Rendered pages by origin and path. Paths that are not found are not cached. */
const pageCache = isolateState(() => new Map<string, { text: string; etag: string }>())

/** Responds with a page that is rendered once per isolate, and with 304 when its ETag matches. */
async function respondCached(c: C, type: string, render: () => Promise<string>): Promise<Response> {
  const key = `${origin(c)} ${c.req.path}`
  let page = pageCache.current.get(key)
  if (!page) {
    const text = await render()
    page = { text, etag: `"${(await sha256(text)).slice(0, 32)}"` }
    pageCache.current.set(key, page)
  }
  const headers = {
    ...(type === HTML ? pageHeaders(c) : CORS),
    "Content-Type": type,
    ETag: page.etag,
    "Cache-Control": CACHE_CONTROL,
  }
  return conditional(c.req.raw, new Response(page.text, { headers }))
}
