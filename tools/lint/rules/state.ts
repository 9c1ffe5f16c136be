// Rules for purity: decisions do not wait, and modules have no state but what isolateState declares.
import type { Node } from "oxc-parser"
import { type CodeRule, inSource, isRulesFile, memberOf, nameOf, visitReferences } from "../code-rule.ts"

/**
 * Modules whose state tests need not reset: registries that modules fill while they load, and keys that are objects.
 */
const STATEFUL = [
  "src/lib/isolate-state.ts",
  "src/lib/memo.ts",
  "src/core/http/field-docs.ts",
  "src/db/client.ts",
  "src/db/connection.ts",
  "src/db/deferred-writes.ts",
  "src/db/write.ts",
  "src/env.ts",
]

/** Methods that change their object. */
const MUTATORS = "push pop shift unshift splice fill sort reverse copyWithin set add delete clear append".split(" ")

/** Returns the variable that an expression is a part of: `cache` for `cache.entries[key]`. */
const rootOf = (node: Node): string =>
  node.type === "MemberExpression" ? rootOf(node.object) : node.type === "Identifier" ? node.name : ""

const isEmptyCollection = (node: Node) =>
  (node.type === "ArrayExpression" && !node.elements.length) ||
  (node.type === "NewExpression" && !node.arguments.length && /^(Weak)?(Map|Set)$/.test(nameOf(node.callee)))

export const STATE_RULES: CodeRule[] = [
  {
    rule: "rules are pure: they do not wait",
    about: isRulesFile,
    visitor: (_, report) => ({
      ...visitReferences(
        ["Promise", "crypto", "caches", "scheduler", "setTimeout", "setInterval", "queueMicrotask"],
        (node) => report(node, node.name),
      ),
      AwaitExpression: (node) => report(node, "await"),
      FunctionDeclaration(node) {
        if (node.async) report(node, "async")
      },
      FunctionExpression(node) {
        if (node.async) report(node, "async")
      },
      ArrowFunctionExpression(node) {
        if (node.async) report(node, "async")
      },
      CallExpression({ callee }) {
        const member = memberOf(callee)
        if (member && ["then", "catch", "finally", "fromAsync"].includes(member)) report(callee, `.${member}()`)
      },
    }),
  },
  {
    rule: "state of a module is declared with isolateState, which tests reset",
    about: (path) => inSource(path) && !STATEFUL.includes(path),
    visitor: (_, report) => {
      let depth = 0
      const enter = () => void depth++
      const leave = () => void depth--
      // A function that a module calls while it loads encloses state of the module.
      const immediate = new Set<number>()
      const constants = new Set<string>()
      const changes: { node: Node; name: string }[] = []
      const addChange = (node: Node, target: Node) => {
        if (depth && target.type !== "Identifier") changes.push({ node, name: rootOf(target) })
      }
      const enterExpression = ({ start }: Node) => void (immediate.has(start) || enter())
      const leaveExpression = ({ start }: Node) => void (immediate.has(start) || leave())
      return {
        FunctionDeclaration: enter,
        "FunctionDeclaration:exit": leave,
        FunctionExpression: enterExpression,
        "FunctionExpression:exit": leaveExpression,
        ArrowFunctionExpression: enterExpression,
        "ArrowFunctionExpression:exit": leaveExpression,
        VariableDeclaration(node) {
          if (depth) return
          if (node.kind !== "const") report(node, node.kind)
          for (const { id, init } of node.declarations) {
            if (!init) continue
            if (isEmptyCollection(init)) report(init, "an empty collection")
            const isDeclared = init.type === "CallExpression" && nameOf(init.callee) === "isolateState"
            // A regular expression that searches from an index sets the index before every search.
            const isRegExp = init.type === "Literal" && "regex" in init
            if (id.type === "Identifier" && !isDeclared && !isRegExp) constants.add(id.name)
          }
        },
        PropertyDefinition(node) {
          if (node.static && !node.readonly) report(node, "static")
        },
        CallExpression({ callee }) {
          const called = callee.type === "ParenthesizedExpression" ? callee.expression : callee
          if (!depth && /Function/.test(called.type)) immediate.add(called.start)
          if (callee.type !== "MemberExpression" || !MUTATORS.includes(memberOf(callee) ?? "")) return
          if (depth) changes.push({ node: callee, name: rootOf(callee.object) })
        },
        AssignmentExpression: (node) => addChange(node, node.left),
        UpdateExpression: (node) => addChange(node, node.argument),
        UnaryExpression(node) {
          if (node.operator === "delete") addChange(node, node.argument)
        },
        "Program:exit"() {
          for (const { node, name } of changes) if (constants.has(name)) report(node, name)
        },
      }
    },
  },
]
