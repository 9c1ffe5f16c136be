// Layers by meaning: which file may import which. What a folder may reach is a list of what is allowed; a file that must differ says so
// on the line before its import: `// layers: <reason>`.
import { dirname, join, normalize } from "node:path/posix"

/** A breach: where, and which rule. */
export interface Breach {
  file: string
  line: number
  rule: string
  imports: string
}

interface Import {
  line: number
  /** A path below the project's root without its ending, or a package. */
  target: string
  isType: boolean
  excused: boolean
}

/** A rule: the files it is about, and what it says of one import of theirs; null where there is nothing to say. */
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

/** The surfaces: what each of them has, the others do not know. `console` and `operator` speak for all of them and call their verbs. */
const SURFACES = ["platform", "content", "license", "storefront", "console", "operator", "docs"]
const surfaceOf = (path: string) => SURFACES.find((name) => path.startsWith(`src/${name}/`))

/** Who calls the verbs of other surfaces: those that speak for an operator, the reference, and the pages and paths of a store's owner. */
const speaksForOthers = (file: string) => under("src/console", "src/operator", "src/docs", "src/content/billing")(file)

/** Files that know HTTP, by what they are called. */
const knowsHttp = (file: string) =>
  /(^|\/)(routes|app|gate|envelope|types|page|pages|layout|serving|http|surface|route|health)\.tsx?$/.test(file) ||
  /\/(gate|pages|components|console|docs)\//.test(file) ||
  file.endsWith(".tsx") ||
  HTTP_BY_NAME.has(file)

/** Middleware and answers that are called after what they are about. */
const HTTP_BY_NAME = new Set([
  "src/content/user.ts",
  "src/content/mount-apps.ts",
  "src/content/blog/caching.ts",
  "src/license/body.ts",
  "src/license/request.ts",
  "src/pages/billing/session.ts",
  "src/platform/root.ts",
])

/** Hono's templates are no HTTP. */
const TEMPLATES = ["hono/html", "hono/jsx", "hono/jsx/jsx-runtime"]

/** Files of pure decisions: `rules`, and those called after what they decide. */
function isRules(file: string): boolean {
  return ["rules", "actions", "transition", "periods", "schedule"].includes(baseName(file)) || /\/rules\//.test(file)
}

const RULES: Rule[] = [
  {
    name: "lib knows no domain and no bindings",
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
    allows: (target) => !isOurs(target) || under("src/db", "src/lib")(target) || target === "src/env",
  },
  {
    name: "core is what all share: it knows no surface",
    about: (file) => file.startsWith("src/core/") || file === "src/env.ts",
    allows: (target, { isType }) =>
      !isOurs(target) ||
      under("src/core", "src/db", "src/lib")(target) ||
      target === "src/env" ||
      (isType && target.startsWith("durable/")),
  },
  {
    name: "rules know values",
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
    name: "queries and schemas stand below services",
    about: (file) => ["queries", "schemas"].includes(baseName(file)),
    allows: (target) =>
      !["src/core/write/commit", "src/core/write/site-commit"].includes(target) &&
      (!isOurs(target) ||
        !["service", "routes", "create", "update", "remove", "provision", "app", "gate"].includes(baseName(target))),
  },
  {
    name: "only routes, gates, envelopes and pages know HTTP",
    about: (file) => file.startsWith("src/") && !knowsHttp(file),
    allows: (target, { isType }) => isType || TEMPLATES.includes(target) || !/^hono(\/|$)/.test(target),
  },
  {
    name: "routes call services, never the database",
    about: (file) => /(^|\/)routes\.tsx?$/.test(file),
    allows: (target, { isType }) =>
      isType || !(target.startsWith("src/db/") || (isOurs(target) && baseName(target) === "queries")),
  },
  {
    name: "only an app, or the list of surfaces, mounts routes",
    about: (file) =>
      file.startsWith("src/") &&
      !/(^|\/)(app|surfaces|index|manifest)\.tsx?$/.test(file) &&
      !file.startsWith("src/docs/"),
    allows: (target, _, file) =>
      !isOurs(target) || !/^routes$/.test(baseName(target)) || dirname(target) === dirname(file.replace(/\.tsx?$/, "")),
  },
  {
    name: "surfaces do not import each other",
    about: (file) => surfaceOf(file) !== undefined && !speaksForOthers(file),
    allows: (target, _, file) => {
      const theirs = surfaceOf(target)
      return theirs === undefined || theirs === surfaceOf(file)
    },
  },
  {
    name: "nothing but core runs writes",
    about: (file) =>
      file.startsWith("src/") && !["src/core/write/commit.ts", "src/core/write/site-commit.ts"].includes(file),
    allows: (target) => target !== "src/db/client#execute",
  },
  {
    name: "only core/password-hashing hashes passwords, so that every hash is limited",
    about: (file) => file.startsWith("src/") && file !== "src/core/auth/password-hashing.ts",
    allows: (target) => target !== "src/lib/password",
  },
  {
    name: "nothing but db makes databases",
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
    name: "the Worker is known outside by its interfaces only",
    about: (file) => /^(tools\/(seed|cli)\/|scripts\/(seed|operator)|bench\/|examples\/)/.test(file),
    allows: (target) => !target.startsWith("src/") || target.startsWith("src/client/"),
  },
  {
    name: "the client imports nothing outside",
    about: under("src/client"),
    allows: (target) => target.startsWith("src/client/"),
  },
]

/**
 * Every breach in a set of files.
 * @param files path from the project's root -> text
 */
export function breaches(files: ReadonlyMap<string, string>): Breach[] {
  const found: Breach[] = []
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

/** A write has no `then`: awaiting one, or leaving it in a line of its own, does nothing at all. */
function awaitedWrites(file: string, text: string): Breach[] {
  return [...text.matchAll(/(?:^\s*|\bawait\s+)(insert|update|remove|insertSelect|writeSql)\(/gm)]
    .filter((match) => /await/.test(match[0]) || isStatement(text, match.index))
    .map((match) => ({
      file,
      line: text.slice(0, match.index).split("\n").length + (match[0].startsWith("\n") ? 1 : 0),
      rule: "a write is handed to a writer",
      imports: match[1] ?? "",
    }))
}

/** Request bodies are read by `core/body.ts`, whose parsers take linear time. */
function bodyReads(file: string, text: string): Breach[] {
  if (file === "src/core/http/body.ts") return []
  const reads = /\.(parseBody|formData)\(|\breq(?:uest)?(?:\.raw)?\.(json|text|arrayBuffer|blob|bytes)\(/g
  return [...text.matchAll(reads)].map((match) => ({
    file,
    line: text.slice(0, match.index).split("\n").length,
    rule: "request bodies are read by core/body",
    imports: match[1] ?? match[2] ?? "",
  }))
}

/** Whether what begins there is a statement of its own, and no item of a list, argument or answer. */
const isStatement = (text: string, index: number): boolean => {
  const before = text.slice(0, index).trimEnd()
  return /[;{}]$/.test(before) && !/(=>\s*\{|[[(,?:=]|=>|return)$/.test(before) && !/\{$/.test(before)
}
