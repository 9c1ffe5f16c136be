// Finds the pages and forms of the console from its routes and links, so that new ones are tested automatically.
import { console as consoleApp } from "../../src/console/app"

export const PAGE_ROUTES = getRoutes("GET")

export const FORM_ROUTES = getRoutes("POST")

function getRoutes(method: string): string[] {
  const found = consoleApp.routes.filter((route) => route.method === method && !route.path.includes("*"))
  return [...new Set(found.map(({ path }) => path))]
}

/** A path of a route. Its objects need not exist. */
export const getPath = (route: string): string =>
  route
    .replaceAll(/:\w+\{(\w+)[^}]*\}/g, "$1")
    .replaceAll(":site", "central")
    .replaceAll(/:\w+/g, "1")

/** Whether a path matches a route. */
export const isRoute = (route: string, path: string): boolean =>
  new RegExp(`^${route.replaceAll(/:(\w+)\{([^}]*)\}/g, "($2)").replaceAll(/:\w+/g, "[^/]+")}$`).test(
    path.split(/[?#]/)[0] ?? "",
  )

/** The links of a page to other console pages. */
const getLinks = (html: string): string[] =>
  [...html.matchAll(/href="(\/console[^"#]*)/g)].map(([, href]) => (href ?? "").replaceAll("&amp;", "&"))

/** Texts for free-text filters: with many matches, with few, too short for an index, and with none. */
const FILTER_TEXTS: Record<string, string[]> = {
  q: ["acme", "ac", "clay@acme.example", "nothing-like-it"],
  search: ["acme", "ac", "nothing-like-it"],
  store: ["acme", "nothing-like-it"],
  since: ["2020-01-01T00:00"],
  until: ["2020-01-01T00:00", "2100-01-01T00:00"],
  endpoint: ["1", "999999"],
  grace_within: ["3"],
}

/**
 * The URLs that a page's filters lead to: each filter alone in each sort order, and every pair of filters.
 * @param path of the page
 */
export function getFilterUrls(path: string, html: string): string[] {
  const found = new Set<string>()
  for (const [, attributes = "", fields = ""] of html.matchAll(/<form([^>]*method="get"[^>]*)>(.*?)<\/form>/gs)) {
    const action = /action="([^"]+)"/.exec(attributes)?.[1]?.replaceAll("&amp;", "&") ?? path
    const filters = getFilterValues(fields)
    const sorts = ["", ...(filters.get("sort") ?? [])]
    const pairs = [...filters].filter(([name]) => name !== "sort")
    for (const sort of sorts) {
      const ordered = sort && `&sort=${sort}`
      if (sort) found.add(`${action}?sort=${sort}`)
      for (const [name, values] of pairs) {
        for (const value of values) found.add(`${action}?${name}=${encodeURIComponent(value)}${ordered}`)
      }
    }
    for (const [name, [value = ""]] of pairs) {
      for (const [other, [second = ""]] of pairs) {
        if (name < other)
          found.add(`${action}?${name}=${encodeURIComponent(value)}&${other}=${encodeURIComponent(second)}`)
      }
    }
  }
  return [...found]
}

const MAX_VALUES_PER_FILTER = 40

/** The filters of a form with the values to try. */
function getFilterValues(form: string): Map<string, string[]> {
  const found = new Map<string, string[]>()
  for (const [, name = "", options = ""] of form.matchAll(/<select name="([^"]+)"[^>]*>(.*?)<\/select>/gs)) {
    found.set(
      name,
      [...options.matchAll(/value="([^"]+)"/g)].map(([, value]) => value ?? "").slice(0, MAX_VALUES_PER_FILTER),
    )
  }
  for (const [, name = ""] of form.matchAll(/<input name="([^"]+)"/g))
    found.set(name, FILTER_TEXTS[name] ?? ["nothing-like-it"])
  return found
}

/** The actions of a page's POST forms. */
export const getFormActions = (html: string): string[] =>
  [...html.matchAll(/<form[^>]*method="post"[^>]*>/g)].map(([form]) => /action="([^"]+)"/.exec(form)?.[1] ?? "")

/**
 * Crawls the console by its links.
 * @param get requests a page
 * @param perRoute maximum number of pages per route
 * @returns the HTML of each page by its path
 */
