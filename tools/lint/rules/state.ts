// Rules for purity: decisions do not wait, and modules have no state but what isolateState declares.
import type { Node } from "oxc-parser"
import { findFunction, walk } from "../call-graph.ts"
import { type CodeRule, inSource, isRulesFile, memberOf, nameOf, visitReferences } from "../code-rule.ts"
import type { SourceFile } from "../source.ts"

/**
 * Modules whose state tests need not reset: registries that modules fill while they load, keys that are objects, results
 * that are computed once, and a stack that is empty after each rendering.
 */
const STATEFUL = [
  "src/lib/isolate-state.ts",
  "src/lib/memo.ts",
  "src/core/http/field-docs.ts",
  "src/core/http/route.ts",
  "src/db/client.ts",
  "src/db/connection.ts",
  "src/db/deferred-writes.ts",
  "src/db/prepared.ts",
  "src/db/write.ts",
  "src/env.ts",
  "src/page-kit/context.tsx",
]

/** Methods that change their object. */
const MUTATORS = "push pop shift unshift splice fill sort reverse copyWithin set add delete clear append".split(" ")

/** Returns the variable that an expression is a part of: `cache` for `cache.entries[key]`, `load()` for `load(id).size`. */
function rootOf(node: Node): string {
  if (node.type === "MemberExpression") return rootOf(node.object)
  if (node.type === "CallExpression") return `${nameOf(node.callee)}()`
  return node.type === "Identifier" ? node.name : ""
}

/** Classes whose instances have no state that a module could keep between requests. */
const STATELESS =
  /^(Intl\.\w+|RegExp|URL|URLPattern|Date|Map|Set|WeakMap|WeakSet|Array|Error|Headers|Proxy|Uint8Array|Text(En|De)coder)$/

/** A function whose body is being visited. */
interface Frame {
  name: string
  /** The variables that it declares, to what they are a part of; null for nothing of the module. */
  locals: Map<string, string | null>
}

/** Lists the variables that a declaration's pattern declares. */
function namesOf(pattern: Node): string[] {
  if (pattern.type === "Identifier") return [pattern.name]
  if (pattern.type === "ArrayPattern") return pattern.elements.flatMap((element) => (element ? namesOf(element) : []))
  if (pattern.type !== "ObjectPattern") return []
  return pattern.properties.flatMap((property) => (property.type === "Property" ? namesOf(property.value) : []))
}

/** Visits functions of every kind. */
const visitFunctions = (visit: (node: { start: number; async: boolean; params: readonly Node[] }) => void) => ({
  FunctionDeclaration: visit,
  FunctionExpression: visit,
  ArrowFunctionExpression: visit,
})

const isOfThis = (node: Node): boolean =>
  node.type === "MemberExpression" ? isOfThis(node.object) : node.type === "ThisExpression"

const isEmptyCollection = (node: Node) =>
  (node.type === "ArrayExpression" && !node.elements.length) ||
  (node.type === "NewExpression" && !node.arguments.length && /^(Weak)?(Map|Set)$/.test(nameOf(node.callee)))

const isIsolateState = (init: Node | null): boolean =>
  init?.type === "CallExpression" && nameOf(init.callee) === "isolateState"

/** Returns what an expression changes: `cache` for `cache.set(1, 1)`; null for an expression that changes nothing. */
function changedBy(node: Node): Node | null {
  if (node.type === "AssignmentExpression") return node.left
  if (node.type === "UpdateExpression" || (node.type === "UnaryExpression" && node.operator === "delete"))
    return node.argument
  const isMutator = node.type === "CallExpression" && MUTATORS.includes(memberOf(node.callee) ?? "")
  return isMutator && node.callee.type === "MemberExpression" ? node.callee.object : null
}

