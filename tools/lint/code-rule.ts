// Declares what a rule on the syntax tree is, and helps rules to read the tree.
import type { Expression, Node, VisitorObject } from "oxc-parser"
import type { SourceFile } from "./source.ts"

/** A rule: the files it applies to, and the nodes it rejects. */
export interface CodeRule {
  rule: string
  about: (path: string) => boolean
  /** Text without which a file cannot break the rule, so that its tree is not visited. */
  mentions?: RegExp
  /** @param report records a violation at an offset; `found` is the offending code */
  visitor: (file: SourceFile, report: (node: { start: number }, found: string) => void) => VisitorObject
}

/** Whether the line before a line has the reason of an exception. */
export const isMarked = (lines: readonly string[], line: number): boolean =>
  /\/\/ lint: \S+ \S/.test(lines[line - 2] ?? "")

/** Whether a path is one of the files or below one of the folders. */
export const under =
  (...folders: string[]) =>
  (path: string) =>
    folders.some((folder) => path === folder || path.startsWith(`${folder}/`))

/** Scripts of pages, which run in browsers. */
const BROWSER_SCRIPTS = ["src/page-kit/client", "src/docs/assets", "src/pages/platform/subdomain-check.ts"]

/** Whether a path is code of the Worker: all of src and durable but the published client and the console's scripts. */
export const inSource = (path: string) =>
  under("src", "durable")(path) && !under("src/client", "src/page-kit/client")(path)

/** Whether a path is code that runs in the Worker only. */
export const inWorker = (path: string) => inSource(path) && !under(...BROWSER_SCRIPTS)(path)

/** Leaves files and folders out of what a rule is about. */
export const except =
  (about: (path: string) => boolean, ...files: string[]) =>
  (path: string) =>
    about(path) && !under(...files)(path)

/** Whether a file contains pure decisions. */
export const isRulesFile = (path: string): boolean =>
  path.startsWith("src/") &&
  (/\/rules\//.test(path) || /\/(rules|actions|transition|periods|schedule|discounts|quote)\.tsx?$/.test(path))

/** Returns the dotted name of an expression: `ctx.log.info`; "" for anything but names. */
export function nameOf(node: Node): string {
  if (node.type === "Identifier") return node.name
  if (node.type === "ThisExpression") return "this"
  if (node.type === "MemberExpression") return `${nameOf(node.object)}.${memberOf(node) ?? "?"}`
  return ""
}

/** Returns the name of a member, also of `object["name"]`; null for a computed one. */
export function memberOf(node: Node): string | null {
  if (node.type !== "MemberExpression") return null
  const { property } = node
  if (!node.computed && property.type === "Identifier") return property.name
  return property.type === "Literal" && typeof property.value === "string" ? property.value : null
}

/** Returns the names in a chain of calls and members, innermost first: `a`, `b`, `c` for `a(1).b.c()`. */
export function chainOf(node: Expression): string[] {
  if (node.type === "CallExpression") return chainOf(node.callee as Expression)
  if (node.type === "AwaitExpression") return chainOf(node.argument)
  if (node.type === "ChainExpression") return chainOf(node.expression as Expression)
  if (node.type === "MemberExpression") return [...chainOf(node.object as Expression), memberOf(node) ?? "?"]
  return node.type === "Identifier" ? [node.name] : [""]
}

/** What a visitor calls for references to a global: not for members, keys and types of the same name. */
type OnReference = (node: { start: number; name: string }, isMemberAccess: boolean) => void

/**
 * Visits references to some globals.
 * @param onReference receives the identifier, and whether it is only used as in `Date.parse()`, `new Date(0)`,
 *   `x instanceof Date` or `typeof Date`
 */
export function visitReferences(names: readonly string[], onReference: OnReference): VisitorObject {
  const labels = new Set<number>()
  const accessed = new Set<number>()
  const addLabel = ({ start }: { start: number }) => void labels.add(start)
  return {
    MemberExpression(node) {
      if (!node.computed) addLabel(node.property)
      if (memberOf(node) !== null) accessed.add(node.object.start)
    },
    NewExpression: ({ callee }) => void accessed.add(callee.start),
    BinaryExpression({ operator, right }) {
      if (operator === "instanceof") accessed.add(right.start)
    },
    UnaryExpression({ operator, argument }) {
      if (operator === "typeof") accessed.add(argument.start)
    },
    TSTypeReference: ({ typeName }) => addLabel(typeName),
    TSTypeQuery: ({ exprName }) => addLabel(exprName),
    TSQualifiedName({ left, right }) {
      addLabel(left)
      addLabel(right)
    },
    Property(node) {
      if (!node.computed && !node.shorthand) addLabel(node.key)
    },
    PropertyDefinition: ({ key }) => addLabel(key),
    MethodDefinition: ({ key }) => addLabel(key),
    TSPropertySignature: ({ key }) => addLabel(key),
    TSMethodSignature: ({ key }) => addLabel(key),
    Identifier(node) {
      if (names.includes(node.name) && !labels.has(node.start)) onReference(node, accessed.has(node.start))
    },
  }
}
