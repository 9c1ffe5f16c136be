// What every resource's verbs are made of.
import type { Call, Transport } from "../transport.ts"

/** Makes a call and answers what stands in the answer's `data`. */
export const one = async <Resource>(transport: Transport, call: Call): Promise<Resource> =>
  (await transport.send<{ data: Resource }>(call)).data

/** Makes a call that answers nothing. */
export const none = async (transport: Transport, call: Call): Promise<void> => {
  await transport.send(call)
}
