// Checks SQL statements and queue messages against limits that Cloudflare has. The workerd of local development and
// tests enforces some of them at other values: a function takes 127 arguments, and a string has 4 MB. See
// https://developers.cloudflare.com/d1/platform/limits/ and https://developers.cloudflare.com/queues/platform/limits/.

/** Limits of D1 for one statement. */
export const D1_LIMITS = {
  statementBytes: 100_000,
  parameters: 100,
  functionArguments: 32,
  likePatternBytes: 50,
  /** Of a string, a BLOB or a row. */
  valueBytes: 2_000_000,
  /** Of a query, or of all queries of a batch, in milliseconds. */
  queryMs: 30_000,
}

/**
 * Runs a query, or a batch of them, within the longest duration that D1 allows.
 * @throws Error with the message of D1 when it takes longer
 */
export async function withQueryTimeout<Result>(run: () => Promise<Result>): Promise<Result> {
  const timeout = Promise.withResolvers<never>()
  const error = new Error("D1_ERROR: D1 DB storage operation exceeded timeout which caused object to be reset.")
  const timer = setTimeout(() => timeout.reject(error), D1_LIMITS.queryMs)
  return Promise.race([run(), timeout.promise]).finally(() => clearTimeout(timer))
}

/** Limits of Cloudflare Queues. */
const QUEUE_LIMITS = { messageBytes: 128_000, batchBytes: 256_000, batchMessages: 100, metadataBytes: 100 }

/**
 * Checks the messages of one `send` or `sendBatch`.
 * @throws Error like the queue's when they exceed a limit
 */
export function checkQueueLimits(bodies: readonly unknown[]): void {
  const { messageBytes, batchBytes, batchMessages, metadataBytes } = QUEUE_LIMITS
  const sizes = bodies.map((body) => byteLength(JSON.stringify(body) ?? "") + metadataBytes)
  const longest = Math.max(0, ...sizes)
  if (longest > messageBytes) throw new Error(`message length of ${longest} bytes exceeds limit of ${messageBytes}`)
  if (sizes.length > batchMessages)
    throw new Error(`batch message count of ${sizes.length} exceeds limit of ${batchMessages}`)
  const total = sizes.reduce((sum, size) => sum + size, 0)
  if (total > batchBytes) throw new Error(`batch size of ${total} bytes exceeds limit of ${batchBytes}`)
}

/** Keywords that a parenthesis may follow without being a function's. */
const KEYWORDS = new Set(
  "all and as between by case check conflict else except exists filter from glob having in intersect into is join key like limit match not offset on or order over partition primary references returning select set then union unique using values when where with".split(
    " ",
  ),
)

/** Keywords whose operand is a name, which a parenthesis may follow: `insert into tags (…)`. */
const NAMING_KEYWORDS = new Set(["into", "on", "references", "table", "with", "recursive", "exists", "as"])

const LEXEME =
  /\s+|--[^\n]*|\/\*[\s\S]*?\*\/|(?<text>'(?:[^']|'')*')|(?<name>"(?:[^"]|"")*"|`[^`]*`)|(?<parameter>\?\d*)|(?<word>[A-Za-z_]\w*)|(?<other>\|\||->>?|.)/gsy

interface Token {
  kind: "text" | "name" | "parameter" | "word" | "other"
  text: string
}

/** A statement that exceeds a limit of D1, with D1's message. */
export class StatementLimitError extends Error {}

/**
 * Checks a statement with its parameters.
 * @param params the bound values, in order
 * @throws StatementLimitError when the statement exceeds a limit
 */
export function checkPlatformLimits(sql: string, params: readonly unknown[]): void {
  const problem = findStatementProblem(sql) ?? findParameterProblem(sql, params)
  if (problem) throw new StatementLimitError(`D1_ERROR: ${problem}`)
}

/** Problems of statements by their text: an isolate runs the same few thousand. */
const known = new Map<string, string | null>()
const MAX_KNOWN = 5_000

