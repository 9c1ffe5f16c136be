// Rules for requests and responses: who reads bodies, and who writes HTML.
import type { Expression } from "oxc-parser"
import { type CodeRule, chainOf, except, inSource, memberOf, nameOf } from "../code-rule.ts"

/** Modules that build whole documents, of elements that escape their text. */
const DOCUMENTS = [
  "src/core/html/error-page.tsx",
  "src/admin/gate.ts",
  "src/admin/page.tsx",
  "src/console/gate.ts",
  "src/console/kit/page.tsx",
  "src/docs/routes.tsx",
  "src/lib/media-type.ts",
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
]

const READERS = ["json", "text", "arrayBuffer", "blob", "bytes"]

/** Whether a chain is a request: `c.req.raw.clone()`, `request`. */
const isRequest = (node: Expression) => chainOf(node).some((name) => name === "req" || name === "request")

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
    rule: "request bodies are streamed by uploads only",
    about: except(inSource, ...STREAMING),
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
