// The contract is read: every answer that a test is given is held to the OpenAPI document made of the routes.
import { type Answered, Contract } from "../../tools/openapi/contract"
import { APIS, documentOf } from "../../tools/openapi/documents"
import { seen } from "./seen"

let contract: Contract | undefined

/**
 * Holds an answer to the document.
 * @throws Error that says what is not in it
 */
export function holdToContract(request: Request, answer: Answered): void {
  contract ??= new Contract(Object.fromEntries(Object.values(APIS).map((api) => [api.name, documentOf(api)])), (line) =>
    seen.add(line),
  )
  contract.hold(request, answer, new URL(request.url).hostname === "localhost")
}
