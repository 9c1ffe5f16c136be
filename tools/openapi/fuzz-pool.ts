// Collects ids, codes and cursors from responses, so that generated requests refer to existing resources: later
// requests read, change and delete what earlier ones created.

type Value = string | number

/** Values per name: the oldest, which most requests have changed, and the latest. */
const MAX_OLDEST = 4
const MAX_LATEST = 12

/** Longer strings are not ids. */
const MAX_LENGTH = 400

/** Fields that other requests send under the same name. */
const COLLECTED_FIELDS = new Set([
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

/** Paths that return a resource of another collection than their own. */
const COLLECTION_BY_PATH: Record<string, string> = {
  "/webhooks/{id}/test": "deliveries",
  "/webhooks/deliveries/{id}/retry": "deliveries",
  "/stores/{id}/events": "entries",
  "/internal/product-licenses/{license}/activations": "activated-product-activations",
  "/internal/product-activations": "activated-product-activations",
}

/** Other names under which values of a parameter or field are collected. */
const ALIASES: Record<string, string[]> = {
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

/** Known values by name. */
export class ValuePool {
  readonly #values = new Map<string, Value[]>()
  readonly #initial: Record<string, Value[]>

  /** @param initial initial values, by name of a field or parameter, or by collection and parameter (`stores id`) */
  constructor(initial: Record<string, Value[]>) {
    this.#initial = initial
  }

  /**
   * Lists the known values of a name.
   * @param name name of a field or parameter
   * @param noun the path segment before a path parameter
   */
  get(name: string, noun?: string): Value[] {
    const full = noun ? `${noun} ${name}` : name
    const initial = this.#initial[full] ?? this.#initial[name] ?? []
    const names = [...(noun ? [noun, full] : [name]), ...(ALIASES[full] ?? ALIASES[name] ?? [])]
    return [...initial, ...names.flatMap((one) => this.#values.get(one) ?? [])]
  }

  /**
   * Collects the values of a response.
   * @param path the operation's path, as in the document
   * @param text the response body; anything but JSON is ignored
   */
  learn(path: string, text: string): void {
    const noun = COLLECTION_BY_PATH[path] ?? getCollection(path)
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
      if (field === "id") this.#add(noun, inner)
      else if (COLLECTED_FIELDS.has(field)) this.#add(field === "slug" ? `${noun} slug` : field, inner)
      // Nested resources belong to their own collection.
      this.#read(inner, field === "data" ? noun : field, depth + 1)
    }
  }

  #add(name: string, value: unknown): void {
    const isValue =
      typeof value === "number" || (typeof value === "string" && value !== "" && value.length <= MAX_LENGTH)
    const known = this.#values.get(name) ?? []
    if (!isValue || known.includes(value)) return
    known.push(value)
    if (known.length > MAX_OLDEST + MAX_LATEST) known.splice(MAX_OLDEST, 1)
    this.#values.set(name, known)
  }
}

/** Returns the collection that the response of a path belongs to. */
function getCollection(path: string): string {
  const segments = path.split("/").filter(Boolean)
  const parameterIndex = segments.findLastIndex((segment) => segment.startsWith("{"))
  const last = segments.at(-1) ?? ""
  // `/stores/{id}/suspend` returns a store, `/stores/{id}/domains` returns domains.
  return parameterIndex > 0 && last !== segments[parameterIndex] && !last.endsWith("s")
    ? (segments[parameterIndex - 1] ?? last)
    : lastCollection(segments)
}

const lastCollection = (segments: string[]): string => segments.findLast((segment) => !segment.startsWith("{")) ?? ""
