// Commits an event, as any change of a store does.
import { buildExample } from "../../src/webhooks/examples"
import { emitEvent } from "../support/webhook-factories"
import { START } from "./measure"

/** Commits the example of `store.updated`, with an audit entry. */
export const emitExample = () => emitEvent("store.updated", { ...buildExample("store.updated", START).data })