function findStatementProblem(sql: string): string | null {
  const cached = known.get(sql)
  if (cached !== undefined) return cached
  const call = findLongCall(tokenize(sql))
  const problem =
    byteLength(sql) > D1_LIMITS.statementBytes
      ? "statement too long: SQLITE_TOOBIG"
      : call && `too many arguments on function ${call}: SQLITE_ERROR`
  if (known.size >= MAX_KNOWN) known.clear()
  known.set(sql, problem)
  return problem
}

function findParameterProblem(sql: string, params: readonly unknown[]): string | null {
  if (params.length > D1_LIMITS.parameters) return "too many SQL variables: SQLITE_ERROR"
  const sizes = params.map(sizeOf)
  // The row of `insert … values (?, …)` or `update … set … = ?` contains its parameters.
  const isOneRow = /^\s*(insert|replace|update)\b/i.test(sql) && !/\bselect\b|\)\s*,\s*\(/i.test(sql)
  const size = isOneRow ? sizes.reduce((sum, one) => sum + one, 0) : Math.max(0, ...sizes)
  if (size > D1_LIMITS.valueBytes) return "string or blob too big: SQLITE_TOOBIG"
  const patterns = /\b(like|glob)\b/i.test(sql) ? findPatterns(tokenize(sql), params) : []
  const isTooComplex = patterns.some((pattern) => byteLength(pattern) > D1_LIMITS.likePatternBytes)
  return isTooComplex ? "LIKE or GLOB pattern too complex: SQLITE_ERROR" : null
}

const encoder = new TextEncoder()

/** Bytes of a text in UTF-8. */
const byteLength = (text: string): number => encoder.encode(text).length

function sizeOf(value: unknown): number {
  if (typeof value === "string") return byteLength(value)
  if (value instanceof ArrayBuffer || ArrayBuffer.isView(value)) return value.byteLength
  return Array.isArray(value) ? value.length : 0
}

function tokenize(sql: string): Token[] {
  return [...sql.matchAll(LEXEME)].flatMap(({ groups = {} }) => {
    const [kind, text] = Object.entries(groups).find(([, found]) => found !== undefined) ?? []
    return kind && text ? [{ kind: kind as Token["kind"], text: kind === "word" ? text.toLowerCase() : text }] : []
  })
}

/** Returns the name of a function with too many arguments; null when there is none. */
function findLongCall(tokens: readonly Token[]): string | null {
  /** The open parentheses: the called function, or null, and the number of its arguments. */
  const open: { name: string | null; count: number }[] = []
  for (const [index, { kind, text }] of tokens.entries()) {
    if (kind === "other" && text === "(") {
      const [before, previous] = [tokens[index - 2], tokens[index - 1]]
      const isCall =
        previous?.kind === "word" && !KEYWORDS.has(previous.text) && !NAMING_KEYWORDS.has(before?.text ?? "")
      open.push({ name: isCall ? previous.text : null, count: 1 })
    } else if (kind === "other" && text === ",") {
      const call = open.at(-1)
      if (call && ++call.count > D1_LIMITS.functionArguments && call.name) return call.name
    } else if (kind === "other" && text === ")") open.pop()
  }
  return null
}

/**
 * Returns the patterns of LIKE and GLOB that are literals or parameters; SQLite itself sees only these as constants.
 */
function findPatterns(tokens: readonly Token[], params: readonly unknown[]): string[] {
  let parameter = 0
  return tokens.flatMap((token, index) => {
    const number = Number(token.text.slice(1))
    const position = token.kind === "parameter" ? (number ? number - 1 : parameter++) : -1
    const operator = tokens[index - 1]
    if (operator?.kind !== "word" || !["like", "glob"].includes(operator.text)) return []
    if (token.kind === "text") return [token.text.slice(1, -1).replaceAll("''", "'")]
    return token.kind === "parameter" ? [String(params[position])] : []
  })
}
