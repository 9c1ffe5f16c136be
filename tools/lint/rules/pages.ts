// Rules for pages: their texts are translated, and moments are shown by components that name the time zone.
import { readFileSync } from "node:fs"
import { join } from "node:path"
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

/** The page kit's components that label a field themselves when they are given no label. */
const FIELDS = /^(Field|TextArea|Select|CheckboxGroup|Checkbox|DateTimeField|SelectFilter|TextFilter)$/

/** The names of the fields that the admin has a label for in every language. */
function readLabelledFields(): Set<string> {
  const text = readFileSync(join(import.meta.dirname, "../../../src/admin/strings/en.ts"), "utf8")
  const [, labels = ""] = /\n {2}fields: \{\n([^}]*)\}/.exec(text) ?? []
  return new Set([...labels.matchAll(/^ *(\w+): /gm)].map(([, name = ""]) => name))
}

const labelledFields = readLabelledFields()

const isLabelled = (name: Node | null | undefined): boolean =>
  name?.type === "Literal" && labelledFields.has(String(name.value))

export const PAGE_RULES: CodeRule[] = [
  {
    // Without one, the page kit would show the name, which is English.
    rule: "a field of the admin has a label, or its name is one of `fields` in src/admin/strings/en.ts",
    about: (path) => path.endsWith(".tsx") && under("src/admin", "src/shop-kit")(path),
    visitor: (_, report) => ({
      JSXOpeningElement({ name, attributes }) {
        if (name.type !== "JSXIdentifier" || !FIELDS.test(name.name)) return
        const find = (wanted: string) =>
          attributes.find((one) => one.type === "JSXAttribute" && one.name.name === wanted)
        const named = find("name")
        if (!find("label") && !(named?.type === "JSXAttribute" && isLabelled(named.value))) report(name, name.name)
      },
      CallExpression({ callee, arguments: [name] }) {
        if (nameOf(callee) === "getFieldLabel" && !isLabelled(name)) report(callee, "getFieldLabel()")
      },
    }),
  },
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
