// Checks imports against an allow-list per folder. A justified exception is marked on the line before the import:
// `// layers: <reason>`.
import { dirname, join, normalize } from "node:path/posix"

/** A violation of a rule. */
export interface Violation {
  file: string
  line: number
  rule: string
  imports: string
}

interface Import {
  line: number
  /** A path from the project's root without its extension, or a package. */
  target: string
  isType: boolean
  excused: boolean
}

/** A rule: the files it applies to, and the imports it allows. */
interface Rule {
  name: string
  about: (file: string) => boolean
  allows: (target: string, found: Import, file: string) => boolean
}

const under = (...folders: string[]) => {
  const found = folders.map((folder) => `${folder}/`)
  return (path: string) => found.some((folder) => path.startsWith(folder))
}

const isOurs = (target: string) => /^(src|durable|test|scripts|tools)\//.test(target)
const baseName = (path: string) =>
  path
    .split("/")
    .at(-1)
    ?.replace(/\.tsx?$/, "") ?? ""

/** Surfaces do not import each other, except for `console` and `operator`, which call the services of all others. */
const SURFACES = ["platform", "content", "license", "storefront", "console", "operator", "docs"]
const surfaceOf = (path: string) => SURFACES.find((name) => path.startsWith(`src/${name}/`))

/** Code that may call the services of other surfaces: operator interfaces, the documentation, and owners' billing. */
const mayCallOtherSurfaces = (file: string) =>
  under("src/console", "src/operator", "src/docs", "src/content/billing")(file)

/** Files that may use Hono, by name. */
const mayUseHono = (file: string) =>
  /(^|\/)(routes|app|gate|envelope|types|page|pages|layout|serving|http|surface|route|health)\.tsx?$/.test(file) ||
  /\/(gate|pages|components|console|docs)\//.test(file) ||
  file.endsWith(".tsx") ||
  HONO_FILES.has(file)

/** Middleware and responses with other names. */
const HONO_FILES = new Set([
  "src/core/http/router.ts",
  "src/content/user.ts",
  "src/content/mount-apps.ts",
  "src/content/blog/caching.ts",
  "src/license/body.ts",
  "src/license/request.ts",
  "src/pages/billing/session.ts",
  "src/platform/root.ts",
])

/** Hono's HTML templates, which are allowed everywhere. */
const TEMPLATES = ["hono/html", "hono/jsx", "hono/jsx/jsx-runtime"]

/** Files with pure decisions: `rules`, and those named after what they decide. */
function isRules(file: string): boolean {
  return ["rules", "actions", "transition", "periods", "schedule"].includes(baseName(file)) || /\/rules\//.test(file)
}

const RULES: Rule[] = [
  {
    name: "lib has no domain knowledge and no bindings",
    about: under("src/lib"),
    allows: (target) => !isOurs(target) || target.startsWith("src/lib/"),
  },
  {
    name: "durable objects import lib only",
    about: under("durable"),
    allows: (target) => !isOurs(target) || target.startsWith("src/lib/"),
  },
  {
    name: "the database layer imports lib and the bindings",
    about: under("src/db"),
    allows: (target) =>
      !isOurs(target) || under("src/db", "src/lib")(target) || ["src/env", "src/bindings"].includes(target),
  },
  {
    name: "core imports no surface",
    about: (file) => file.startsWith("src/core/") || file === "src/env.ts",
    allows: (target, { isType }) =>
      !isOurs(target) ||
      under("src/core", "src/db", "src/lib")(target) ||
      ["src/env", "src/bindings"].includes(target) ||
      (isType && target.startsWith("durable/")),
  },
  {
    name: "rules are pure",
    about: isRules,
    allows: (target, { isType }) =>
      isType ||
      under("src/lib", "src/themes")(target) ||
      ["src/core/http/store-access", "src/core/http/refusal", "src/core/http/validation"].includes(target) ||
      isRules(`${target}.ts`) ||
      ["constants", "event-types", "registry", "catalog", "reserved", "schemas", "types", "slugs"].includes(
        baseName(target),
      ),
  },
  {
    name: "queries and schemas do not import services",
    about: (file) => ["queries", "schemas"].includes(baseName(file)),
    allows: (target) =>
      !["src/core/write/commit", "src/core/write/site-commit"].includes(target) &&
      (!isOurs(target) ||
        !["service", "routes", "create", "update", "remove", "provision", "app", "gate"].includes(baseName(target))),
  },
  {
    name: "only routes, gates, envelopes and pages use Hono",
    about: (file) => file.startsWith("src/") && !mayUseHono(file),
    allows: (target, { isType }) => isType || TEMPLATES.includes(target) || !/^hono(\/|$)/.test(target),
  },
  {
    name: "routes call services, never the database",
    about: (file) => /(^|\/)routes\.tsx?$/.test(file),
    allows: (target, { isType }) =>
      isType || !(target.startsWith("src/db/") || (isOurs(target) && baseName(target) === "queries")),
  },
  {
    name: "only app.ts, a manifest or surfaces.ts mounts routes",
    about: (file) =>
      file.startsWith("src/") &&
      !/(^|\/)(app|surfaces|index|manifest)\.tsx?$/.test(file) &&
      !file.startsWith("src/docs/"),
    allows: (target, _, file) =>
      !isOurs(target) || !/^routes$/.test(baseName(target)) || dirname(target) === dirname(file.replace(/\.tsx?$/, "")),
  },
  {
    name: "surfaces do not import each other",
    about: (file) => surfaceOf(file) !== undefined && !mayCallOtherSurfaces(file),
    allows: (target, _, file) => {
      const theirs = surfaceOf(target)
      return theirs === undefined || theirs === surfaceOf(file)
    },
  },
  {
    name: "only core/write executes writes",
    about: (file) =>
      file.startsWith("src/") && !["src/core/write/commit.ts", "src/core/write/site-commit.ts"].includes(file),
    allows: (target) => target !== "src/db/client#execute",
  },
  {
    name: "only core/auth/password-hashing hashes passwords",
    about: (file) => file.startsWith("src/") && file !== "src/core/auth/password-hashing.ts",
    allows: (target) => target !== "src/lib/password",
  },
  {
    name: "only db connects to databases",
    about: (file) => file.startsWith("src/") && !file.startsWith("src/db/"),
    allows: (target) => target !== "drizzle-orm/d1",
  },
  {
    name: "jobs and the console call services, never the database",
    about: (file) => under("src/jobs", "src/console")(file) && !file.startsWith("src/console/search/"),
    allows: (target, { isType }) =>
      isType || !(target.startsWith("src/db/") || (isOurs(target) && baseName(target) === "queries")),
  },
  {
    name: "tools use the Worker through its interfaces",
    about: (file) => /^(tools\/(seed|cli)\/|scripts\/(seed|operator)|bench\/|examples\/)/.test(file),
    allows: (target) => !target.startsWith("src/") || target.startsWith("src/client/"),
  },
  {
    name: "the client has no imports outside its folder",
    about: under("src/client"),
    allows: (target) => target.startsWith("src/client/"),
  },
]