/** Whether a function returns something with state: a new instance, or functions that change one of its variables. */
function createsState({ file, node }: { file: SourceFile; node: Node }): boolean {
  if (STATEFUL.includes(file.path)) return false
  if (node.type === "ArrowFunctionExpression" && node.body.type === "NewExpression")
    return !STATELESS.test(nameOf(node.body.callee))
  const own = new Set<string>()
  let isChanged = false
  walk(node, (one) => {
    if (one.type === "VariableDeclarator" && !isIsolateState(one.init))
      for (const name of namesOf(one.id)) own.add(name)
    if (one === node || !/Function/.test(one.type)) return true
    walk(one, (inner) => {
      const changed = changedBy(inner)
      isChanged ||= changed !== null && own.has(rootOf(changed))
      return !isChanged
    })
    return false
  })
  return isChanged
}

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
      ...visitFunctions((node) => {
        if (node.async) report(node, "async")
      }),
      CallExpression({ callee }) {
        const member = memberOf(callee)
        if (member && ["then", "catch", "finally", "fromAsync"].includes(member)) report(callee, `.${member}()`)
      },
    }),
  },
  {
    rule: "rules are pure: they do not change their parameters",
    about: isRulesFile,
    visitor: (_, report) => {
      const parameters: Set<string>[] = []
      const isParameter = (name: string) => parameters.some((names) => names.has(name))
      const change = (node: Node) => {
        const target = changedBy(node)
        const isPart = target?.type === "MemberExpression" || node.type === "CallExpression"
        const name = target && isPart ? rootOf(target) : ""
        if (isParameter(name)) report(node, name)
      }
      const alias = (pattern: Node, source: Node) => {
        if (isParameter(rootOf(source))) for (const name of namesOf(pattern)) parameters.at(-1)?.add(name)
      }
      const leave = () => void parameters.pop()
      return {
        ...visitFunctions(({ params }) => void parameters.push(new Set(params.flatMap(namesOf)))),
        "FunctionDeclaration:exit": leave,
        "FunctionExpression:exit": leave,
        "ArrowFunctionExpression:exit": leave,
        AssignmentExpression: change,
        UpdateExpression: change,
        UnaryExpression: change,
        CallExpression: change,
        // A part of a parameter under another name.
        VariableDeclarator({ id, init }) {
          if (init) alias(id, init)
        },
        ForOfStatement({ left, right }) {
          if (left.type === "VariableDeclaration") for (const { id } of left.declarations) alias(id, right)
        },
      }
    },
  },
  {
    rule: "rules are pure: they return decisions, and call nothing that acts",
    about: isRulesFile,
    visitor: (_, report) => ({
      TSFunctionType({ returnType }) {
        const { typeAnnotation: type } = returnType
        const isPromise = type.type === "TSTypeReference" && nameOf(type.typeName) === "Promise"
        if (isPromise || type.type === "TSVoidKeyword") report(returnType, "a callback without a result")
      },
      TSMethodSignature({ start, returnType }) {
        if (returnType?.typeAnnotation.type === "TSVoidKeyword") report({ start }, "a callback without a result")
      },
    }),
  },
  {
    rule: "state of a module is declared with isolateState, which tests reset",
    about: (path) => inSource(path) && !STATEFUL.includes(path),
    visitor: (file, report) => {
      const frames: Frame[] = []
      let classes = 0
      /** The name that the function expression at an offset is given. */
      const named = new Map<number, string>()
      const leave = () => void frames.pop()
      // A function that a module calls while it loads encloses state of the module.
      const immediate = new Set<number>()
      const constants = new Set<string>()
      const changes: { node: Node; name: string }[] = []
      /** Functions that return something with state, and those that the module calls while it loads. */
      const factories = new Set<string>()
      const moduleCalls: { node: Node; name: string }[] = []
      /** The declaration of a `for … of` at an offset, to what it iterates over. */
      const iterated = new Map<number, Node>()
      const enter = (name: string, params: readonly Node[]) => {
        frames.push({ name, locals: new Map(params.flatMap(namesOf).map((param) => [param, null])) })
      }
      const addChange = (node: Node, target: Node, isReplaced: boolean) => {
        if (!frames.length) return
        const name = rootOf(target)
        const owner = frames.findLastIndex(({ locals }) => locals.has(name))
        const local = frames[owner]
        if (local && owner < frames.length - 1) factories.add(local.name)
        if (isReplaced) return
        const changed = local ? local.locals.get(name) : name
        if (changed) changes.push({ node, name: changed })
      }
      const enterExpression = (node: { start: number; params: readonly Node[] }) =>
        void (immediate.has(node.start) || enter(named.get(node.start) ?? "", node.params))
      const leaveExpression = ({ start }: Node) => void (immediate.has(start) || leave())
      return {
        FunctionDeclaration(node) {
          if (!frames.length && node.id) constants.add(node.id.name)
          enter(node.id?.name ?? "", node.params)
        },
        "FunctionDeclaration:exit": leave,
        FunctionExpression: enterExpression,
        "FunctionExpression:exit": leaveExpression,
        ArrowFunctionExpression: enterExpression,
        "ArrowFunctionExpression:exit": leaveExpression,
        ClassDeclaration(node) {
          if (!frames.length && node.id) constants.add(node.id.name)
        },
        ClassBody: () => void classes++,
        "ClassBody:exit": () => void classes--,
        ForOfStatement({ left, right }) {
          iterated.set(left.start, right)
        },
        VariableDeclarator({ id, init }) {
          if (init && id.type === "Identifier" && /Function/.test(init.type)) named.set(init.start, id.name)
        },
        VariableDeclaration(node) {
          const frame = frames.at(-1)
          if (frame) {
            for (const { id, init: value } of node.declarations) {
              const init = value ?? iterated.get(node.start)
              const part = node.kind === "const" && init ? rootOf(init) : ""
              const owner = frames.findLast(({ locals }) => locals.has(part))
              for (const name of namesOf(id)) frame.locals.set(name, (owner ? owner.locals.get(part) : part) || null)
            }
            return
          }
          if (node.kind !== "const") report(node, node.kind)
          for (const { id, init } of node.declarations) {
            if (!init) continue
            if (isEmptyCollection(init)) report(init, "an empty collection")
            else if (init.type === "NewExpression" && !STATELESS.test(nameOf(init.callee)))
              report(init, `new ${nameOf(init.callee)}`)
            // A regular expression that searches from an index sets the index before every search.
            const isRegExp = init.type === "Literal" && "regex" in init
            if (id.type !== "Identifier" || isIsolateState(init) || isRegExp) continue
            constants.add(id.name)
            if (init.type === "CallExpression" && nameOf(init.callee) === "memoize") constants.add(`${id.name}()`)
          }
        },
        PropertyDefinition(node) {
          if (node.static && !node.readonly) report(node, "static")
        },
        CallExpression(node) {
          const { callee } = node
          const called = callee.type === "ParenthesizedExpression" ? callee.expression : callee
          if (!frames.length) {
            if (/Function/.test(called.type)) immediate.add(called.start)
            if (called.type === "Identifier") moduleCalls.push({ node, name: called.name })
          }
          const [first] = node.arguments
          if (/^Object\.(assign|definePropert(y|ies))$/.test(nameOf(callee)) && first) addChange(node, first, false)
          if (callee.type !== "MemberExpression" || !MUTATORS.includes(memberOf(callee) ?? "")) return
          addChange(callee, callee.object, false)
        },
        AssignmentExpression: (node) => change(node, node.left),
        UpdateExpression: (node) => change(node, node.argument),
        UnaryExpression(node) {
          if (node.operator === "delete") change(node, node.argument)
        },
        "Program:exit"() {
          for (const { node, name } of changes) if (constants.has(name)) report(node, name)
          for (const { node, name } of moduleCalls) {
            const imported = file.bindings.has(name) ? findFunction(file, name) : null
            if (factories.has(name) || (imported && createsState(imported))) report(node, `${name}()`)
          }
        },
      }

      function change(node: Node, target: Node): void {
        addChange(node, target, target.type === "Identifier")
        // An object literal's methods change it.
        if (!classes && target.type === "MemberExpression" && isOfThis(target)) report(node, nameOf(target))
      }
    },
  },
]
