// The documentation: pages at /docs, documents at /openapi, /llms.txt. All of it is made of openapi/ and docs/guides, rendered on the
// server once an isolate, and the same for everybody.
import type { Context } from "hono"
import type { JSX } from "hono/jsx/jsx-runtime"
import { conditional } from "../core/cache/edge-cache"
import { hostOf, siteOf } from "../core/http/host"
import { Refusal } from "../core/http/refusal"
import { createSurface, type SurfaceEnv } from "../core/http/surface"
import { publicUrl, settingsOf } from "../env"
import { sha256 } from "../lib/hash"
import { codesMarkdown, eventsMarkdown, llmsText, referenceMarkdown } from "./as-markdown"
import { asset, assetNames } from "./assets/assets"
import { guidesFor } from "./guides"
import { DOCUMENTS, type DocumentName, servedDocument } from "./openapi"
import { Home, homeSide } from "./pages/home"
import { Layout, type NavGroup } from "./pages/layout"
import { CodesPage, EventsPage, GuidePage, SearchPage } from "./pages/plain"
import { ReferencePage, referenceSide } from "./pages/reference"
import { allReferences, type Reference, referenceOf } from "./reference"
import { search, searchIndex } from "./search"

type C = Context<SurfaceEnv>

const CSP =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"

const FRESH = "public, max-age=300"

export const docs = createSurface<SurfaceEnv>({
  name: "docs",
  maxBody: null,
  refuse: (c, { code }) => {
    if (code === "method_not_allowed") return c.text("Method not allowed.", 405)
    return code === "not_found" ? c.text("Not found.", 404) : c.text("Something went wrong.", 500)
  },
})

const isName = (name: string): name is DocumentName => (DOCUMENTS as readonly string[]).includes(name)

docs.get("/openapi/:file", async (c) => {
  const name = c.req.param("file").replace(/\.json$/, "")
  if (!c.req.param("file").endsWith(".json") || !isName(name)) throw new Refusal("not_found")
  const host = hostOf(c.env, c.req.url)
  const { CENTRAL_DOMAIN } = settingsOf(c.env)
  // A store's host has a content API and nothing else of ours.
  if (host.kind === "other" && (name !== "content" || !(await siteOf(c.env, host.hostname))))
    throw new Refusal("not_found")
  const hostname = host.kind === "central" ? CENTRAL_DOMAIN : host.hostname
  const { text, etag } = await servedDocument(name, publicUrl(settingsOf(c.env), hostname))
  const headers = {
    "Content-Type": "application/json",
    ETag: etag,
    "Cache-Control": FRESH,
    "Access-Control-Allow-Origin": "*",
  }
  return conditional(c.req.raw, new Response(text, { headers }))
})

docs.use(async (c, next) => {
  if (hostOf(c.env, c.req.url).kind !== "central") throw new Refusal("not_found")
  await next()
})

docs.get("/docs/assets/:file", async (c) => {
  const found = await asset(c.req.param("file"))
  if (!found) throw new Refusal("not_found")
  const headers = { "Content-Type": found.type, "Cache-Control": "public, max-age=31536000, immutable" }
  return conditional(c.req.raw, new Response(found.text, { headers }))
})

docs.get("/llms.txt", (c) =>
  kept(c, "text/plain; charset=utf-8", async () =>
    llmsText(appName(c), guidesFor(origin(c)), await allReferences(), origin(c)),
  ),
)

docs.get("/docs/index.json", (c) =>
  kept(c, "application/json", async () => JSON.stringify(searchIndex(guidesFor(origin(c)), await allReferences()))),
)

docs.get("/docs/search", async (c) => {
  const query = (c.req.query("q") ?? "").slice(0, 200)
  const guides = guidesFor(origin(c))
  const references = await allReferences()
  const hits = search(searchIndex(guides, references), query)
  const page = await framed(
    c,
    { title: "Search", description: "Search the documentation.", side: homeSide(guides, references), query },
    <SearchPage query={query} hits={hits} />,
  )
  return new Response(page, { headers: { ...pageHeaders, "Cache-Control": "no-store", "X-Robots-Tag": "noindex" } })
})

