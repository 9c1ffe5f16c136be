// Finds statements against a site database that could reach the rows of another site: every table of a statement must
// have its `site_id` set or compared with a value. Parses the SQL that this project writes, and rejects what it cannot
// read.

/** Tables and views without a `site_id`. Every other table is assumed to have one. */
const WITHOUT_SITE = /^(sqlite_\w+|d1_migrations|json_each|pragma_\w+|abort_\w+)$/

/** Full-text indexes; their rows belong to the rows with the same id, so a join by rowid limits them to a site. */
const SEARCH_INDEX = /_search$/

/** The comment that `acrossSites` adds to a statement: the name of its exception. */
const ACROSS_SITES = /\/\* across sites: (\w+) \*\//g

interface Token {
  kind: "word" | "name" | "value" | "symbol" | "group"
  /** In lower case, except for values. */
  text: string
  /** The tokens between parentheses. */
  inner: Token[]
}

/** A table or subquery that a query reads or changes. */
interface Source {
  alias: string
  table: string | null
}

/** A condition that holds for every row, or for every row of one source of an outer join. */
interface Condition {
  tokens: Token[]
  only: Source | null
}

/**
 * Checks a statement.
 * @returns the names of the exceptions that it claims, and its problems; a statement needs one or the other
 */
export function checkSiteStatement(sql: string): { exceptions: string[]; problems: string[] } {
  const exceptions = [...sql.matchAll(ACROSS_SITES)].map(([, name = ""]) => name)
  const problems: string[] = []
  try {
    checkQuery(parse(sql), [], problems)
  } catch (cause) {
    problems.push(String(cause))
  }
  return { exceptions, problems }
}

const LEXEME =
  /\s+|--[^\n]*|\/\*[\s\S]*?\*\/|(?<value>'(?:[^']|'')*'|\?\d*|[:@$]\w+|\d[\w.]*)|"(?<double>(?:[^"]|"")*)"|`(?<tick>[^`]*)`|(?<word>[A-Za-z_]\w*)|(?<symbol>->>|->|\|\||<=|>=|<>|!=|==|[-+*/%<>=~&|.,;()])/y

function parse(sql: string): Token[] {
  const stack: Token[][] = [[]]
  LEXEME.lastIndex = 0
  while (LEXEME.lastIndex < sql.length) {
    const start = LEXEME.lastIndex
    const groups = LEXEME.exec(sql)?.groups
    if (!groups) throw new Error(`cannot read the SQL at "${sql.slice(start, start + 20)}"`)
    const { value, word, symbol } = groups
    const name = groups.double ?? groups.tick
    const into = stack.at(-1) ?? []
    if (symbol === "(") {
      const inner: Token[] = []
      into.push({ kind: "group", text: "(", inner })
      stack.push(inner)
    } else if (symbol === ")") stack.pop()
    else if (value !== undefined) into.push({ kind: "value", text: value, inner: [] })
    else if (name !== undefined) into.push({ kind: "name", text: name.toLowerCase(), inner: [] })
    else if (word !== undefined) into.push({ kind: "word", text: word.toLowerCase(), inner: [] })
    else if (symbol !== undefined) into.push({ kind: "symbol", text: symbol, inner: [] })
  }
  return stack[0] ?? []
}

const is = (token: Token | undefined, ...texts: string[]): boolean =>
  token !== undefined && (token.kind === "word" || token.kind === "symbol") && texts.includes(token.text)

const isQuery = (tokens: Token[]): boolean =>
  is(tokens[0], "select", "values", "with", "insert", "replace", "update", "delete")

/** Removes repeated parentheses. */
const unwrap = (tokens: Token[]): Token[] =>
  tokens.length === 1 && tokens[0]?.kind === "group" ? unwrap(tokens[0].inner) : tokens

/** Splits tokens at words or symbols of the same level. */
function split(tokens: Token[], ...texts: string[]): Token[][] {
  const parts: Token[][] = [[]]
  for (const token of tokens) {
    if (is(token, ...texts)) parts.push([])
    else parts.at(-1)?.push(token)
  }
  return parts
}

/** Returns the tokens after `start` up to the first of `ends`. */
function between(tokens: Token[], start: number, ends: string[]): Token[] {
  const end = tokens.findIndex((token, index) => index >= start && is(token, ...ends))
  return tokens.slice(start, end < 0 ? undefined : end)
}

const AFTER_FROM = ["where", "group", "having", "window", "order", "limit", "returning"]
const AFTER_WHERE = [...AFTER_FROM.slice(1), "on"]
const JOINS = ["join", "left", "right", "full", "inner", "cross", "natural", "outer", ","]

/**
 * Checks a query and those inside it.
 * @param outer the sources of the queries around it
 */
