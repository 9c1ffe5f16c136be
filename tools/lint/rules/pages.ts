// Rules for pages: their texts are translated, and moments are shown by components that name the time zone.
import type { Node } from "oxc-parser"
import { type CodeRule, memberOf, nameOf, under } from "../code-rule.ts"

/** The components. */
const COMPONENTS = ["src/core/html/moment.tsx", "src/page-kit/parts.tsx"]

const FORMATTERS = ["longDate", "utcDateTime"]

const METHODS = ["toISOString", "toLocaleString", "toLocaleDateString", "toLocaleTimeString", "toUTCString"]

/** Attributes that people read or hear. */
const TEXT_ATTRIBUTES = /^(alt|aria-label|label|placeholder|summary|title)$/

/** Whether a text has words, such as "Open orders", and is not a format, such as "PDF". */
const hasWords = (node: Node | null): boolean =>
  node?.type === "Literal" && typeof node.value === "string" && /\p{Ll}{2}/u.test(node.value)

/** Lists the texts that an expression has as its value. */
function textsOf(node: Node): Node[] {
  if (node.type === "ConditionalExpression") return [...textsOf(node.consequent), ...textsOf(node.alternate)]
  return node.type === "LogicalExpression" ? textsOf(node.right) : [node]
}

export const PAGE_RULES: CodeRule[] = [
  {
    rule: "texts of pages are translated: they come from the strings of the visitor's language",
    about: (path) =>
      path.endsWith(".tsx") &&
      under("src/admin", "src/apps", "src/page-kit", "src/pages", "src/shop-kit", "src/storefront")(path),
    visitor: (_, report) => ({
      JSXText(node) {
        if (/\p{Ll}{2}/u.test(node.value)) report(node, node.value.trim())
      },
      JSXAttribute({ name, value }) {
        if (name.type === "JSXIdentifier" && TEXT_ATTRIBUTES.test(name.name) && hasWords(value)) report(name, name.name)
      },
      // The title of a page, the label of a column. A text of small letters is the name of a string.
      Property({ key, value }) {
        const isText =
          TEXT_ATTRIBUTES.test(nameOf(key)) || /^(message|description|notice|hint|heading)$/.test(nameOf(key))
        if (isText && value.type === "Literal" && /^\p{Lu}\p{Ll}/u.test(String(value.value))) report(value, nameOf(key))
      },
      JSXElement({ children }) {
        for (const child of children)
          for (const text of child.type === "JSXExpressionContainer" ? textsOf(child.expression) : [])
            if (hasWords(text)) report(text, "a text")
      },
    }),
  },
  {
    rule: "pages show moments with components that name the time zone",
    about: (path) => path.startsWith("src/") && path.endsWith(".tsx") && !COMPONENTS.includes(path),
    visitor: (_, report) => ({
      CallExpression({ callee }) {
        const name = memberOf(callee) ?? nameOf(callee)
        if (METHODS.includes(name) || FORMATTERS.includes(name)) report(callee, `${name}()`)
      },
      NewExpression({ callee }) {
        if (nameOf(callee) === "Intl.DateTimeFormat") report(callee, "Intl.DateTimeFormat")
      },
      JSXOpeningElement({ name }) {
        if (name.type === "JSXIdentifier" && name.name === "time") report(name, "<time>")
      },
    }),
  },
]
