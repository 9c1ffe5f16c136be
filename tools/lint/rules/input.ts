// Rules for what comes from outside: JSON is checked by a schema, secrets are compared in constant time, and a redirect
// goes to a path of ours.
import type { Node } from "oxc-parser"
import { type CodeRule, except, inSource, inWorker, memberOf, nameOf, under } from "../code-rule.ts"

/** Modules that parse JSON which the platform itself has written: rows, objects in R2, static files and query shapes. */
const OWN_JSON = [
  "src/apps/ecommerce/products/queries.ts",
  "src/apps/ecommerce/storefront/filtered-list.ts",
  "src/console/pages/deliveries.tsx",
  "src/content/blog/categories/save.ts",
  "src/content/blog/listing.ts",
  "src/content/notifications/inbox.ts",
  "src/core/auth/form-drafts.ts",
  "src/core/i18n/load-strings.ts",
  "src/core/write/event-router.ts",
  "src/core/write/idempotency.ts",
  "src/db",
  "src/docs",
  "src/lib/durable.ts",
  "src/license/wordpress/signed-url.ts",
  "src/mcp",
  "src/platform/audit/archived-entry.ts",
  "src/platform/backups",
  "src/platform/exports/archive.ts",
  "src/platform/invoices/pdf-font.ts",
  "src/platform/stores/queries.ts",
  "src/storefront/page-loader.ts",
  "src/webhooks/deliveries",
  "src/webhooks/events",
  "src/webhooks/reserve.ts",
  "src/webhooks/thin-payload.ts",
]

/** Modules that parse JSON of a request before its schema is known, and check every value themselves. */
const CHECKED_BY_HAND = ["src/lib/webauthn.ts", "src/platform/gate/idempotency.ts"]

const isUnknown = (type: Node | null | undefined): boolean =>
  type?.type === "TSUnknownKeyword" ||
  (type?.type === "TSArrayType" && isUnknown(type.elementType)) ||
  (type?.type === "TSTypeReference" && nameOf(type.typeName) === "Promise" && isUnknown(type.typeArguments?.params[0]))

/** Whether an expression reads JSON: `JSON.parse(text)`, `await response.json()`. */
const readsJson = (node: Node): boolean =>
  node.type === "CallExpression" &&
  (nameOf(node.callee) === "JSON.parse" || (memberOf(node.callee) === "json" && node.arguments.length === 0))

const unwrap = (node: Node): Node =>
  node.type === "ParenthesizedExpression"
    ? unwrap(node.expression)
    : node.type === "AwaitExpression"
      ? unwrap(node.argument)
      : node

/** Returns what a text begins with: `a` for `a ?? b`, `a + b` and `${a}b`. */
function beginningOf(node: Node): Node {
  if (node.type === "LogicalExpression" || (node.type === "BinaryExpression" && node.operator === "+"))
    return beginningOf(node.left)
  const [first] = node.type === "TemplateLiteral" && !node.quasis[0]?.value.raw ? node.expressions : []
  return first ? beginningOf(first) : node
}

/** Whether an expression reads a parameter of the request. */
const readsRequest = (node: Node): boolean =>
  node.type === "CallExpression" && /\.(req\.(query|header|param)|searchParams\.get)$/.test(nameOf(node.callee))

/** Whether a text is made of variables other than constants. */
const isComposed = (node: Node): boolean =>
  !/^[A-Z_]*$/.test(nameOf(node)) ||
  (node.type === "TemplateLiteral" && node.expressions.some(isComposed)) ||
  (node.type === "BinaryExpression" && (isComposed(node.left) || isComposed(node.right)))

/** Names of values that a caller must not find out byte by byte. */
const SECRET = /(?<!^take)(token|secret|signature|password|passwordHash|tokenHash|hmac|mac|apiKey)$/i

const nameIn = (node: Node): string => memberOf(node) ?? nameOf(node)

/** Modules that respond without an envelope: what comes before a surface, files, and the health check. */
const ERROR_RESPONSES = [
  "src/admin/app.tsx",
  "src/admin/gate.ts",
  "src/app.ts",
  "src/console/app.tsx",
  "src/console/gate.ts",
  "src/content/media/serving.ts",
  "src/health.ts",
  "src/lib/durable.ts",
  "src/license/app.ts",
  "src/license/external/file-response.ts",
]

