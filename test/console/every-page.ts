// The pages and forms of the console as its routes have them, with ids of what a test made: a new one is tested the day it is added.
import { console as surface } from "../../src/console/app"

/** The routes of pages. */
export const PAGES = routesOf("GET")

/** The routes that forms are posted to. */
export const FORMS = routesOf("POST")

function routesOf(method: string): string[] {
  const found = surface.routes.filter((route) => route.method === method && !route.path.includes("*"))
  return [...new Set(found.map(({ path }) => path))]
}

/** Whether a path is one of a route. */
export const isOf = (route: string, path: string): boolean =>
  new RegExp(`^${route.replaceAll(/:(\w+)\{([^}]*)\}/g, "($2)").replaceAll(/:\w+/g, "[^/]+")}$`).test(
    path.split(/[?#]/)[0] ?? "",
  )

/** The addresses of a page's own links. */
const linksOf = (html: string): string[] =>
  [...html.matchAll(/href="(\/console[^"#]*)/g)].map(([, href]) => (href ?? "").replaceAll("&amp;", "&"))

/** What is typed into a filter that takes any text: what many rows have, what few have, too little for an index, and what none has. */
const TYPED: Record<string, string[]> = {
  q: ["acme", "ac", "clay@acme.example", "nothing-like-it"],
  search: ["acme", "ac", "nothing-like-it"],
  store: ["acme", "nothing-like-it"],
  since: ["2020-01-01T00:00"],
  until: ["2020-01-01T00:00", "2100-01-01T00:00"],
  endpoint: ["1", "999999"],
  grace_within: ["3"],
}

/**
 * The addresses that a page's own filters lead to: each filter by itself in each order the page has, and two together.
 * @param path the page's
 */
export function filtersOf(path: string, html: string): string[] {
  const found = new Set<string>()
  for (const [, attributes = "", fields = ""] of html.matchAll(/<form([^>]*method="get"[^>]*)>(.*?)<\/form>/gs)) {
    const action = /action="([^"]+)"/.exec(attributes)?.[1]?.replaceAll("&amp;", "&") ?? path
    const filters = fieldsOf(fields)
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

/** Values of a choice that are tried: of a longer one, the rest are asked for as these are. */
const MOST_VALUES = 40

/** The filters in a form, and what is tried of each. */
function fieldsOf(form: string): Map<string, string[]> {
  const found = new Map<string, string[]>()
  for (const [, name = "", options = ""] of form.matchAll(/<select name="([^"]+)"[^>]*>(.*?)<\/select>/gs)) {
    found.set(name, [...options.matchAll(/value="([^"]+)"/g)].map(([, value]) => value ?? "").slice(0, MOST_VALUES))
  }
  for (const [, name = ""] of form.matchAll(/<input name="([^"]+)"/g))
    found.set(name, TYPED[name] ?? ["nothing-like-it"])
  return found
}

/** Where a page's forms that write are posted to. */
export const actionsOf = (html: string): string[] =>
  [...html.matchAll(/<form[^>]*method="post"[^>]*>/g)].map(([form]) => /action="([^"]+)"/.exec(form)?.[1] ?? "")

/**
 * Walks through the console by its links.
 * @param get asks for a page
 * @param perRoute how many pages of a route are looked at
 * @returns the pages that were found, each with its text
 */
export async function walk(
  get: (path: string) => Promise<{ status: number; headers: Headers; text: string }>,
  perRoute = 2,
): Promise<Map<string, string>> {
  const pages = new Map<string, string>()
  const waiting = ["/console", "/console/search?q=acme%20ceramics"]
  const seen = new Set(waiting)
  const looked = new Map<string, number>()
  for (let path = waiting.shift(); path !== undefined; path = waiting.shift()) {
    const at = path
    const route = PAGES.filter((one) => isOf(one, at))
      .sort((a, b) => b.split(":").length - a.split(":").length)
      .at(-1)
    if (!route || route.endsWith("/stream") || (looked.get(route) ?? 0) >= perRoute) continue
    looked.set(route, (looked.get(route) ?? 0) + 1)
    const answer = await get(path)
    const isPage = answer.status === 200 && answer.headers.get("Content-Type")?.startsWith("text/html")
    if (isPage) pages.set(path, answer.text)
    const next = isPage ? linksOf(answer.text) : [answer.headers.get("Location") ?? ""]
    for (const link of next) {
      if (!link.startsWith("/console") || seen.has(link)) continue
      seen.add(link)
      waiting.push(link)
    }
  }
  return pages
}

interface PostField {
  name: string
  value: string
  /** Whether a browser sends it as it stands. */
  sends: boolean
  /** Whether it is typed or chosen, so that somebody can empty it. */
  isTyped: boolean
  isRequired: boolean
  isInvalid: boolean
}

/** A form that writes, as a browser would send it untouched. */
export interface PostForm {
  action: string
  fields: PostField[]
}

const unescaped = (text: string): string =>
  text
    .replaceAll("&quot;", '"')
    .replaceAll("&#39;", "'")
    .replaceAll("&lt;", "<")
    .replaceAll("&gt;", ">")
    .replaceAll("&amp;", "&")

const attribute = (tag: string, name: string): string | null => {
  const found = new RegExp(`\\s${name}(?:="([^"]*)")?(?=[\\s/>])`).exec(tag)
  return found ? unescaped(found[1] ?? "") : null
}

/** A page's forms that write, with what stands in them. */
export const postFormsOf = (html: string): PostForm[] =>
  [...html.matchAll(/<form[^>]*method="post"[^>]*>[\s\S]*?<\/form>/g)].map(([form]) => ({
    action: attribute(form, "action") ?? "",
    fields: [
      ...form.matchAll(/<input[^>]*>|<textarea[^>]*>([^<]*)<\/textarea>|<select[^>]*>([\s\S]*?)<\/select>/g),
    ].flatMap(([whole, text = "", options = ""]) => {
      const tag = /^<[^>]*>/.exec(whole)?.[0] ?? ""
      const name = attribute(tag, "name")
      return name === null ? [] : [fieldOf(tag, name, /^<(\w+)/.exec(tag)?.[1] ?? "", text, options)]
    }),
  }))

function fieldOf(tag: string, name: string, kind: string, text: string, options: string): PostField {
  const type = attribute(tag, "type") ?? "text"
  const chosen = [...options.matchAll(/<option[^>]*>/g)].map(([option]) => option)
  const option = chosen.find((one) => attribute(one, "selected") !== null) ?? chosen[0] ?? ""
  const value = { textarea: unescaped(text), select: attribute(option, "value") ?? "" }[kind]
  const isFixed = kind === "select" && chosen.every((one) => attribute(one, "value") !== "")
  const isTicked = !["checkbox", "radio"].includes(type) || attribute(tag, "checked") !== null
  return {
    name,
    value: value ?? attribute(tag, "value") ?? "",
    sends: isTicked && type !== "file" && name !== "once",
    isTyped: kind !== "input" ? !isFixed : !["hidden", "checkbox", "radio", "file", "submit"].includes(type),
    isRequired: attribute(tag, "required") !== null,
    isInvalid: attribute(tag, "aria-invalid") === "true",
  }
}
