// Checks every response that a test receives against the OpenAPI documents.
import { Contract, type ContractResponse } from "../../tools/openapi/contract"
import { APIS, buildDocument } from "../../tools/openapi/documents"
import { withListedProvider } from "./card-providers/names"
import { coveredResponses } from "./contract-coverage"

let contract: Contract | undefined

/**
 * Checks a response against its document.
 * @throws Error that describes the difference
 */
export function assertContract(request: Request, response: ContractResponse): void {
  contract ??= new Contract(
    Object.fromEntries(Object.values(APIS).map((api) => [api.name, buildDocument(api)])),
    (line) => coveredResponses.add(line),
  )
  contract.check(
    request,
    { ...response, text: withListedProvider(response.text) },
    new URL(request.url).hostname === "localhost",
  )
}
