// What made-up requests know to exist: what they were told before, and the ids, codes and cursors that earlier answers gave. So they
// reach behind the first look-up: what one request made, a later one reads, changes and deletes.

type Value = string | number

/** Values of one name that are kept: the first that were learnt, which others have worked on most, and the latest. */
const OLDEST = 4
const LATEST = 12

/** Longer texts are no ids. */
const LONGEST = 400

/** Fields whose values other requests ask for by the same name. */
const NAMED = new Set([
  "event_id",
  "license_code",
  "license_data",
  "next_cursor",
  "product_id",
  "product_reference_id",
  "reference",
  "reference_id",
  "slug",
  "update_id",
  "version_id",
])

/** Paths that answer something of another noun than their own. */
const ANSWERED: Record<string, string> = {
  "/webhooks/{id}/test": "deliveries",
  "/webhooks/deliveries/{id}/retry": "deliveries",
  "/stores/{id}/events": "entries",
  "/internal/product-licenses/{license}/activations": "activated-product-activations",
  "/internal/product-activations": "activated-product-activations",
}

/** Where a parameter or field finds what another name was learnt under. */
const ALSO: Record<string, string[]> = {
  "activated-products product": ["reference_id"],
  after: ["next_cursor", "events"],
  "blocked-product-licenses license": ["product-licenses", "license_code"],
  "domains domain": ["domains"],
  "{type} version": ["version_id"],
  file: ["files"],
  folder: ["folders"],
  folder_id: ["folders"],
  license: ["product-licenses", "license_code"],
  license_file: ["license_data"],
  parent_id: ["folders"],
  plan: ["plans slug"],
  product: ["reference_id"],
  product_id: ["products"],
  product_reference_id: ["reference_id"],
  purchase_code: ["license_code"],
  store: ["stores"],
  "download_update version": ["version_id", "update_id"],
  "get_update_size version": ["version_id", "update_id"],
  "update version": ["version_id", "update_id"],
  "versions version": ["version_id"],
}

/** Names by which requests ask for what exists. */
export class Known {
  readonly #values = new Map<string, Value[]>()
  readonly #given: Record<string, Value[]>

  /** @param given what exists from the start, by the name of a field, of a parameter, or of a parameter behind its noun (`stores id`) */
  constructor(given: Record<string, Value[]>) {
    this.#given = given
  }

  /**
   * What is known by a name.
   * @param name of a field or parameter
   * @param noun the segment that a path parameter stands behind
   */
  of(name: string, noun?: string): Value[] {
    const full = noun ? `${noun} ${name}` : name
    const given = this.#given[full] ?? this.#given[name] ?? []
    const names = [...(noun ? [noun, full] : [name]), ...(ALSO[full] ?? ALSO[name] ?? [])]
    return [...given, ...names.flatMap((one) => this.#values.get(one) ?? [])]
  }

  /**
   * Remembers what an answer tells.
   * @param path the operation's path as the document has it
   * @param text the answer's body; what is no JSON tells nothing
   */
  learn(path: string, text: string): void {
    const noun = ANSWERED[path] ?? nounOf(path)
    try {
      this.#read(JSON.parse(text), noun, 0)
    } catch {
      // A file, or no body.
    }
  }

  #read(value: unknown, noun: string, depth: number): void {
    if (value === null || typeof value !== "object" || depth > 6) return
    if (Array.isArray(value)) {
      for (const item of value.slice(0, 10)) this.#read(item, noun, depth + 1)
      return
    }
    for (const [field, inner] of Object.entries(value)) {
      if (field === "id") this.#keep(noun, inner)
      else if (NAMED.has(field)) this.#keep(field === "slug" ? `${noun} slug` : field, inner)
      // What stands inside another thing has a noun of its own.
      this.#read(inner, field === "data" ? noun : field, depth + 1)
    }
  }

  #keep(name: string, value: unknown): void {
    const isValue = typeof value === "number" || (typeof value === "string" && value !== "" && value.length <= LONGEST)
    const known = this.#values.get(name) ?? []
    if (!isValue || known.includes(value)) return
    known.push(value)
    if (known.length > OLDEST + LATEST) known.splice(OLDEST, 1)
    this.#values.set(name, known)
  }
}

/** The last segment of a path that names a collection. */
function nounOf(path: string): string {
  const segments = path.split("/").filter(Boolean)
  const behind = segments.findLastIndex((segment) => segment.startsWith("{"))
  const last = segments.at(-1) ?? ""
  // `/stores/{id}/suspend` answers a store, `/stores/{id}/domains` domains.
  return behind > 0 && last !== segments[behind] && !last.endsWith("s")
    ? (segments[behind - 1] ?? last)
    : collection(segments)
}

const collection = (segments: string[]): string => segments.findLast((segment) => !segment.startsWith("{")) ?? ""
