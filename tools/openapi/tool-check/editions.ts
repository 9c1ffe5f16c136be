// The served editions of the OpenAPI documents, for checks by tools of others.
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { convertToOpenApi30 } from "../../../src/docs/openapi-3-0.ts"
import { root } from "../../lib/project.ts"

const DOCUMENTS = ["platform", "content", "license"] as const

export interface DocumentEdition {
  /** Such as `platform` or `platform.3.0`. */
  name: string
  version: "3.1" | "3.0"
  text: string
}

/** Returns every document as OpenAPI 3.1 and 3.0. */
export const listEditions = (): DocumentEdition[] =>
  DOCUMENTS.flatMap((name): DocumentEdition[] => {
    const text = readFileSync(join(root, `openapi/${name}.json`), "utf8")
    return [
      { name, version: "3.1", text },
      { name: `${name}.3.0`, version: "3.0", text: convertToOpenApi30(text) },
    ]
  })
