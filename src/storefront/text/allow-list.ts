// The elements that staff-written HTML may use, and how they stand to each other.

/** Elements that may stay, each with the attributes it may keep beside `lang`, `dir` and `title`. */
export const ALLOWED: Record<string, readonly string[]> = {
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

const RENAMED = new Map(
  Object.entries({
    h1: "h2",
    strike: "s",
    acronym: "abbr",
    center: "div",
    section: "div",
    article: "div",
  }),
)
export const VOID = new Set(["br", "hr", "img"])

/** Elements that go with all that is in them; any other unknown element goes alone and its content stays. */
export const DROPPED = new Set(
  "script style title textarea xmp iframe noembed noframes noscript svg math object template select video audio canvas".split(
    " ",
  ),
)

export const BLOCK = new Set(
  "p div h2 h3 h4 h5 h6 ul ol dl pre blockquote figure figcaption details summary table hr".split(" "),
)

/** Elements that mean nothing outside of another. */
export const PARENT: Record<string, readonly string[]> = {
  li: ["ul", "ol"],
  dt: ["dl"],
  dd: ["dl"],
  figcaption: ["figure"],
  summary: ["details"],
  ...group("caption thead tbody tfoot tr", ["table"]),
  td: ["tr"],
  th: ["tr"],
}

/** What an opening tag ends when it was left open, looked for no further out than the element's parent. */
export const ENDS: Record<string, readonly string[]> = {
  a: ["a"],
  li: ["li"],
  ...group("dt dd", ["dt", "dd"]),
  ...group("td th", ["td", "th"]),
  tr: ["tr"],
  ...group("thead tbody tfoot", ["caption", "thead", "tbody", "tfoot"]),
}

/** The element that stands for another one of the same meaning; any other name stands for itself. */
export const knownAs = (name: string): string => RENAMED.get(name) ?? name

function group(names: string, value: readonly string[] = []): Record<string, readonly string[]> {
  return Object.fromEntries(names.split(" ").map((name) => [name, value]))
}