export async function crawl(
  get: (path: string) => Promise<{ status: number; headers: Headers; text: string }>,
  perRoute = 2,
): Promise<Map<string, string>> {
  const pages = new Map<string, string>()
  const queue = ["/console", "/console/search?q=acme%20ceramics"]
  const seen = new Set(queue)
  const visited = new Map<string, number>()
  for (let path = queue.shift(); path !== undefined; path = queue.shift()) {
    const at = path
    const route = PAGE_ROUTES.filter((one) => isRoute(one, at))
      .sort((a, b) => b.split(":").length - a.split(":").length)
      .at(-1)
    if (!route || route.endsWith("/stream") || (visited.get(route) ?? 0) >= perRoute) continue
    visited.set(route, (visited.get(route) ?? 0) + 1)
    const response = await get(path)
    const isPage = response.status === 200 && response.headers.get("Content-Type")?.startsWith("text/html")
    if (isPage) pages.set(path, response.text)
    const next = isPage ? getLinks(response.text) : [response.headers.get("Location") ?? ""]
    for (const link of next) {
      if (!link.startsWith("/console") || seen.has(link)) continue
      seen.add(link)
      queue.push(link)
    }
  }
  return pages
}

interface PostField {
  name: string
  value: string
  /** Whether a browser submits it unchanged. */
  isSubmitted: boolean
  /** Whether an operator can clear it. */
  isEditable: boolean
  isRequired: boolean
  isInvalid: boolean
  /** Whether it has the focus when the page opens. */
  isFocused: boolean
}

/** A POST form as a browser would submit it without changes. */
export interface PostForm {
  action: string
  fields: PostField[]
}

const unescapeHtml = (text: string): string =>
  text
    .replaceAll("&quot;", '"')
    .replaceAll("&#39;", "'")
    .replaceAll("&lt;", "<")
    .replaceAll("&gt;", ">")
    .replaceAll("&amp;", "&")

const getAttribute = (tag: string, name: string): string | null => {
  const found = new RegExp(`\\s${name}(?:="([^"]*)")?(?=[\\s/>])`).exec(tag)
  return found ? unescapeHtml(found[1] ?? "") : null
}

/** Parses the POST forms of a page with the values of their fields. */
export const parsePostForms = (html: string): PostForm[] =>
  [...html.matchAll(/<form[^>]*method="post"[^>]*>[\s\S]*?<\/form>/g)].map(([form]) => ({
    action: getAttribute(form, "action") ?? "",
    fields: [
      ...form.matchAll(/<input[^>]*>|<textarea[^>]*>([^<]*)<\/textarea>|<select[^>]*>([\s\S]*?)<\/select>/g),
    ].flatMap(([whole, text = "", options = ""]) => {
      const tag = /^<[^>]*>/.exec(whole)?.[0] ?? ""
      const name = getAttribute(tag, "name")
      return name === null ? [] : [parseField(tag, name, /^<(\w+)/.exec(tag)?.[1] ?? "", text, options)]
    }),
  }))

function parseField(tag: string, name: string, kind: string, text: string, options: string): PostField {
  const type = getAttribute(tag, "type") ?? "text"
  const chosen = [...options.matchAll(/<option[^>]*>/g)].map(([option]) => option)
  const option = chosen.find((one) => getAttribute(one, "selected") !== null) ?? chosen[0] ?? ""
  const value = { textarea: unescapeHtml(text), select: getAttribute(option, "value") ?? "" }[kind]
  const isFixed = kind === "select" && chosen.every((one) => getAttribute(one, "value") !== "")
  const isTicked = !["checkbox", "radio"].includes(type) || getAttribute(tag, "checked") !== null
  return {
    name,
    value: value ?? getAttribute(tag, "value") ?? "",
    isSubmitted: isTicked && type !== "file" && name !== "once",
    isEditable: kind !== "input" ? !isFixed : !["hidden", "checkbox", "radio", "file", "submit"].includes(type),
    isRequired: getAttribute(tag, "required") !== null,
    isInvalid: getAttribute(tag, "aria-invalid") === "true",
    isFocused: getAttribute(tag, "autofocus") !== null,
  }
}