docs.get("/docs", (c) =>
  kept(c, HTML, async () => {
    const guides = guidesFor(origin(c))
    const references = await allReferences()
    const frame = {
      title: "Documentation",
      description: `How to build on ${appName(c)}.`,
      side: homeSide(guides, references),
    }
    return framed(c, frame, <Home guides={guides} references={references} origin={origin(c)} appName={appName(c)} />)
  }),
)

docs.get("/docs/", (c) => c.redirect("/docs", 308))

docs.get("/docs/:page", (c) => {
  const page = c.req.param("page")
  if (page.endsWith(".md"))
    return kept(c, "text/markdown; charset=utf-8", () => markdownOf(c, page.slice(0, -".md".length)))
  return kept(c, HTML, () => pageOf(c, page))
})

const HTML = "text/html; charset=utf-8"

const pageHeaders = {
  "Content-Type": HTML,
  "Content-Security-Policy": CSP,
  "Referrer-Policy": "same-origin",
  "Cross-Origin-Opener-Policy": "same-origin",
}

const origin = (c: C): string => publicUrl(settingsOf(c.env), settingsOf(c.env).CENTRAL_DOMAIN)
const appName = (c: C): string => settingsOf(c.env).APP_NAME

/** @throws Refusal `not_found` */
async function pageOf(c: C, name: string): Promise<string> {
  if (isName(name)) {
    const reference = await referenceOf(name)
    const frame = {
      title: reference.title,
      description: reference.description.split("\n")[0] ?? "",
      side: referenceSide(reference),
    }
    return framed(c, frame, <ReferencePage reference={reference} origin={origin(c)} />)
  }
  if (name === "codes" || name === "events") {
    const platform = await referenceOf("platform")
    const isCodes = name === "codes"
    const frame = {
      title: isCodes ? "Error codes" : "Events",
      description: isCodes ? "Every code of the control plane." : "Every event, with its payload.",
      side: [isCodes ? codesSide(platform) : eventsSide(platform)],
    }
    return framed(c, frame, isCodes ? <CodesPage codes={platform.codes} /> : <EventsPage events={platform.events} />)
  }
  const guides = guidesFor(origin(c))
  const guide = guides.find((one) => one.name === name)
  if (!guide) throw new Refusal("not_found")
  const frame = { title: guide.title, description: guide.lead, side: homeSide(guides, await allReferences()) }
  return framed(c, frame, <GuidePage guide={guide} />)
}

const codesSide = ({ codes }: Reference): NavGroup => ({
  title: "Codes",
  links: Object.keys(codes).map((code) => ({ href: `#${code}`, text: code })),
})

const eventsSide = ({ events }: Reference): NavGroup => ({
  title: "Events",
  links: events.map(({ type }) => ({ href: `#${type}`, text: type })),
})

/** @throws Refusal `not_found` */
async function markdownOf(c: C, name: string): Promise<string> {
  if (isName(name)) return referenceMarkdown(await referenceOf(name), origin(c))
  if (name === "codes") return codesMarkdown(await referenceOf("platform"))
  if (name === "events") return eventsMarkdown(await referenceOf("platform"))
  const guide = guidesFor(origin(c)).find((one) => one.name === name)
  if (!guide) throw new Refusal("not_found")
  return guide.text
}

interface PageFrame {
  title: string
  description: string
  side: NavGroup[]
  query?: string
}

const framed = async (c: C, frame: PageFrame, page: JSX.Element | ReturnType<typeof Home>): Promise<string> =>
  (
    <Layout {...frame} path={c.req.path} assets={await assetNames()} appName={appName(c)}>
      {page}
    </Layout>
  ).toString()

/** Pages as they were made, by origin and path; paths that lead nowhere are not kept. */
const made = new Map<string, { text: string; etag: string }>()

/** A page, made once an isolate, with what a cache needs. */
async function kept(c: C, type: string, make: () => Promise<string>): Promise<Response> {
  const key = `${origin(c)} ${c.req.path}`
  let page = made.get(key)
  if (!page) {
    const text = await make()
    page = { text, etag: `"${(await sha256(text)).slice(0, 32)}"` }
    made.set(key, page)
  }
  const headers = { ...(type === HTML && pageHeaders), "Content-Type": type, ETag: page.etag, "Cache-Control": FRESH }
  return conditional(c.req.raw, new Response(page.text, { headers }))
}
