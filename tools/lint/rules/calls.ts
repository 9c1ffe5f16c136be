// Rules for what a call leads to, through other functions and modules.
import type { Node } from "oxc-parser"
import { findPath, type Search } from "../call-graph.ts"
import { type CodeRule, memberOf, nameOf } from "../code-rule.ts"

/** Functions that change something, or have it changed. */
const EFFECTS =
  /^src\/(core\/write\/(site-)?commit\.ts#(commit|commitSite|writeUnaudited)|db\/execute\.ts#execute|core\/queue\/(leased-jobs|send)\.ts#(startJobs?|enqueueJob|(re)?send\w+))$/

/** The context of a request, whose functions only write when they are called; and dry runs, which cannot commit. */
const EFFECT: Search = {
  isTarget: (key) => EFFECTS.test(key),
  stops: (key) => key.startsWith("src/core/context.ts#"),
  skips: (callee) => callee === "dryRun",
}

const isRouteFile = (path: string) => path.startsWith("src/") && !path.startsWith("src/client/")

/** Whether the first argument of `.get()` is a path, and it has a handler. */
const isGetRoute = (callee: Node, given: readonly Node[]) =>
  memberOf(callee) === "get" &&
  given.length > 1 &&
  /^(Literal|TemplateLiteral|Identifier|MemberExpression)$/.test(given[0]?.type ?? "")

export const CALL_RULES: CodeRule[] = [
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
]
