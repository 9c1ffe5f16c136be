// Rules for what a call leads to, through other functions and modules.
import type { Node } from "oxc-parser"
import { findPath, type Search, walk } from "../call-graph.ts"
import { type CodeRule, except, inWorker, memberOf, nameOf } from "../code-rule.ts"

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

/** Functions that make a round trip to a database. */
const ROUND_TRIP: Search = {
  isTarget: (key) =>
    /^src\/(core\/write\/(site-)?commit\.ts#(commit|commitSite|writeUnaudited)|db\/(execute|client)\.ts#(execute|batch|read))$/.test(
      key,
    ),
  // Creating a surface only registers what its requests do.
  stops: (key) => key.startsWith("src/core/http/surface.ts#create"),
  isTargetCode: (node) => node.type === "CallExpression" && /(^|\.)db\.select$/.test(nameOf(node.callee)),
}

/** Modules whose items are transactions, databases or requests to other servers of their own; all are bounded. */
const PER_ITEM = [
  "src/apps/ecommerce/orders/expire.ts",
  "src/apps/ecommerce/products/import.ts",
  "src/console/pages/stores.tsx",
  "src/content/mails/outbox.ts",
  "src/core/archive/verify.ts",
  "src/core/write",
  "src/jobs",
  "src/mails/outbox.ts",
  "src/operator",
  "src/platform/alerts",
  "src/platform/backups",
  "src/platform/domains",
  "src/platform/exports",
  "src/platform/metrics/measure.ts",
  "src/platform/payments/reconcile.ts",
  "src/platform/site-migration",
  "src/platform/stores/delete-site-rows.ts",
  "src/platform/stores/remove.ts",
  "src/platform/subscriptions/clock.ts",
  "src/platform/system/databases.ts",
  "src/platform/usage",
  "src/webhooks",
]

/** Lists what a loop waits for in each round; not in functions that it only defines. */
function awaitedIn(body: Node): Node[] {
  const found: Node[] = []
  walk(body, (node) => {
    if (node.type === "AwaitExpression") found.push(node)
    return node.type !== "AwaitExpression" && !/Function/.test(node.type)
  })
  return found
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
  {
    rule: "no query per item: one statement or batch for all, or forEachItem in background work",
    about: except(inWorker, ...PER_ITEM),
    mentions: /\b(for|while) \(|\bfor await\b|\bPromise\./,
    visitor: (file, report) => {
      const check = (at: Node, work: Node) => {
        const path = findPath(file, work, ROUND_TRIP)
        if (path) report(at, path.map((key) => key.split("#")[1]).join(" > "))
      }
      /** Lists that a variable holds: `const reads = ids.map(…)`. */
      const lists = new Map<string, Node>()
      const checkLoop = ({ body }: { body: Node }) => {
        for (const awaited of awaitedIn(body)) check(awaited, awaited)
      }
      return {
        ForOfStatement: checkLoop,
        ForInStatement: checkLoop,
        ForStatement: (node) => {
          const isOverItems = node.update?.type === "UpdateExpression"
          if (isOverItems && node.test && /\.length\b/.test(file.text.slice(node.test.start, node.test.end)))
            checkLoop(node)
        },
        WhileStatement(node) {
          if (/\.length\b/.test(file.text.slice(node.test.start, node.test.end))) checkLoop(node)
        },
        VariableDeclarator({ id, init }) {
          if (id.type === "Identifier" && init?.type === "CallExpression") lists.set(id.name, init)
        },
        CallExpression({ callee, arguments: [given] }) {
          const items = given?.type === "Identifier" ? lists.get(given.name) : given
          if (!/^Promise\.(all|allSettled|any|race)$/.test(nameOf(callee)) || items?.type !== "CallExpression") return
          const [work] = items.arguments
          if (work && /^(map|flatMap)$/.test(memberOf(items.callee) ?? "")) check(callee, work)
        },
      }
    },
  },
]