/** Whether the options of a response have a constant status of 400 and above. */
const hasErrorStatus = (options: Node): boolean =>
  options.type === "ObjectExpression" &&
  options.properties.some(
    (property) =>
      property.type === "Property" &&
      nameOf(property.key) === "status" &&
      property.value.type === "Literal" &&
      Number(property.value.value) >= 400,
  )

const ADDRESS_HEADERS = /^(forwarded|x-forwarded-\w+|cf-connecting-ip|true-client-ip|x-real-ip)$/i

/** Middleware that says who may call a route of the content API; `cacheResponse` is for public reads. */
const CALLERS = [
  "appUser",
  "appGuest",
  "user",
  "unverifiedUser",
  "optionalUser",
  "editor",
  "staffReader",
  "cacheResponse",
]

export const INPUT_RULES: CodeRule[] = [
  {
    rule: "JSON from outside is checked by a schema",
    about: except(inWorker, ...OWN_JSON, ...CHECKED_BY_HAND),
    mentions: /\bjson\b|JSON\.parse|\.body\b|\.req\.|\bMessage/,
    visitor: (_, report) => {
      const checked = new Set<number>()
      const returnsUnknown: boolean[] = []
      const enter = (node: { returnType?: { typeAnnotation: Node } | null; body: Node | null }) => {
        returnsUnknown.push(isUnknown(node.returnType?.typeAnnotation))
        if (node.body && returnsUnknown.at(-1)) checked.add(node.body.start)
      }
      const leave = () => void returnsUnknown.pop()
      return {
        FunctionDeclaration: enter,
        "FunctionDeclaration:exit": leave,
        FunctionExpression: enter,
        "FunctionExpression:exit": leave,
        ArrowFunctionExpression: enter,
        "ArrowFunctionExpression:exit": leave,
        ReturnStatement({ argument }) {
          if (argument && returnsUnknown.at(-1)) checked.add(argument.start)
        },
        VariableDeclarator({ id, init }) {
          if (init && "typeAnnotation" in id && isUnknown(id.typeAnnotation?.typeAnnotation))
            checked.add(unwrap(init).start)
        },
        TSAsExpression(node) {
          const { expression, typeAnnotation } = node
          const read = unwrap(expression)
          if (readsJson(read) && !isUnknown(typeAnnotation)) report(node, "a cast")
          if (memberOf(expression) === "body") report(node, "a cast")
          if (read.type === "CallExpression" && /\.req\.(query|queries|param|header)$/.test(nameOf(read.callee)))
            report(node, "a cast")
          checked.add(read.start)
        },
        CallExpression(node) {
          if (readsJson(node) && !checked.has(node.start)) report(node, nameOf(node.callee))
          if (memberOf(node.callee) === "json" && node.typeArguments && !node.arguments.length)
            report(node, ".json<…>()")
          for (const given of node.arguments) checked.add(unwrap(given).start)
        },
        TSTypeReference({ typeName, typeArguments }) {
          if (!/^Message(Batch)?$/.test(nameOf(typeName))) return
          if (typeArguments?.params.some((type) => !isUnknown(type))) report(typeName, nameOf(typeName))
        },
      }
    },
  },
  {
    rule: "every route of the content API and of apps names its caller",
    about: except(
      under("src/apps", "src/content"),
      // Anyone may sign in; the gate of the media library requires an editor.
      "src/content/accounts",
      "src/content/media",
    ),
    visitor: (_, report) => ({
      CallExpression({ callee, arguments: [, described, ...handlers] }) {
        if (described?.type !== "CallExpression" || nameOf(described.callee) !== "describe") return
        if (!handlers.some((handler) => CALLERS.includes(nameOf(handler)))) report(described, memberOf(callee) ?? "")
      },
    }),
  },
  {
    rule: "every surface has a gate: only publicAccess lets everyone pass",
    about: except(inWorker, "src/core/http/surface.ts"),
    mentions: /\bgate\b/,
    visitor: ({ text }, report) => ({
      Property({ key, value }) {
        if (nameOf(key) !== "gate" || value.type !== "ArrayExpression") return
        const refuses = value.elements.some(
          (one) => one && (!/Function/.test(one.type) || /\bthrow\b/.test(text.slice(one.start, one.end))),
        )
        if (!refuses) report(value, "a gate that refuses no request")
      },
    }),
  },
  {
    rule: "the query of a route is checked by a schema",
    about: except(inWorker, "src/license/offline/routes.ts"),
    mentions: /createRouter/,
    visitor: (_, report) => ({
      CallExpression({ callee }) {
        if (/(^|\.)req\.(query|queries)$/.test(nameOf(callee))) report(callee, nameOf(callee))
      },
      MemberExpression(node) {
        if (memberOf(node) === "searchParams") report(node, "searchParams")
      },
    }),
  },
  {
    rule: "a response of another server is read up to a limit",
    about: inWorker,
    mentions: /fetchOutbound/,
    visitor: ({ imports }, report) => ({
      CallExpression({ callee }) {
        const member = memberOf(callee)
        if (!imports.some(({ names }) => names.includes("fetchOutbound"))) return
        if (member && /^(json|text|arrayBuffer|blob|bytes|formData)$/.test(member)) report(callee, `.${member}()`)
      },
    }),
  },
  {
    rule: "requests leave through core/outbound; a binding is called by its owner",
    about: except(
      (path) => inWorker(path) && !/\/app\.tsx?$/.test(path),
      "src/core/outbound",
      "src/core/storage",
      "src/lib/durable.ts",
    ),
    mentions: /\bfetch\b/,
    visitor: (_, report) => ({
      CallExpression({ callee }) {
        if (memberOf(callee) === "fetch") report(callee, nameOf(callee))
      },
    }),
  },
  {
    rule: "a regular expression comes from the source, not from input",
    // The patterns of a filter are constants of its schema; src/db has names of columns and constraints.
    about: except(inWorker, "src/webhooks/endpoints/filter.ts", "src/db"),
    mentions: /\bRegExp\b/,
    visitor: (_, report) => ({
      NewExpression({ callee, arguments: [pattern] }) {
        if (nameOf(callee) === "RegExp" && pattern && isComposed(pattern)) report(pattern, "RegExp")
      },
      CallExpression({ callee, arguments: [pattern] }) {
        if (nameOf(callee) === "RegExp" && pattern && isComposed(pattern)) report(pattern, "RegExp")
      },
    }),
  },
  {
    rule: "errors are Refusals with a code",
    about: except(inWorker, ...ERROR_RESPONSES),
    mentions: /\b[45]\d\d\b/,
    visitor: (_, report) => ({
      CallExpression({ callee, arguments: [first, status] }) {
        const isError = status?.type === "Literal" && Number(status.value) >= 400
        if (isError && /^(json|text|body|html)$/.test(memberOf(callee) ?? "")) report(callee, nameOf(callee))
        const setsError = /^c\.status$/.test(nameOf(callee)) && first?.type === "Literal" && Number(first.value) >= 400
        if (setsError) report(callee, nameOf(callee))
        if (nameOf(callee) === "Response.json" && status && hasErrorStatus(status)) report(status, "status")
      },
      NewExpression({ callee, arguments: [, options] }) {
        if (/(^|\.)Response$/.test(nameOf(callee)) && options && hasErrorStatus(options)) report(options, "status")
      },
    }),
  },
  {
    rule: "hashes are SHA-256",
    about: except(inWorker, "src/lib/totp.ts"),
    mentions: /MD5|SHA-?1/i,
    visitor: (_, report) => ({
      Literal(node) {
        if (/^(MD5|SHA-?1)$/i.test(String(node.value))) report(node, String(node.value))
      },
    }),
  },
  {
    rule: "secrets are compared in constant time, or by a query",
    about: inSource,
    visitor: (_, report) => ({
      CallExpression({ callee, arguments: given }) {
        const compares =
          /^(includes|indexOf|localeCompare)$/.test(memberOf(callee) ?? "") || nameOf(callee) === "Object.is"
        const secret = compares && given.map(nameIn).find((name) => SECRET.test(name))
        if (secret) report(callee, secret)
      },
      BinaryExpression({ operator, left, right }) {
        if (!/^[!=]==?$/.test(operator)) return
        const isConstant = [left, right].some(
          (side) =>
            side.type === "Literal" || side.type === "UnaryExpression" || /^([A-Z_]+|undefined)$/.test(nameOf(side)),
        )
        // A person typed both.
        if ([left, right].some((side) => /confirmation$/i.test(nameIn(side)))) return
        const secret = [left, right].map(nameIn).find((name) => SECRET.test(name))
        if (!isConstant && secret) report(left, secret)
      },
    }),
  },
  {
    rule: "cookies are set by the modules of sessions",
    about: except(
      inWorker,
      "src/admin/session.ts",
      "src/console/gate.ts",
      "src/pages/billing/session.ts",
      "src/pages/platform/signup.tsx",
      "src/storefront/visitor",
      // Lists headers that an endpoint may not have.
      "src/webhooks/endpoints/headers.ts",
    ),
    mentions: /cookie/i,
    visitor: ({ imports }, report) => ({
      Program() {
        for (const { target, names, offset } of imports)
          if (target === "hono/cookie" && names.some((name) => /^(set|\*)/.test(name)))
            report({ start: offset }, target)
      },
      Literal(node) {
        if (typeof node.value === "string" && /^set-cookie$/i.test(node.value)) report(node, node.value)
      },
    }),
  },
  {
    rule: "the client's address and the host are resolved by core/http",
    about: except(inWorker, "src/core/http", "src/mcp/app.ts"),
    mentions: /host|forwarded|connecting|real-ip/i,
    visitor: (_, report) => ({
      CallExpression({ callee, arguments: [name] }) {
        const isHeader = memberOf(callee) === "header" || /headers\.get$/.test(nameOf(callee))
        if (isHeader && name?.type === "Literal" && /^host$/i.test(String(name.value))) report(name, "Host")
      },
      Literal(node) {
        if (typeof node.value === "string" && ADDRESS_HEADERS.test(node.value)) report(node, node.value)
      },
    }),
  },
  {
    rule: "another origin reads what the content API, the documentation and the status page allow",
    about: except(inWorker, "src/content/cors.ts", "src/docs/routes.tsx", "src/pages/platform/status.tsx"),
    mentions: /access-control/i,
    visitor: (_, report) => ({
      Literal(node) {
        if (typeof node.value === "string" && /^access-control-allow-/i.test(node.value)) report(node, node.value)
      },
    }),
  },
  {
    rule: "a redirect goes to a path of ours, not to one of the request",
    about: inWorker,
    mentions: /\bredirect\b|\blocation\b/i,
    visitor: (_, report) => {
      const parameters = new Set<string>()
      const check = (target: Node) => {
        const value = beginningOf(target)
        if (readsRequest(value) || parameters.has(nameOf(value))) report(value, "a parameter of the request")
      }
      return {
        VariableDeclarator({ id, init }) {
          if (id.type === "Identifier" && init && readsRequest(beginningOf(init))) parameters.add(id.name)
        },
        CallExpression({ callee, arguments: [target, value] }) {
          if (memberOf(callee) === "redirect" && target) check(target)
          if (target?.type === "Literal" && /^location$/i.test(String(target.value)) && value) check(value)
        },
        Property({ key, value }) {
          if (/^location$/i.test(key.type === "Literal" ? String(key.value) : nameOf(key))) check(value)
        },
      }
    },
  },
  {
    rule: "text is escaped: only the editor writes HTML into a page",
    about: except(
      under("src"),
      "src/page-kit/client/editor.ts",
      "src/pages/kit/page.tsx",
      "src/storefront/document.tsx",
    ),
    visitor: (_, report) => ({
      MemberExpression(node) {
        const member = memberOf(node)
        if (member && /^(innerHTML|outerHTML|insertAdjacentHTML|srcdoc|createContextualFragment)$/.test(member))
          report(node, nameOf(node))
        if (/^document\.write(ln)?$/.test(nameOf(node))) report(node, nameOf(node))
      },
      JSXAttribute({ name }) {
        if (name.type === "JSXIdentifier" && /^(on[a-z]+|style|srcdoc)$/i.test(name.name)) report(name, name.name)
      },
      JSXElement({ openingElement: { name, attributes }, children }) {
        const isScript = name.type === "JSXIdentifier" && name.name === "script"
        const isInline = children.some((child) => child.type !== "JSXText" || child.value.trim())
        if (isScript && isInline && attributes.every((one) => one.type !== "JSXAttribute" || one.name.name !== "type"))
          report(name, "script")
      },
    }),
  },
  {
    rule: "SQL is text without values: values are parameters",
    about: except(under("src/db"), "src/db/literal.ts", "src/db/site-scope.ts", "src/db/schema"),
    mentions: /\bprepare\b|\braw\b/,
    visitor: (_, report) => ({
      CallExpression({ callee, arguments: [text] }) {
        if (!text || !(memberOf(callee) === "prepare" || nameOf(callee) === "sql.raw")) return
        if (text.type === "BinaryExpression" || (text.type === "TemplateLiteral" && text.expressions.length))
          report(text, nameOf(callee))
      },
    }),
  },
]
