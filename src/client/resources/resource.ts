// What every resource's verbs are made of.
import type { Call, Transport } from "../transport.ts"
import type { Data, Operation } from "../types.ts"

/** Makes a call and answers what stands in the answer's `data`. */
export const one = async <Name extends Operation>(transport: Transport, call: Call<Name>): Promise<Data<Name>> =>
  ((await transport.send(call)) as { data: Data<Name> }).data

/** Makes a call that answers nothing. */
export const none = async (transport: Transport, call: Call): Promise<void> => {
  await transport.send(call)
}