function checkQuery(tokens: Token[], outer: Source[], problems: string[]): void {
  if (is(tokens[0], "with")) {
    const start = tokens.findIndex((token) => is(token, "select", "insert", "replace", "update", "delete"))
    const head = split(tokens.slice(1, start), ",").map((parts) => parts.filter((part) => !is(part, "recursive")))
    const defined = head.map(([name]): Source => ({ alias: name?.text ?? "", table: null }))
    for (const { inner } of tokens.slice(0, start)) if (isQuery(inner)) checkQuery(inner, defined, problems)
    checkQuery(tokens.slice(start), [...outer, ...defined], problems)
    return
  }
  if (is(tokens[0], "insert", "replace")) {
    checkInsert(tokens, outer, problems)
    return
  }
  for (const select of split(tokens, "union", "except", "intersect")) {
    checkSelect(is(select[0], "all") ? select.slice(1) : select, outer, problems)
  }
}

/** Checks a select, update or delete. */
function checkSelect(tokens: Token[], outer: Source[], problems: string[]): void {
  const conditions: Condition[] = []
  const from = tokens.findIndex((token) => is(token, "from"))
  const sources = from < 0 ? [] : readFrom(between(tokens, from + 1, AFTER_FROM), conditions)
  if (is(tokens[0], "update")) {
    const [target] = readFrom(between(tokens, 1, ["set"]), conditions)
    if (target) sources.unshift(target)
    const set = tokens.findIndex((token) => is(token, "set"))
    checkAssignments(between(tokens, set + 1, [...AFTER_FROM, "from"]), problems)
  }
  const where = tokens.findIndex((token) => is(token, "where"))
  if (where >= 0) conditions.push({ tokens: between(tokens, where + 1, AFTER_WHERE), only: null })
  const known = outer.filter(({ table }) => table === null).map(({ alias }) => alias)
  // A subquery of a search index only finds ids, which the query around it compares with those of its own table.
  const isIdSearch = is(tokens[1], "rowid") && is(tokens[2], "from") && sources.length === 1 && outer.length > 0
  const tables = sources.filter(
    ({ table }) =>
      table !== null &&
      !WITHOUT_SITE.test(table) &&
      !known.includes(table) &&
      !(isIdSearch && SEARCH_INDEX.test(table)),
  )
  for (const { alias, table } of findUnlimited(tables, sources, conditions)) {
    problems.push(`${table}${alias === table ? "" : ` as ${alias}`} has no condition on site_id`)
  }
  checkInner(tokens, [...outer, ...sources], problems)
}

/** Checks the queries inside an expression or clause. */
function checkInner(tokens: Token[], outer: Source[], problems: string[]): void {
  for (const [index, { kind, inner }] of tokens.entries()) {
    const next = tokens[index + 1]
    if (is(tokens[index], "in") && next?.kind !== "group" && next?.kind !== "value") problems.push("cannot read `in`")
    if (kind !== "group") continue
    if (isQuery(inner)) checkQuery(inner, outer, problems)
    else checkInner(inner, outer, problems)
  }
}

/** Reads the tables and subqueries of a from clause, and the conditions of its joins. */
function readFrom(tokens: Token[], conditions: Condition[]): Source[] {
  const sources: Source[] = []
  let at = 0
  let isOuter = false
  while (at < tokens.length) {
    const first = tokens[at]
    if (is(first, ...JOINS)) {
      if (is(first, "right", "full")) throw new Error("cannot read a right or full join")
      if (is(first, ",", "inner", "cross", "natural")) isOuter = false
      if (is(first, "left")) isOuter = true
      at += 1
      continue
    }
    if (is(first, "or")) {
      at += 2
      continue
    }
    if (!first || first.kind === "value" || first.kind === "symbol") throw new Error("cannot read a from clause")
    if (first.kind === "group" && !isQuery(unwrap(first.inner)))
      throw new Error("cannot read a from clause with parentheses")
    const isFunction = first.kind !== "group" && tokens[at + 1]?.kind === "group"
    const source: Source = { table: first.kind === "group" ? null : first.text, alias: first.text }
    at += isFunction ? 2 : 1
    if (is(tokens[at], "as")) at += 1
    const alias = tokens[at]
    if (alias && (alias.kind === "name" || (alias.kind === "word" && !is(alias, ...JOINS, "on", "indexed", "not")))) {
      source.alias = alias.text
      at += 1
    }
    if (is(tokens[at], "not")) at += 2
    if (is(tokens[at], "indexed")) at += 3
    sources.push(source)
    if (is(tokens[at], "on")) {
      const condition = between(tokens, at + 1, JOINS)
      conditions.push({ tokens: condition, only: isOuter ? source : null })
      at += condition.length + 1
      isOuter = false
    }
  }
  return sources
}

