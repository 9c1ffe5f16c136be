// Rules for pages of apps: a page of the admin that uses an app's service exists only in shops that have the app.
import type { Argument, Node, VariableDeclarator } from "oxc-parser"
import { walk } from "../call-graph.ts"
import { type CodeRule, isMarked, memberOf, nameOf, under } from "../code-rule.ts"
import { loadSource, type SourceFile } from "../source.ts"

/** Declares the gate of each app: `export const requireShop = requireApp(ecommerce)`. */
const GATES = "src/admin/apps.ts"

/** Modules of an app that read and change nothing. */
const PURE = /\/(manifest|tables|schemas|rules)(\.docs)?\.tsx?$/

/** Modules whose declarations are searched for services, because only pages use them. */
const isFollowed = under("src/admin", "src/shop-kit")

/** Returns the names of the gates by their apps. */
function readGates(): Map<string, string> {
  const gates = new Map<string, string>()
  const file = loadSource(GATES)
  file?.visit({
    VariableDeclarator({ id, init }) {
      if (id.type !== "Identifier" || init?.type !== "CallExpression" || nameOf(init.callee) !== "requireApp") return
      const slug = slugOf(file.bindings.get(nameOf(init.arguments[0] as Argument))?.target ?? "")
      if (slug) gates.set(slug, id.name)
    },
  })
  return gates
}

/** Returns the app that a module belongs to; null for other modules. */
const slugOf = (path: string): string | null => /^src\/apps\/([^/]+)\//.exec(path)?.[1] ?? null

const declarationsByFile = new WeakMap<SourceFile, Map<string, Node>>()

/** Lists the declarations at the top level of a module, by their names. */
function declarationsOf(file: SourceFile): Map<string, Node> {
  const known = declarationsByFile.get(file)
  if (known) return known
  const found = new Map<string, Node>()
  for (const statement of file.body) {
    const node = statement.type === "ExportNamedDeclaration" ? statement.declaration : statement
    if ((node?.type === "FunctionDeclaration" || node?.type === "ClassDeclaration") && node.id)
      found.set(node.id.name, node)
    if (node?.type === "VariableDeclaration") for (const one of node.declarations) addNames(one, found)
  }
  declarationsByFile.set(file, found)
  return found
}

function addNames(declarator: VariableDeclarator, found: Map<string, Node>): void {
  // A router has all routes of its page, each of which is checked separately.
  if (!declarator.init || isRouter(declarator.init)) return
  walk(declarator.id, (node) => {
    if (node.type === "Identifier" && declarator.init) found.set(node.name, declarator.init)
    return undefined
  })
}

function isRouter(node: Node): boolean {
  if (node.type === "CallExpression") return nameOf(node.callee) === "createAdminPages" || isRouter(node.callee)
  return node.type === "MemberExpression" && isRouter(node.object)
}

/** Lists the names that code refers to, also those of components; not keys, members and types of the same name. */
function namesIn(code: Node, names = new Set<string>()): Set<string> {
  walk(code, (node) => {
    if (/^TS(Type|Interface)/.test(node.type)) return false
    if (node.type === "Identifier" || node.type === "JSXIdentifier") names.add(node.name)
    const isMember = node.type === "MemberExpression" && !node.computed
    const isEntry = node.type === "Property" && !node.computed
    if (isMember) namesIn(node.object, names)
    if (isEntry) namesIn(node.value, names)
    if (node.type === "JSXAttribute" && node.value) namesIn(node.value, names)
    return !isMember && !isEntry && node.type !== "JSXAttribute"
  })
  return names
}

/** Whether the reason before an import states why all pages may use it without the app's gate. */
function isJustified({ imports, text }: SourceFile, target: string): boolean {
  const lines = text.split("\n")
  return imports.some((one) => one.target === target && isMarked(lines, one.line))
}

/** Lists the apps whose services code uses, directly or through declarations of the admin. */
function appsOf(file: SourceFile, code: Node, seen = new Set<string>()): Set<string> {
  const apps = new Set<string>()
  for (const name of namesIn(code)) {
    const imported = file.bindings.get(name)
    const slug = imported && !PURE.test(imported.target) ? slugOf(imported.target) : null
    if (imported && slug && !isJustified(file, imported.target)) apps.add(slug)
    const module = imported ? (isFollowed(imported.target) ? loadSource(imported.target) : null) : file
    const declared = imported?.name ?? name
    const key = `${module?.path}#${declared}`
    const node = module && !seen.has(key) ? declarationsOf(module).get(declared) : null
    seen.add(key)
    if (module && node) for (const app of appsOf(module, node, seen)) apps.add(app)
  }
  return apps
}

let gates: ReadonlyMap<string, string> | undefined

export const APP_RULES: CodeRule[] = [
  {
    rule: "a page that uses an app's service has the app's gate: shops without the app have no such page",
    about: under("src/admin"),
    mentions: /createAdminPages/,
    visitor: (file, report) => ({
      CallExpression({ callee, arguments: given }) {
        if (callee.type !== "MemberExpression" || !/^(get|post)$/.test(memberOf(callee) ?? "")) return
        // `form.get("name")` is no route.
        if (given.length < 2) return
        gates ??= readGates()
        const bound = given.map((one) => file.bindings.get(nameOf(one)))
        for (const slug of given.reduce((all, one) => all.union(appsOf(file, one)), new Set<string>())) {
          const gate = gates.get(slug)
          const isGated = bound.some((one) => one?.target === GATES && one.name === gate)
          if (!gate) report(callee.property, `export a gate of ${slug} from ${GATES}`)
          else if (!isGated) report(callee.property, `add ${gate} before the handler`)
        }
      },
    }),
  },
]
