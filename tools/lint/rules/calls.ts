// Rules for what a call leads to, through other functions and modules.
import type { Node } from "oxc-parser"
import { findPath, type Search, walk } from "../call-graph.ts"
import { type CodeRule, inWorker, memberOf, nameOf } from "../code-rule.ts"

/** Functions that change something, or have it changed. */
const EFFECTS =
  /^src\/(core\/write\/(site-)?commit\.ts#(commit|commitSite|writeUnaudited)|db\/execute\.ts#execute|core\/queue\/(leased-jobs|send)\.ts#(startJobs?|enqueueJob|(re)?send\w+))$/

/**
 * Not followed: the context of a request, whose functions only write when they are called; the renewal of a session,
 * which every request does; and dry runs, which cannot commit.
 */
const EFFECT: Search = {
  isTarget: (key) => EFFECTS.test(key),
  stops: (key) => key.startsWith("src/core/context.ts#") || key === "src/content/accounts/staff-sessions.ts#renew",
  skips: (callee) => callee === "dryRun",
}

/** Functions that make a round trip to a database as soon as they are called. */
const CALLED_ROUND_TRIP: Search = {
  isTarget: (key) =>
    /^src\/(core\/write\/(site-)?commit\.ts#(commit|commitSite|writeUnaudited)|db\/(execute|client)\.ts#(execute|batch|read))$/.test(
      key,
    ),
  // Creating a surface or a route only registers what its requests do.
  stops: (key) => key.startsWith("src/core/http/surface.ts#create") || key === "src/console/form-access.ts#harmless",
}

/** What makes a round trip to a database when it is awaited. */
const ROUND_TRIP: Search = {
  ...CALLED_ROUND_TRIP,
  isTargetCode: (node) => node.type === "CallExpression" && /(^|\.)db\.select$/.test(nameOf(node.callee)),
}

/** Methods that call a function for each item. */
const CALLS_PER_ITEM = /^(map|flatMap|forEach|reduce|reduceRight|filter|some|every|find|from|fromAsync)$/

/** What code waits for, and what it calls. */
interface Work {
  awaited: Node[]
  called: Node[]
}

const isFunction = (node: Node): node is Node & { body: Node; params: Node[] } =>
  /Function/.test(node.type) && "body" in node

/** Lists what code waits for, and what it calls; not in functions that it only defines. */
function workIn(body: Node): Work {
  const [awaited, called]: [Node[], Node[]] = [[], []]
  walk(body, (node) => {
    if (node.type === "AwaitExpression") awaited.push(node)
    // Of a chain of calls, each call is visited separately.
    if (node.type === "CallExpression" && /^\w/.test(nameOf(node.callee))) called.push(node.callee)
    return node.type !== "AwaitExpression" && !/Function/.test(node.type)
  })
  return { awaited, called }
}

const isRouteFile = (path: string) => path.startsWith("src/") && !path.startsWith("src/client/")

/** Whether the first argument of `.get()` is a path, and it has a handler. */
const isGetRoute = (callee: Node, given: readonly Node[]) =>
  memberOf(callee) === "get" &&
  given.length > 1 &&
  /^(Literal|TemplateLiteral|Identifier|MemberExpression)$/.test(given[0]?.type ?? "")

export const CALL_RULES: CodeRule[] = [
  {
    rule: "errors are not swallowed: a catch around a query or a write uses the error",
    about: inWorker,
    mentions: /\bcatch\b/,
    visitor: (file, report) => {
      const check = (at: Node, work: Node, handler: Node, error: Node | null | undefined) => {
        const name = error?.type === "Identifier" ? error.name : ""
        const uses = file.text.slice(handler.start, handler.end).match(new RegExp(`\\b${name}\\b`, "g"))
        const path = name && uses && uses.length > 1 ? null : findPath(file, work, ROUND_TRIP)
        if (path) report(at, path.map((key) => key.split("#")[1]).join(" > "))
      }
      return {
        TryStatement({ block, handler }) {
          if (handler) check(handler, block, handler, handler.param)
        },
        CallExpression({ callee, arguments: [handler] }) {
          if (callee.type !== "MemberExpression" || memberOf(callee) !== "catch") return
          if (handler && isFunction(handler)) check(callee.property, callee.object, handler, handler.params[0])
        },
      }
    },
  },
  {
    rule: "a GET changes nothing",
    about: isRouteFile,
    mentions: /\.get\(|\bpreview\b/,
    visitor: (file, report) => {
      const check = (at: Node, handler: Node) => {
        const path = findPath(file, handler, EFFECT)
        if (path) report(at, path.map((key) => key.split("#")[1]).join(" > "))
      }
      return {
        CallExpression({ callee, arguments: given }) {
          if (callee.type !== "MemberExpression" || !isGetRoute(callee, given)) return
          for (const handler of given.slice(1)) check(callee.property, handler)
        },
        // The GET of a form with a confirmation page.
        Property({ key, value }) {
          if (nameOf(key) === "preview") check(key, value)
        },
      }
    },
  },
  {
    rule: "no query per item: one statement or batch for all, or forEachItem in background work",
    about: inWorker,
    mentions:
      /\b(for|while) \(|\bfor await\b|\bPromise\.|\.(map|flatMap|forEach|reduce|reduceRight|filter|some|every|find|from)\(/,
    visitor: (file, report) => {
      /** Reports a loop, or a call of a function for each item, if what it does in each round leads to a round trip. */
      const check = (at: Node, { awaited, called }: Work) => {
        const paths = [
          ...awaited.map((node) => findPath(file, node, ROUND_TRIP)),
          ...called.map((node) => findPath(file, node, CALLED_ROUND_TRIP)),
        ]
        const path = paths.find(Boolean)
        if (path) report(at, path.map((key) => key.split("#")[1]).join(" > "))
      }
      /** Lists that a variable holds: `const reads = ids.map(…)`. */
      const lists = new Map<string, Node>()
      /** What a loop adds to a list: `reads.push(find(id))`. */
      const added = new Map<string, Node>()
      /** Calls whose results are awaited together. */
      const awaitedLists = new Set<Node>()
      const hasLength = ({ start, end }: Node) => /\.length\b/.test(file.text.slice(start, end))
      const checkLoop = (loop: Node & { body: Node }) => {
        check(loop, workIn(loop.body))
        walk(loop.body, (node) => {
          if (node.type !== "CallExpression" || memberOf(node.callee) !== "push" || !node.arguments[0]) return
          if (node.callee.type === "MemberExpression") added.set(nameOf(node.callee.object), node.arguments[0])
          return undefined
        })
      }
      /** Checks what is waited for with every item of a list. */
      const checkList = (list: Node) => {
        const pushed = added.get(nameOf(list))
        if (pushed) check(list, { awaited: [pushed], called: [] })
        const items = list.type === "Identifier" ? lists.get(list.name) : list
        if (items?.type !== "CallExpression" || !/^(map|flatMap)$/.test(memberOf(items.callee) ?? "")) return
        const [mapped] = items.arguments
        if (mapped) check(items.callee, { awaited: [mapped], called: [] })
        awaitedLists.add(items)
      }
      return {
        ForOfStatement(node) {
          checkLoop(node)
          if (node.await) checkList(node.right)
        },
        ForInStatement: checkLoop,
        ForStatement: (node) => {
          if (node.update?.type === "UpdateExpression" && node.test && hasLength(node.test)) checkLoop(node)
        },
        WhileStatement(node) {
          if (hasLength(node.test)) checkLoop(node)
        },
        VariableDeclarator({ id, init }) {
          if (id.type === "Identifier" && init?.type === "CallExpression") lists.set(id.name, init)
        },
        CallExpression(node) {
          const [given, second] = node.arguments
          const name = memberOf(node.callee) ?? ""
          if (/^Promise\.(all|allSettled|any|race)$/.test(nameOf(node.callee))) {
            if (given) checkList(given)
          } else if (CALLS_PER_ITEM.test(name) && !awaitedLists.has(node)) {
            const each = name.startsWith("from") ? second : given
            if (each) check(node.callee, isFunction(each) ? workIn(each.body) : { awaited: [], called: [each] })
          }
        },
      }
    },
  },
]
