// Rules for logs: their messages are constant, and their fields hold no secrets or personal data.
import type { Node } from "oxc-parser"
import { type CodeRule, inSource, memberOf, nameOf } from "../code-rule.ts"

/** Names of values that must not be logged. */
const SECRET =
  /(token|secret|password|passphrase|authorization|cookie|credential|signature|e_?mail|phone|recipient|address|apikey|api_key|privatekey|(^|_)(ip|iban|otp)|(first|last|full|display|owner|customer)_?name)s?$/i

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

const isNode = (value: unknown): value is Node => typeof value === "object" && value !== null && "type" in value

export const LOG_RULES: CodeRule[] = [
  {
    rule: "secrets and personal data are not logged",
    about: inSource,
    mentions: /log\b|Log\b/,
    visitor: (_, report) => ({
      CallExpression({ callee, arguments: [message, ...rest] }) {
        if (!/(^|\.)log\.(debug|info|warn|error)$/.test(nameOf(callee).replaceAll("#", "")) || !message) return
        if (!isConstantText(message)) report(message, "the message is constant; put values into fields")
        for (const name of namesIn(rest)) if (SECRET.test(name)) report(callee, name)
      },
      // A log under another name would escape the rule.
      VariableDeclarator({ id, init }) {
        if (!init || !(nameOf(init) === "log" || memberOf(init) === "log")) return
        if (id.type !== "Identifier" || id.name !== "log") report(id, "keep the name log")
      },
      Property({ key, value }) {
        const isRenamed = value.type === "Identifier" && !/log$/i.test(value.name)
        if (nameOf(key) === "log" && (isRenamed || value.type === "ObjectPattern")) report(value, "keep the name log")
      },
      Identifier(node) {
        const type = node.typeAnnotation?.typeAnnotation
        if (type?.type !== "TSTypeReference" || !/^(Request)?Log$/.test(nameOf(type.typeName))) return
        if (node.name !== "log") report(node, "keep the name log")
      },
    }),
  },
]
