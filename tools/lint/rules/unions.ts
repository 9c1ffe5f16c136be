// Rules for unions: a decision about every member ends in assertNever, so that a new member does not compile.
import type { Node, Statement } from "oxc-parser"
import { type CodeRule, inSource, nameOf } from "../code-rule.ts"

/** Comparisons of one value that make a decision about a union, not about a special case. */
const MIN_ARMS = 3

const isAssertNever = (node: Node | null): boolean =>
  node?.type === "CallExpression" && nameOf(node.callee) === "assertNever"

/** Whether a statement calls assertNever, or a block starts with one that does. */
function assertsNever(statement: Statement | null | undefined): boolean {
  if (!statement) return false
  if (statement.type === "BlockStatement") return assertsNever(statement.body[0])
  if (statement.type === "ReturnStatement" || statement.type === "ThrowStatement")
    return isAssertNever(statement.argument)
  return statement.type === "ExpressionStatement" && isAssertNever(statement.expression)
}

/** Whether a statement ends the block that contains it. */
const leaves = (statement: Statement): boolean =>
  /^(Return|Throw|Continue|Break)Statement$/.test(
    (statement.type === "BlockStatement" ? statement.body.at(-1)?.type : statement.type) ?? "",
  )

export const UNION_RULES: CodeRule[] = [
  {
    rule: "every switch ends in assertNever, so that a new member of a union does not compile",
    about: inSource,
    mentions: /\bswitch\b/,
    visitor: (_, report) => ({
      SwitchStatement(node) {
        const last = node.cases.at(-1)
        if (!last || last.test || !last.consequent.some(assertsNever)) report(node, "switch")
      },
    }),
  },
  {
    rule: "a chain of comparisons with three names ends in assertNever: a new member of a union does not compile",
    about: inSource,
    mentions: /===/,
    visitor: ({ text }, report) => {
      /** Returns the source of the value that a condition compares with a text, or with one of several; null for none. */
      const comparedIn = (test: Node): string | null => {
        if (test.type === "LogicalExpression" && test.operator === "||") {
          const left = comparedIn(test.left)
          return left === comparedIn(test.right) ? left : null
        }
        if (test.type !== "BinaryExpression" || test.operator !== "===") return null
        const { left, right } = test
        if (left.type === "UnaryExpression" || right.type !== "Literal" || typeof right.value !== "string") return null
        return text.slice(left.start, left.end)
      }
      /** `if` and `?` that continue a chain. */
      const continuations = new Set<Node>()
      const checkChain = (node: Node) => {
        if ((node.type !== "IfStatement" && node.type !== "ConditionalExpression") || continuations.has(node)) return
        const value = comparedIn(node.test)
        let arms = 0
        let rest: Node | null = node
        while (rest?.type === node.type && value !== null && comparedIn(rest.test) === value) {
          continuations.add(rest)
          arms++
          rest = rest.alternate
        }
        const isComplete = node.type === "IfStatement" ? assertsNever(rest as Statement | null) : isAssertNever(rest)
        if (arms >= MIN_ARMS && !isComplete) report(node, `${value} === …`)
      }
      /** Checks `if` after `if` that each leave the block. */
      const checkBlock = (statements: readonly Node[]) => {
        let value: string | null = null
        let chain: Node[] = []
        for (const statement of [...statements, null]) {
          const isArm = statement?.type === "IfStatement" && !statement.alternate && leaves(statement.consequent)
          const compared = isArm ? comparedIn(statement.test) : null
          if (compared !== null && compared === value) {
            if (statement) chain.push(statement)
            continue
          }
          const [first] = chain
          if (first && chain.length >= MIN_ARMS && !assertsNever(statement as Statement | null))
            report(first, `${value} === …`)
          value = compared
          chain = compared !== null && statement ? [statement] : []
        }
      }
      return {
        IfStatement: checkChain,
        ConditionalExpression: checkChain,
        BlockStatement: ({ body }) => checkBlock(body),
        SwitchCase: ({ consequent }) => checkBlock(consequent),
      }
    },
  },
]
