// Allow-list of HTML elements in staff-written content, and the nesting rules between them.

/** Allowed elements with their allowed attributes, in addition to `lang`, `dir` and `title`. */
export const ALLOWED_ELEMENTS: Record<string, readonly string[]> = {
  ...group("p div h2 h3 h4 h5 h6 ul dl dt dd li pre figure figcaption summary table caption thead tbody tfoot tr"),
  ...group("span strong b em i u s del ins sub sup mark small abbr cite q code kbd samp var br hr"),
  blockquote: [],
  a: ["href"],
  details: ["open"],
  img: ["src", "alt", "width", "height"],
  ol: ["start", "reversed"],
  td: ["colspan", "rowspan"],
  th: ["colspan", "rowspan", "scope"],
  time: ["datetime"],
}

const RENAMED_ELEMENTS = new Map(
  Object.entries({
    h1: "h2",
    strike: "s",
    acronym: "abbr",
    center: "div",
    section: "div",
    article: "div",
  }),
)
export const VOID_ELEMENTS = new Set(["br", "hr", "img"])

/** Elements removed together with their content. Of any other unknown element only the tags are removed. */
export const DROPPED_ELEMENTS = new Set(
  "script style title textarea xmp iframe noembed noframes noscript svg math object template select video audio canvas".split(
    " ",
  ),
)

export const BLOCK_ELEMENTS = new Set(
  "p div h2 h3 h4 h5 h6 ul ol dl pre blockquote figure figcaption details summary table hr".split(" "),
)

/** Elements that are only valid inside one of the listed elements. */
export const REQUIRED_PARENTS: Record<string, readonly string[]> = {
  li: ["ul", "ol"],
  dt: ["dl"],
  dd: ["dl"],
  figcaption: ["figure"],
  summary: ["details"],
  ...group("caption thead tbody tfoot tr", ["table"]),
  td: ["tr"],
  th: ["tr"],
}

/** Elements that an opening tag closes implicitly when they are still open inside the same parent. */
export const IMPLICITLY_CLOSED: Record<string, readonly string[]> = {
  a: ["a"],
  li: ["li"],
  ...group("dt dd", ["dt", "dd"]),
  ...group("td th", ["td", "th"]),
  tr: ["tr"],
  ...group("thead tbody tfoot", ["caption", "thead", "tbody", "tfoot"]),
}

/** Maps an element to the allowed element of the same meaning; any other name maps to itself. */
export const canonicalName = (name: string): string => RENAMED_ELEMENTS.get(name) ?? name

function group(names: string, value: readonly string[] = []): Record<string, readonly string[]> {
  return Object.fromEntries(names.split(" ").map((name) => [name, value]))
}
