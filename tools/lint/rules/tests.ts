// Rules for tests: they assert something, run always and once, and wait for events.
import type { Expression, Node } from "oxc-parser"
import { walk } from "../call-graph.ts"
import { type CodeRule, chainOf, except, memberOf, nameOf, under, visitReferences } from "../code-rule.ts"

/** Functions that assert: `expect` and the helpers of test/support. */
const ASSERTION = /^(expect|assert|check|verify|attack|fuzz|atEach$)/

/** Whether code asserts something: not only in an `if`, or when something throws. */
function asserts(body: Node): boolean {
  let isFound = false
  walk(body, (node) => {
    if (node.type === "CatchClause") return false
    if (node.type === "IfStatement" && !node.alternate) {
      isFound ||= asserts(node.test)
      return false
    }
    if (node.type === "CallExpression") {
      if (memberOf(node.callee) === "catch") {
        isFound ||= asserts(node.callee)
        return false
      }
      isFound ||= chainOf(node).some((name) => ASSERTION.test(name))
    }
    return !isFound
  })
  return isFound
}

const isTestFile = (path: string) => /^test\/.*\.test\.tsx?$/.test(path)

/** Whether a callee declares a test: `test`, `it.concurrent`, `test.each(rows)`, `describe`. */
const isDeclaration = (callee: Node, ...names: string[]): boolean =>
  names.includes(chainOf(callee as Expression)[0] ?? "")

export const TEST_RULES: CodeRule[] = [
  {
    rule: "tests wait for events, not for time",
    about: except(under("test"), "test/support/timers.ts", "test/browser"),
    visitor: ({ imports }, report) => {
      const timers = imports.filter(({ target }) => target.startsWith("node:timers"))
      return {
        ...visitReferences(["setTimeout", "setInterval"], (node) => report(node, node.name)),
        CallExpression({ callee }) {
          const member = memberOf(callee)
          if (member === "setTimeout" || member === "setInterval") report(callee, nameOf(callee))
          if (/^(scheduler\.wait|vi\.waitUntil|vi\.waitFor|expect\.poll|sleep)$/.test(nameOf(callee)))
            report(callee, nameOf(callee))
        },
        Program() {
          for (const { offset, target } of timers) report({ start: offset }, target)
        },
      }
    },
  },
  {
    rule: "a test asserts something",
    about: isTestFile,
    visitor: (_, report) => ({
      CallExpression({ callee, arguments: given, start }) {
        const body = given.at(-1)
        if (nameOf(callee) === "expect" && given[0]?.type === "Literal") report({ start }, "expect of a constant")
        // `expect(value).toEqual(value)`
        const subject = callee.type === "MemberExpression" && callee.object.type === "CallExpression" && callee.object
        const [actual] = subject && nameOf(subject.callee) === "expect" ? subject.arguments : []
        if (actual?.type === "Identifier" && body?.type === "Identifier" && actual.name === body.name)
          report({ start }, "expect of the same value")
        if (!isDeclaration(callee, "test", "it") || !body || !/Function/.test(body.type)) return
        if (!asserts(body)) report({ start }, "no expect")
      },
      ExpressionStatement({ expression }) {
        const chain = chainOf(expression)
        if (chain.join(".") === "expect") report(expression, "expect without a matcher")
        if (expression.type !== "AwaitExpression" && (chain.includes("resolves") || chain.includes("rejects")))
          report(expression, "not awaited")
      },
    }),
  },
  {
    rule: "every test runs, exactly once",
    about: isTestFile,
    visitor: (_, report) => ({
      CallExpression({ callee, arguments: [, options] }) {
        const member = memberOf(callee)
        if (/^(context|ctx|task)\.skip$/.test(nameOf(callee))) report(callee, nameOf(callee))
        if (!isDeclaration(callee, "test", "it", "describe")) return
        if (member && ["todo", "fails", "skipIf", "runIf"].includes(member)) report(callee, nameOf(callee))
        if (options?.type !== "ObjectExpression") return
        for (const property of options.properties) {
          if (property.type === "Property" && ["retry", "skip", "todo", "fails"].includes(nameOf(property.key)))
            report(property, nameOf(property.key))
        }
      },
    }),
  },
]
