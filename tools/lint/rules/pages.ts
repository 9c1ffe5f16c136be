// Rules for pages: moments are shown by components that name the time zone.
import { type CodeRule, memberOf, nameOf } from "../code-rule.ts"

/** The components. */
const COMPONENTS = ["src/core/html/moment.tsx", "src/page-kit/parts.tsx"]

const FORMATTERS = ["longDate", "utcDateTime"]

const METHODS = ["toISOString", "toLocaleString", "toLocaleDateString", "toLocaleTimeString", "toUTCString"]

export const PAGE_RULES: CodeRule[] = [
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
