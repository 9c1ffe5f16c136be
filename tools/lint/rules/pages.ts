// Rules for pages: their texts are translated, and moments are shown by components that name the time zone.
import { readFileSync } from "node:fs"
import { join } from "node:path"
import type { Node } from "oxc-parser"
import { type CodeRule, memberOf, nameOf, under } from "../code-rule.ts"

/** The components. */
const COMPONENTS = ["src/core/html/moment.tsx", "src/page-kit/parts.tsx"]

const FORMATTERS = ["longDate", "utcDateTime"]

const METHODS = ["toISOString", "toLocaleString", "toLocaleDateString", "toLocaleTimeString", "toUTCString"]

/** Attributes that people read or hear, and the last words of such props and keys, as in `submitLabel`. */
const TEXT_WORDS = [
  ...["alt", "caption", "description", "empty", "head", "heading", "hint", "label", "legend", "message", "none"],
  ...["note", "notice", "placeholder", "question", "summary", "text", "title", "unit", "valuetext", "warning"],
]

const isTextName = (name: string): boolean => {
  const words = name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`).split(/[-_]/)
  return TEXT_WORDS.includes(words.at(-1) ?? "")
}

/** Attributes whose values are lists of names. */
const NAME_LISTS =
  /(^c|C)lass$|^(rel|autocomplete|sizes|srcset|media|style|content|colorScheme|preserveAspectRatio|aria-\w+by)$/

/** Returns a text, with … for what it inserts; null for anything else. */
function textOf(node: Node | null): string | null {
  if (node?.type === "Literal") return typeof node.value === "string" ? node.value : null
  return node?.type === "TemplateLiteral" ? node.quasis.map(({ value }) => value.raw).join("…") : null
}

/** Whether a text has words, such as "Open orders", and is not a format, such as "PDF". */
const hasWords = (node: Node | null): boolean => /\p{Ll}{2}/u.test(textOf(node) ?? "")

/** Whether a text begins like a sentence or a title. One of small letters is often a value, or the name of a string. */
const isTitle = (node: Node | null): boolean => /^\s*\p{Lu}\p{Ll}/u.test(textOf(node) ?? "")

/** Whether a text is more than a name. */
const isPhrase = (node: Node | null): boolean => isTitle(node) || /\p{Ll}{2},? \p{L}/u.test(textOf(node) ?? "")

/** Lists the values that an expression may have. */
function valuesOf(node: Node): Node[] {
  if (node.type === "JSXExpressionContainer" || node.type === "ParenthesizedExpression")
    return valuesOf(node.expression)
  if (node.type === "ConditionalExpression") return [...valuesOf(node.consequent), ...valuesOf(node.alternate)]
  return node.type === "LogicalExpression" ? [...valuesOf(node.left), ...valuesOf(node.right)] : [node]
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
        const find = (attribute: string) =>
          attributes.find((one) => one.type === "JSXAttribute" && one.name.name === attribute)
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
    visitor: (_, report) => {
      const checkChildren = ({ children }: { children: readonly Node[] }) => {
        for (const child of children)
          if (child.type === "JSXExpressionContainer")
            for (const text of valuesOf(child)) if (hasWords(text)) report(text, "a text")
      }
      return {
        JSXText(node) {
          if (/\p{Ll}{2}/u.test(node.value)) report(node, node.value.trim())
        },
        JSXAttribute({ name, value }) {
          const attribute = name.type === "JSXIdentifier" ? name.name : ""
          const isText = isTextName(attribute) ? hasWords : NAME_LISTS.test(attribute) ? () => false : isPhrase
          if (value && valuesOf(value).some(isText)) report(name, attribute)
        },
        // The title of a page, the label of a column.
        Property({ key, value }) {
          if (isTextName(nameOf(key)) && valuesOf(value).some(isTitle)) report(value, nameOf(key))
        },
        JSXElement: checkChildren,
        JSXFragment: checkChildren,
      }
    },
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
