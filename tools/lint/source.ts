// Parses TypeScript source for the project's own lint rules: its syntax tree, and its imports with their resolved
// modules.
import { existsSync, readFileSync } from "node:fs"
import { dirname, join, relative } from "node:path"
import { type Directive, parseSync, type Statement, Visitor, type VisitorObject } from "oxc-parser"
import { ResolverFactory } from "oxc-resolver"
import { root } from "../lib/project.ts"

/** A violation of a rule. */
export interface Violation {
  file: string
  line: number
  rule: string
  /** The offending import, call or name. */
  found: string
}

/** An import, a re-export, a dynamic import or an `import("…")` type. */
export interface Import {
  line: number
  offset: number
  /** A path from the project's root, such as `src/env.ts`, or a package, such as `hono/html`. */
  target: string
  /** Imported names; `*` for the whole module. */
  names: string[]
  /** Whether a name is imported under another one. */
  isRenamed: boolean
  isType: boolean
  isReexport: boolean
}

/** A parsed file. */
export interface SourceFile {
  /** The path from the project's root. */
  path: string
  text: string
  imports: Import[]
  /** Imported values by their local names; `*` is the whole module. */
  bindings: ReadonlyMap<string, { target: string; name: string }>
  /** The statements of the module. */
  body: readonly (Statement | Directive)[]
  /** Calls the visitor's functions for the nodes of the syntax tree, in source order. */
  visit(visitor: VisitorObject): void
  /** Returns the line of an offset, one-based. */
  lineAt(offset: number): number
}

const resolver = new ResolverFactory({
  extensions: [".ts", ".tsx", ".mjs", ".js", ".json"],
  extensionAlias: { ".js": [".ts", ".tsx", ".js"] },
})

const sources = new Map<string, SourceFile>()

/** Parses a TypeScript file of the project, once; null for anything else. */
export function loadSource(path: string): SourceFile | null {
  const known = sources.get(path)
  if (known) return known
  const isSource = /\.tsx?$/.test(path) && existsSync(join(root, path))
  return isSource ? parseSource(path, readFileSync(join(root, path), "utf8")) : null
}

/**
 * Parses a file.
 * @param path the path from the project's root; imports are resolved relative to it
 * @throws Error for a syntax error
 */
export function parseSource(path: string, text: string): SourceFile {
  const known = sources.get(path)
  if (known?.text === text) return known
  const { program, module, errors } = parseSync(path, text, { sourceType: "module" })
  const [error] = errors
  if (error) throw new Error(`${path}: ${error.message}`)
  const lineAt = (offset: number) => text.slice(0, offset).split("\n").length
  const found: Import[] = []
  const bindings = new Map<string, { target: string; name: string }>()
  const add = (specifier: string, offset: number, names: string[], facts: Partial<Import> = {}) => {
    const target = resolve(path, specifier)
    found.push({
      line: lineAt(offset),
      offset,
      target,
      names,
      isRenamed: false,
      isType: false,
      isReexport: false,
      ...facts,
    })
  }

  for (const { moduleRequest, entries, start } of module.staticImports) {
    const names = entries.map(({ importName }) => importName.name ?? (importName.kind === "Default" ? "default" : "*"))
    const isRenamed = entries.some(
      ({ importName, localName }) => importName.name && importName.name !== localName.value,
    )
    const isType = entries.length > 0 && entries.every((entry) => entry.isType)
    add(moduleRequest.value, start, names, { isRenamed, isType })
    const target = resolve(path, moduleRequest.value)
    for (const entry of entries)
      if (!entry.isType) bindings.set(entry.localName.value, { target, name: entry.importName.name ?? "*" })
  }
  for (const { entries, start } of module.staticExports) {
    for (const { moduleRequest, importName, isType } of entries) {
      if (moduleRequest) add(moduleRequest.value, start, [importName.name ?? "*"], { isType, isReexport: true })
    }
  }
  for (const { moduleRequest, start } of module.dynamicImports) {
    const [, literal] = /^["'`]([^"'`$]*)["'`]$/.exec(text.slice(moduleRequest.start, moduleRequest.end)) ?? []
    add(literal ?? COMPUTED, start, ["*"])
  }
  const visit = (visitor: VisitorObject) => new Visitor(visitor).visit(program)
  if (text.includes("import(")) {
    visit({ TSImportType: ({ source, start }) => void add(source.value, start, ["*"], { isType: true }) })
  }
  const imports = found.sort((a, b) => a.line - b.line)
  const file = { path, text, imports, bindings, body: program.body, visit, lineAt }
  sources.set(path, file)
  return file
}

/** The target of a dynamic import whose path is computed. */
export const COMPUTED = "(computed)"

function resolve(from: string, specifier: string): string {
  if (!specifier.startsWith(".")) return specifier
  const [path = ""] = specifier.split("?")
  const resolved = resolver.sync(join(root, dirname(from)), path).path
  return relative(root, resolved ?? join(root, dirname(from), path)).replaceAll("\\", "/")
}