/**
 * Finds all violations in a set of files.
 * @param files path from the project's root to source text
 */
export function findViolations(files: ReadonlyMap<string, string>): Violation[] {
  const found: Violation[] = []
  for (const [file, text] of files) {
    const rules = RULES.filter((rule) => rule.about(file))
    if (!rules.length) continue
    for (const one of importsOf(file, text)) {
      if (one.excused) continue
      for (const rule of rules) {
        if (!rule.allows(one.target, one, file))
          found.push({ file, line: one.line, rule: rule.name, imports: one.target })
      }
    }
    if (file.startsWith("src/")) found.push(...awaitedWrites(file, text), ...bodyReads(file, text))
  }
  return found
}

const IMPORT = /^(?:import|export)\s+(type\s+)?([^"';]*?)\s*from\s+"([^"]+)"|import\("([^"]+)"\)/gm

function importsOf(file: string, text: string): Import[] {
  return [...text.matchAll(IMPORT)].flatMap((match) => {
    const [, type, names = "", from, dynamic] = match
    const path = from ?? dynamic ?? ""
    const target = path.startsWith(".") ? normalize(join(dirname(file), path)).replace(/\.(tsx?|js)$/, "") : path
    const before = text.slice(0, match.index)
    const lines = before.split("\n")
    const line = lines.length
    const excused = /\/\/ layers: \S/.test(lines.at(-2) ?? "")
    const isType =
      type !== undefined ||
      (/^\{/.test(names) &&
        names
          .replace(/[{}\s]/g, "")
          .split(",")
          .filter(Boolean)
          .every((name) => name.startsWith("type")))
    const one = { line, target, isType, excused }
    return target === "src/db/client" && /\bexecute\b/.test(names)
      ? [one, { ...one, target: "src/db/client#execute" }]
      : [one]
  })
}

/** Finds writes that are awaited or built without being used: a write is a value and does nothing by itself. */
function awaitedWrites(file: string, text: string): Violation[] {
  return [...text.matchAll(/(?:^\s*|\bawait\s+)(insert|update|remove|insertSelect|writeSql)\(/gm)]
    .filter((match) => /await/.test(match[0]) || isStatement(text, match.index))
    .map((match) => ({
      file,
      line: text.slice(0, match.index).split("\n").length + (match[0].startsWith("\n") ? 1 : 0),
      rule: "writes are passed to a writer",
      imports: match[1] ?? "",
    }))
}

/** Finds request bodies that are read outside of `core/http/body.ts`, whose parsers take linear time. */
function bodyReads(file: string, text: string): Violation[] {
  if (file === "src/core/http/body.ts") return []
  const reads = /\.(parseBody|formData)\(|\breq(?:uest)?(?:\.raw)?\.(json|text|arrayBuffer|blob|bytes)\(/g
  return [...text.matchAll(reads)].map((match) => ({
    file,
    line: text.slice(0, match.index).split("\n").length,
    rule: "request bodies are read by core/http/body",
    imports: match[1] ?? match[2] ?? "",
  }))
}

/** Whether the code at an index is a statement by itself, not a list item, argument or return value. */
const isStatement = (text: string, index: number): boolean => {
  const before = text.slice(0, index).trimEnd()
  return /[;{}]$/.test(before) && !/(=>\s*\{|[[(,?:=]|=>|return)$/.test(before) && !/\{$/.test(before)
}