/** Returns the parts of a condition that all hold, without their parentheses. */
function conjuncts(tokens: Token[]): Token[][] {
  const [only] = tokens
  if (tokens.length === 1 && only?.kind === "group" && !isQuery(only.inner)) return conjuncts(only.inner)
  if (tokens.some((token) => is(token, "or", "case", "between"))) return []
  const parts = split(tokens, "and")
  return parts.length === 1 ? parts : parts.flatMap(conjuncts)
}

/** Returns the tables whose `site_id` the conditions do not compare with a value or with that of a limited source. */
function findUnlimited(tables: Source[], sources: Source[], conditions: Condition[]): Source[] {
  const unlimited = new Set(tables)
  const column = ([...tokens]: Token[], name: string): Source | "outer" | null => {
    // A unary plus keeps SQLite from using an index.
    if (is(tokens[0], "+")) tokens.shift()
    if (tokens.at(-1)?.text !== name || tokens.at(-1)?.kind === "value") return null
    if (tokens.length === 1)
      return sources.length === 1 ? (sources[0] ?? null) : tables.length === 1 ? (tables[0] ?? null) : null
    if (tokens.length !== 3 || !is(tokens[1], ".")) return null
    return sources.find(({ alias }) => alias === tokens[0]?.text) ?? "outer"
  }
  const equalities = conditions.flatMap(({ tokens, only }) =>
    conjuncts(tokens).map((part) => ({ only, sides: split(part, "=", "==") })),
  )
  for (let changed = true; changed; ) {
    changed = false
    for (const { only, sides } of equalities) {
      const [left = [], right = []] = sides
      if (sides.length !== 2) continue
      for (const [side, other] of [
        [left, right],
        [right, left],
      ] as const) {
        const isValue = other.length === 1 && other[0]?.kind === "value"
        const source = column(side, "site_id")
        const match = column(other, "site_id")
        const isLimited = isValue || match === "outer" || (match !== null && !unlimited.has(match))
        const index = column(side, "rowid")
        const row = column(other, "id")
        const joins = index !== null && index !== "outer" && SEARCH_INDEX.test(index.table ?? "") && row !== null
        const limited = source && isLimited ? source : joins && row !== "outer" && !unlimited.has(row) ? index : null
        if (limited === null || limited === "outer" || (only && only !== limited)) continue
        changed = unlimited.delete(limited) || changed
      }
    }
  }
  return [...unlimited]
}

/** No row may change its site. */
function checkAssignments(tokens: Token[], problems: string[]): void {
  for (const [first, second, third] of split(tokens, ",")) {
    if (first?.text === "site_id" || (is(second, ".") && third?.text === "site_id")) problems.push("site_id is changed")
  }
}

/** Checks that an insert sets `site_id`, and that its upsert changes rows of the same site only. */
function checkInsert(tokens: Token[], outer: Source[], problems: string[]): void {
  const into = tokens.findIndex((token) => is(token, "into"))
  const table = tokens[into + 1]?.text ?? ""
  const columns = tokens[into + 2]
  const values = tokens.slice(columns?.kind === "group" ? into + 3 : into + 2)
  const end = values.findIndex((token, index) => is(token, "on") && is(values[index + 1], "conflict"))
  const rows = between(end < 0 ? values : values.slice(0, end), 0, ["returning"])
  const upsert = end < 0 ? [] : values.slice(end + 2)
  checkQuery(rows, outer, problems)
  checkInner(upsert, [...outer, { alias: table, table }], problems)
  if (WITHOUT_SITE.test(table)) return
  const index =
    columns?.kind === "group" ? split(columns.inner, ",").findIndex(([name]) => name?.text === "site_id") : -1
  const expressions = is(rows[0], "values")
    ? rows
        .slice(1)
        .filter(({ kind }) => kind === "group")
        .map(({ inner }) => split(inner, ",")[index])
    : [split(between(rows, 1, ["from", ...AFTER_FROM]), ",")[index]]
  const isSite = (expression: Token[] = []) =>
    (expression.length === 1 && expression[0]?.kind === "value") ||
    (expression.at(-1)?.text === "site_id" && (expression.length === 1 || is(expression[1], ".")))
  if (index < 0 || !expressions.every(isSite)) problems.push(`${table} gets a row without site_id`)
  if (upsert.some((token) => is(token, "update"))) {
    const target = upsert[0]?.kind === "group" ? split(upsert[0].inner, ",") : []
    if (!target.some((column) => column.at(-1)?.text === "site_id"))
      problems.push(`${table} has an upsert without site_id`)
    const set = upsert.findIndex((token) => is(token, "set"))
    checkAssignments(between(upsert, set + 1, AFTER_FROM), problems)
  }
}
