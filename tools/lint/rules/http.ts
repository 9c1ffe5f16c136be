// Rules for requests and responses: who reads bodies, and who writes HTML.
import type { Expression, Node } from "oxc-parser"
import { type CodeRule, chainOf, except, inSource, inWorker, memberOf, nameOf } from "../code-rule.ts"

/** Modules that build whole documents, of elements that escape their text. */
const DOCUMENTS = [
  "src/core/html/error-page.tsx",
  "src/admin/page.tsx",
  "src/console/kit/page.tsx",
  "src/docs/routes.tsx",
  "src/lib/media-type.ts",
  "src/page-kit/gate.ts",
  "src/pages/kit/page.tsx",
  "src/storefront/render.tsx",
  "src/storefront/service.ts",
]

/** Modules that pass the stream of a body on, without reading it into memory. */
const STREAMING = [
  "src/admin/pages/media.tsx",
  "src/console/pages/media.tsx",
  "src/content/accounts/routes.ts",
  "src/content/media/files",
  "src/core/http/body.ts",
  "src/core/http/surface.ts",
  "src/license/versions/routes.ts",
  "src/console/pages/versions.tsx",
]

const READERS = ["json", "text", "arrayBuffer", "blob", "bytes"]

/** Whether a chain is a request: `c.req.raw.clone()`, `request`. */
const isRequest = (node: Expression) => chainOf(node).some((name) => name === "req" || name === "request")

/** Whether an expression is a whole request, under which rules know it: `c.req`, `c.req.raw`, `request`. */
const isWholeRequest = (node: Node) => /(^|\.)(req|req\.raw|request)$/.test(nameOf(node))

/** Members of a request that read its body, or lead to another name for it. */
const HIDDEN = [...READERS, "raw", "body", "clone", "parseBody", "formData"]

/** Lists the members that a pattern takes out of a request, so that no rule sees them. */
const hiddenIn = (pattern: Node): string[] =>
  pattern.type === "ObjectPattern"
    ? pattern.properties.flatMap((property) =>
        property.type === "Property" ? [nameOf(property.key)].filter((name) => HIDDEN.includes(name)) : ["..."],
      )
    : []

const takes = (pattern: Node, name: string): boolean =>
  pattern.type === "ObjectPattern" &&
  pattern.properties.some((property) => property.type === "Property" && nameOf(property.key) === name)

export const HTTP_RULES: CodeRule[] = [
  {
    rule: "request bodies are read by core/http/body",
    about: except(inSource, "src/core/http/body.ts"),
    visitor: (_, report) => ({
      CallExpression({ callee }) {
        const member = memberOf(callee)
        if (!member || callee.type !== "MemberExpression") return
        const isReader = READERS.includes(member) && isRequest(callee.object as Expression)
        if (isReader || member === "parseBody" || member === "formData") report(callee, `.${member}()`)
      },
    }),
  },
  {
    rule: "request bodies are read by core/http/body: a request keeps its name",
    about: except(inWorker, ...STREAMING),
    mentions: /\breq\b|\brequest\b|\bRequest\b/,
    visitor: (_, report) => ({
      VariableDeclarator({ id, init }) {
        if (!init || !isWholeRequest(init)) return
        if (id.type === "Identifier" && !isWholeRequest(id)) report(id, id.name)
        for (const name of hiddenIn(id)) report(id, name)
      },
      Property({ key, value }) {
        if (nameOf(key) === "req" || nameOf(key) === "raw") for (const name of hiddenIn(value)) report(value, name)
      },
      NewExpression({ callee, arguments: [given] }) {
        if (nameOf(callee) === "Request" && given && isWholeRequest(given)) report(given, "new Request")
      },
      Identifier(node) {
        const type = node.typeAnnotation?.typeAnnotation
        if (type?.type === "TSTypeReference" && nameOf(type.typeName) === "Request" && node.name !== "request")
          report(node, "keep the name request")
      },
    }),
  },
  {
    rule: "request bodies are streamed by uploads only",
    about: except(inSource, ...STREAMING),
    mentions: /\bbody\b/,
    visitor: (_, report) => ({
      MemberExpression(node) {
        if (/(^|\.)(req\.raw|request)\.body$/.test(nameOf(node))) report(node, nameOf(node))
      },
    }),
  },
  {
    rule: "text is escaped: only documents of the page kits are sent as HTML",
    about: except(inSource, ...DOCUMENTS),
    visitor: (_, report) => ({
      CallExpression({ callee }) {
        if (memberOf(callee) === "html") report(callee, ".html()")
      },
      VariableDeclarator({ id, init }) {
        if (init && /^(c|context)$/.test(nameOf(init)) && takes(id, "html")) report(id, "html")
      },
      ObjectPattern(node) {
        const type = node.typeAnnotation?.typeAnnotation
        if (type?.type === "TSTypeReference" && /Context$/.test(nameOf(type.typeName)) && takes(node, "html"))
          report(node, "html")
      },
      Literal(node) {
        if (typeof node.value === "string" && /^text\/html/i.test(node.value)) report(node, "text/html")
      },
      TemplateElement(node) {
        if (/^text\/html/i.test(node.value.raw)) report(node, "text/html")
      },
      Identifier(node) {
        if (node.name === "dangerouslySetInnerHTML" || node.name === "isEscaped") report(node, node.name)
      },
      JSXAttribute({ name }) {
        if (name.name === "dangerouslySetInnerHTML") report(name, "dangerouslySetInnerHTML")
      },
    }),
  },
]
