// Rules for logs: their messages are constant, and their fields hold no secrets or personal data.
import type { CallExpression, Node } from "oxc-parser"
import { findFunction, walk } from "../call-graph.ts"
import { type CodeRule, inSource, inWorker, memberOf, nameOf } from "../code-rule.ts"

/** Names of values that must not be logged. */
const SECRET =
  /(token|secret|password|passphrase|authorization|cookie|credential|signature|e_?mail|phone|recipient|address|apikey|api_key|privatekey|(^|_)(ip|iban|otp)|(first|last|full|display|owner|customer)_?name)s?$/i

/** Whether a variable or a member is named like a secret or personal data: `email`, `clientIp`. */
const isSensitive = (name: string): boolean => SECRET.test(name) || /[a-z]I[pP]$/.test(name)

/** Objects whose name is that of a person. */
const PERSON = /(^|\.)(author|caller|contact|customer|member|owner|person|reader|recipient|sender|staff|user|visitor)$/i

/** Functions that turn a whole object into text. */
const DUMPS = ["JSON.stringify", "String", "Object.values", "Object.entries"]

/** Whether an expression is a constant text, or a choice between constant texts. */
const isConstantText = (node: Node): boolean =>
  (node.type === "Literal" && typeof node.value === "string") ||
  (node.type === "ConditionalExpression" && isConstantText(node.consequent) && isConstantText(node.alternate))

/** Lists the names in an expression that may carry a value into it: variables, members, fields and headers. */
function namesIn(node: unknown): string[] {
  if (Array.isArray(node)) return node.flatMap(namesIn)
  if (!isNode(node)) return []
  if (node.type === "Identifier") return [node.name]
  if (node.type === "CallExpression" && memberOf(node.callee) === "header")
    return node.arguments.flatMap((name) => (name.type === "Literal" ? String(name.value) : namesIn(name)))
  return Object.values(node).flatMap(namesIn)
}

/** Lists the variables and members whose value is in the value of an expression; not those that a function receives. */
function partsOf(node: Node | null): string[] {
  switch (node?.type) {
    case "Identifier":
      return [node.name]
    case "MemberExpression":
      return [memberOf(node) ?? ""]
    case "TemplateLiteral":
      return node.expressions.flatMap(partsOf)
    case "LogicalExpression":
    case "BinaryExpression":
      return /^[=!<>]/.test(node.operator) ? [] : [...partsOf(node.left), ...partsOf(node.right)]
    case "ConditionalExpression":
      return [...partsOf(node.consequent), ...partsOf(node.alternate)]
    case "ChainExpression":
    case "ParenthesizedExpression":
      return partsOf(node.expression)
    case "CallExpression":
      // A method of a text: `email.trim()`.
      return node.callee.type === "MemberExpression" ? partsOf(node.callee.object) : []
    default:
      return []
  }
}

/** Lists what the fields of a log line would disclose besides sensitive names: names of persons, and whole objects. */
function dumpsIn(node: unknown): string[] {
  if (Array.isArray(node)) return node.flatMap(dumpsIn)
  if (!isNode(node)) return []
  if (node.type === "MemberExpression" && memberOf(node) === "name" && PERSON.test(nameOf(node.object)))
    return [nameOf(node)]
  // The query of a URL may have a token, or a term that a person searched for.
  if (node.type === "MemberExpression" && /^(url|search|searchParams|href)$/.test(memberOf(node) ?? ""))
    return [nameOf(node)]
  const isDump = node.type === "CallExpression" && DUMPS.includes(nameOf(node.callee))
  return [...(isDump ? [nameOf(node.callee)] : []), ...Object.values(node).flatMap(dumpsIn)]
}

const isLogCall = (node: Node): node is CallExpression =>
  node.type === "CallExpression" && /(^|\.)log\.(debug|info|warn|error)$/.test(nameOf(node.callee).replaceAll("#", ""))

/** Whether a function logs one of its parameters. */
function logsParameter(node: Node, index: number): boolean {
  const parameter = "params" in node && Array.isArray(node.params) ? node.params[index] : null
  let isLogged = false
  walk(node, (one) => {
    isLogged ||= isLogCall(one) && parameter?.type === "Identifier" && namesIn(one.arguments).includes(parameter.name)
    return !isLogged
  })
  return isLogged
}

const isNode = (value: unknown): value is Node => typeof value === "object" && value !== null && "type" in value

export const LOG_RULES: CodeRule[] = [
  {
    rule: "secrets and personal data are not logged",
    about: inSource,
    visitor: (file, report) => {
      /** Variables that hold something sensitive under another name: `const item = user.email`. */
      const renamed = new Set<string>()
      return {
        CallExpression(node) {
          const { callee, arguments: given } = node
          const [message, ...rest] = given
          for (const [index, value] of given.entries()) {
            const name = callee.type === "Identifier" && partsOf(value).find((part) => isSensitive(part))
            const called = name && findFunction(file, callee.name)?.node
            if (called && logsParameter(called, index)) report(callee, name)
          }
          if (!isLogCall(node) || !message) return
          if (!isConstantText(message)) report(message, "the message is constant; put values into fields")
          for (const name of namesIn(rest)) if (isSensitive(name) || renamed.has(name)) report(callee, name)
          for (const name of dumpsIn(rest)) report(callee, name)
        },
        // A log under another name would escape the rule.
        VariableDeclarator({ id, init }) {
          if (init && id.type === "Identifier" && partsOf(init).some(isSensitive)) renamed.add(id.name)
          if (!init || !(nameOf(init) === "log" || memberOf(init) === "log")) return
          if (id.type !== "Identifier" || id.name !== "log") report(id, "keep the name log")
        },
        AssignmentExpression({ left, right }) {
          if (left.type === "Identifier" && partsOf(right).some(isSensitive)) renamed.add(left.name)
        },
        Property({ key, value }) {
          if (value.type === "Identifier" && isSensitive(nameOf(key))) renamed.add(value.name)
          const isRenamed = value.type === "Identifier" && !/log$/i.test(value.name)
          if (nameOf(key) === "log" && (isRenamed || value.type === "ObjectPattern")) report(value, "keep the name log")
        },
        Identifier(node) {
          const type = node.typeAnnotation?.typeAnnotation
          if (type?.type !== "TSTypeReference" || !/^(Request)?Log$/.test(nameOf(type.typeName))) return
          if (node.name !== "log") report(node, "keep the name log")
        },
      }
    },
  },
  {
    rule: "secrets and personal data are not logged: the message of an error is",
    about: inWorker,
    mentions: /Error\(/,
    visitor: (_, report) => ({
      NewExpression({ callee, arguments: given }) {
        if (!/Error$/.test(nameOf(callee))) return
        for (const name of given.flatMap(partsOf)) if (isSensitive(name)) report(callee, name)
        for (const name of dumpsIn(given)) if (name.endsWith(".name")) report(callee, name)
      },
    }),
  },
]
