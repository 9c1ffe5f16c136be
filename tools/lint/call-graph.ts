// Follows calls between modules by resolved imports: which functions a piece of code calls, directly or through others.
import type { Node } from "oxc-parser"
import { chainOf, nameOf } from "./code-rule.ts"
import { loadSource, type SourceFile } from "./source.ts"

/** A function: its module, and its name there, as in `src/core/write/commit.ts#commit`. */
type FunctionKey = string

const isNode = (value: unknown): value is Node => typeof value === "object" && value !== null && "type" in value

/** Visits a node and all nodes below it; not those for which `enter` returns false. */
export function walk(node: unknown, enter: (node: Node) => boolean | undefined): void {
  if (Array.isArray(node)) for (const one of node) walk(one, enter)
  else if (isNode(node) && enter(node) !== false) for (const child of Object.values(node)) walk(child, enter)
}

const isFunction = (node: Node | null): boolean =>
  node?.type === "ArrowFunctionExpression" || node?.type === "FunctionExpression"

/** Whether a constant is a function, or one that a helper wraps: `memoize((id) => …)`. */
const isCallable = (init: Node | null): boolean =>
  isFunction(init) ||
  (init?.type === "CallExpression" &&
    init.callee.type === "Identifier" &&
    init.arguments.some((given) => isFunction(given)))

const functionsByFile = new WeakMap<SourceFile, Map<string, Node>>()

/** Lists the functions that a module declares at its top level. */
function functionsOf(file: SourceFile): Map<string, Node> {
  const known = functionsByFile.get(file)
  if (known) return known
  const functions = new Map<string, Node>()
  for (const statement of file.body) {
    const node = statement.type === "ExportNamedDeclaration" ? statement.declaration : statement
    if (node?.type === "FunctionDeclaration" && node.id) functions.set(node.id.name, node)
    if (node?.type !== "VariableDeclaration") continue
    for (const { id, init } of node.declarations)
      if (id.type === "Identifier" && init && isCallable(init)) functions.set(id.name, init)
  }
  functionsByFile.set(file, functions)
  return functions
}

/** Returns the function of the project that a name means in a module, and the module that declares it. */
export function findFunction(file: SourceFile, name: string): { file: SourceFile; node: Node } | null {
  const imported = file.bindings.get(name)
  const module = imported ? loadSource(imported.target) : file
  const node = module && functionsOf(module).get(imported?.name ?? name)
  return node ? { file: module, node } : null
}

/** Returns the key of the function that a name means in a module; null for anything but a function of the project. */
function resolve(file: SourceFile, name: string): FunctionKey | null {
  const imported = file.bindings.get(name)
  if (imported) return `${imported.target}#${imported.name}`
  return functionsOf(file).has(name) ? `${file.path}#${name}` : null
}

/**
 * Lists the functions that a piece of code calls or passes on, also in callbacks.
 * @param skips calls to leave out with their arguments
 */
function callsIn(file: SourceFile, node: Node, skips: (callee: string) => boolean = () => false): FunctionKey[] {
  const keys = new Set<FunctionKey>()
  const add = (name: Node) => {
    const key = name.type === "Identifier" ? resolve(file, name.name) : null
    if (key) keys.add(key)
  }
  add(node)
  walk(node, (one) => {
    if (one.type === "JSXOpeningElement" && one.name.type === "JSXIdentifier") {
      const key = resolve(file, one.name.name)
      if (key) keys.add(key)
    }
    // Another name: `const run = commit`.
    if (one.type === "VariableDeclarator" && one.init) add(one.init)
    if (one.type !== "CallExpression") return
    if (skips(nameOf(one.callee))) return false
    add(one.callee)
    // A namespace: `commits.commit()`.
    const [module = "", ...members] = chainOf(one.callee)
    const namespace = file.bindings.get(module)
    if (namespace?.name === "*") keys.add(`${namespace.target}#${members[0]}`)
    for (const given of one.arguments) add(given)
  })
  return [...keys]
}

/** What `findPath` looks for, and what it does not follow. */
export interface Search {
  isTarget: (key: FunctionKey) => boolean
  /** Code that is looked for wherever it is: the function that contains it is a target. */
  isTargetCode?: (node: Node) => boolean
  /** Functions whose calls are not followed. */
  stops?: (key: FunctionKey) => boolean
  /** Calls that are left out with their arguments. */
  skips?: (callee: string) => boolean
}

function contains(node: Node, isMatch: (node: Node) => boolean): boolean {
  let isFound = false
  walk(node, (one) => {
    isFound ||= isMatch(one)
    return !isFound
  })
  return isFound
}

const inspected = new WeakMap<Search, Map<FunctionKey, FunctionKey[] | "target">>()

/** Returns whether a function is a target, or else the functions that it calls. */
function inspect(key: FunctionKey, search: Search): FunctionKey[] | "target" {
  const results = inspected.get(search) ?? new Map<FunctionKey, FunctionKey[] | "target">()
  inspected.set(search, results)
  const known = results.get(key)
  if (known) return known
  const [module = "", name = ""] = key.split("#")
  const file = search.isTarget(key) || search.stops?.(key) ? null : loadSource(module)
  const body = file && functionsOf(file).get(name)
  const isTarget = search.isTarget(key) || (body && search.isTargetCode && contains(body, search.isTargetCode))
  const result = isTarget ? "target" : body ? callsIn(file, body, search.skips) : []
  results.set(key, result)
  return result
}

/** Finds the shortest chain of calls from a piece of code to a target; null when no call leads there. */
export function findPath(file: SourceFile, node: Node, search: Search): FunctionKey[] | null {
  if (search.isTargetCode && contains(node, search.isTargetCode)) return [`${file.path}#here`]
  const queue = callsIn(file, node, search.skips).map((key) => [key])
  const seen = new Set<FunctionKey>()
  for (const path of queue) {
    const key = path.at(-1) ?? ""
    const calls = inspect(key, search)
    if (calls === "target") return path
    if (!seen.has(key)) queue.push(...calls.map((next) => [...path, next]))
    seen.add(key)
  }
  return null
}
