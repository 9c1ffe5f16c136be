// Checks an OpenAPI document with Spectral: the rules whose violations make generators and importers fail.
import spectral, { type RulesetDefinition } from "@stoplight/spectral-core"
import parsers from "@stoplight/spectral-parsers"
import rulesets from "@stoplight/spectral-rulesets"
import type { DocumentEdition } from "./editions.ts"

const { createRulesetFunction, Document, Spectral } = spectral

/** Keywords that generators apply to the value of an enum, which then does not compile. */
const BOUNDS = ["minLength", "maxLength", "pattern", "minimum", "maximum"]

const findBounds = createRulesetFunction<Record<string, unknown>, null>(
  { input: { type: "object" }, options: null },
  (schema) =>
    BOUNDS.filter((keyword) => keyword in schema).map((keyword) => ({ message: `An enum must not have ${keyword}.` })),
)

type Rules = Extract<RulesetDefinition, { rules: object }>["rules"]

/** Rules that take a second and less for all documents. */
const RULES: Rules = {
  "oas3-schema": "error",
  // An enum whose values have several types becomes one with duplicate keys.
  "typed-enum": "error",
  // biome-ignore lint/suspicious/noThenProperty: Spectral's rules have a property of this name.
  "enum-without-bounds": { given: "$..[?(@ && @.enum && @.type)]", severity: "error", then: { function: findBounds } },
  "operation-operationId-unique": "error",
  "operation-parameters": "error",
  "operation-description": "error",
  "path-params": "error",
}

/** Rules that compile every schema. Redocly checks the same of the documents in 3.1, so they run on 3.0 only. */
const EXAMPLE_RULES: Rules = {
  "oas3-valid-media-example": "error",
  "oas3-valid-schema-example": "error",
}

const linters = { "3.1": createLinter(RULES), "3.0": createLinter({ ...RULES, ...EXAMPLE_RULES }) }

function createLinter(rules: Rules) {
  const linter = new Spectral()
  linter.setRuleset({ extends: [[rulesets.oas as RulesetDefinition, "off"]], rules } as RulesetDefinition)
  return linter
}

/** Returns a line per violation. */
export async function lintWithSpectral({ name, version, text }: DocumentEdition): Promise<string[]> {
  const results = await linters[version].run(new Document(text, parsers.Json, `${name}.json`))
  return results.map(({ code, path, message }) => `${name}: ${path.join("/")}: ${message} (${code})`)
}
