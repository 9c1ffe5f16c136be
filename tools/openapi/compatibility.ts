// Finds incompatible changes of the control plane: compares its document with everything that was ever published under
// the present version (openapi/published.json). docs/guides/versioning.md says which changes raise the version.
import type { Document, MediaType, Parameter, ResponseDoc } from "./document.ts"
import { type JsonSchema, refName } from "./json-schema.ts"

/** What a client may rely on at one place of the document, such as a field of a schema. */
interface Fact {
  /** Types and names of schemas; absent for an operation. */
  types?: string[]
  /** The values of an enum. */
  values?: unknown[]
  /** Whether it has to be sent, or is always sent. */
  required?: boolean
}

/** Facts by place: `POST /stores`, `POST /stores body`, `in StoresCreateRequest.name`, `out Store.status`. */
type Contract = Record<string, Fact>

/** The contract of a version. */
interface Published {
  version: string
  contract: Contract
}

type Direction = "in" | "out"

/** Describes what clients may rely on. */
export function describeContract(document: Document): Contract {
  const contract: Contract = {}
  const pending: [direction: Direction, schema: string][] = []
  const seen = new Set<string>()

  const describeSchema = (direction: Direction, place: string, schema: JsonSchema, required: boolean): void => {
    const types = new Set<string>()
    const values: unknown[] = []
    const visit = (one: JsonSchema): void => {
      const reference = refName(one)
      if (reference !== "") {
        types.add(reference)
        pending.push([direction, reference])
        return
      }
      for (const inner of [...(one.anyOf ?? []), ...(one.oneOf ?? [])]) visit(inner)
      for (const type of [one.type ?? []].flat()) types.add(type)
      if (one.enum) values.push(...one.enum)
      if (one.const !== undefined) values.push(one.const)
      if (one.items) describeSchema(direction, `${place}[]`, one.items, false)
      describeProperties(direction, place, one)
    }
    visit(schema)
    contract[place] = {
      types: [...types].sort(),
      ...(values.length > 0 && { values }),
      ...(required && { required }),
    }
  }

  const describeProperties = (direction: Direction, place: string, { properties = {}, required = [] }: JsonSchema) => {
    for (const [name, schema] of Object.entries(properties))
      describeSchema(direction, `${place}.${name}`, schema, required.includes(name))
  }

  const describeBody = (direction: Direction, place: string, content: Record<string, MediaType> = {}): void => {
    for (const { schema } of Object.values(content)) describeSchema(direction, place, schema, false)
  }

  const shared = document.components.parameters as Record<string, Parameter>
  for (const [path, methods] of Object.entries(document.paths)) {
    for (const [method, operation] of Object.entries(methods)) {
      const name = `${method.toUpperCase()} ${path}`
      contract[name] = { values: [operation.operationId] }
      for (const listed of operation.parameters ?? []) {
        const { name: parameter, in: location, schema, required = false } = { ...shared[refName(listed)], ...listed }
        if (schema) describeSchema("in", `${name} ${location} ${parameter}`, schema, required)
      }
      describeBody("in", `${name} body`, operation.requestBody?.content)
      for (const [status, response] of Object.entries<ResponseDoc>(operation.responses)) {
        if (!status.startsWith("2")) continue
        contract[`${name} ${status}`] = {}
        describeBody("out", `${name} ${status} body`, response.content)
      }
    }
  }
  for (const [type, webhook] of Object.entries(document.webhooks ?? {})) {
    contract[`event ${type}`] = {}
    const { requestBody } = webhook.post as { requestBody: { content: Record<string, MediaType> } }
    describeBody("out", `event ${type} body`, requestBody.content)
  }
  for (const code of Object.keys(document["x-codes"] ?? {})) contract[`code ${code}`] = {}
  for (let next = pending.pop(); next; next = pending.pop()) {
    const [direction, name] = next
    const place = `${direction} ${name}`
    const schema = document.components.schemas[name]
    if (seen.has(place) || !schema) continue
    seen.add(place)
    describeSchema(direction, place, schema, false)
  }
  return contract
}

const lacks = (list: readonly unknown[], members: readonly unknown[]): boolean =>
  members.some((member) => !list.includes(member))

/** Whether clients send what is at a place: a parameter, a body, or a field of one. */
const isInput = (place: string): boolean => /^in |^[A-Z]+ \S+ (path|query|header|body)\b/.test(place)

/** Returns why clients of the published contract may fail; null if none can. */
function findIncompatibility(place: string, published: Fact, current: Fact | undefined): string | null {
  if (!current) return "was removed"
  const [before, now] = [published.types ?? [], current.types ?? []]
  const isTypeChanged = isInput(place) ? lacks(now, before) : lacks(before, now)
  if (isTypeChanged) return `has the type ${now.join(" or ")} instead of ${before.join(" or ")}`
  const removed = (published.values ?? []).filter((value) => current.values && !current.values.includes(value))
  if (removed.length > 0) return `lacks the value ${removed.join(", ")}`
  if (isInput(place)) {
    if (!published.values && current.values) return "accepts some values only"
    return current.required && !published.required ? "became required" : null
  }
  if (published.values && !current.values) return "has any value"
  return published.required && !current.required ? "became optional" : null
}

/** The place that contains a place: a field's object, or a parameter's operation. */
const parentOf = (place: string): string =>
  place.includes(".") ? place.slice(0, place.lastIndexOf(".")) : place.split(" ").slice(0, 2).join(" ")

/**
 * Lists the incompatible changes.
 * @param published everything that clients of this version may rely on
 * @returns sentences such as "out Store.theme was removed"
 */
export function listIncompatibleChanges(published: Contract, current: Contract): string[] {
  const changed = Object.entries(published).flatMap(([place, fact]) => {
    const problem = findIncompatibility(place, fact, current[place])
    return problem === null ? [] : [`${place} ${problem}`]
  })
  return [...changed, ...listNewRequirements(published, current).map((place) => `${place} is required, but new`)]
}

/** Lists the places that clients of the published contract do not send, although they have to now. */
const listNewRequirements = (published: Contract, current: Contract): string[] =>
  Object.entries(current)
    .filter(
      ([place, { required }]) => required && isInput(place) && !(place in published) && parentOf(place) in published,
    )
    .map(([place]) => place)

/**
 * Adds what is new to the published contract. Places that changed incompatibly stay as they were published, so the test
 * fails until the change is reverted or the version is raised, which starts a new contract.
 */
export function publishContract(published: Published, { version, contract }: Published): Published {
  if (published.version !== version) return { version, contract: sortPlaces(contract) }
  const merged = Object.entries({ ...published.contract, ...contract }).map(([place, fact]): [string, Fact] => {
    const before = published.contract[place]
    return [place, before && findIncompatibility(place, before, contract[place]) !== null ? before : fact]
  })
  const refused = new Set(listNewRequirements(published.contract, contract))
  return { version, contract: sortPlaces(Object.fromEntries(merged.filter(([place]) => !refused.has(place)))) }
}

const sortPlaces = (contract: Contract): Contract =>
  Object.fromEntries(Object.entries(contract).sort(([a], [b]) => (a < b ? -1 : 1)))
