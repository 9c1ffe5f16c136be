// Request helpers shared by the resources.
import type { Call, Transport } from "../transport.ts"
import type { Data, Operation } from "../types.ts"

/** Sends a call and returns the `data` of the response. */
export const requestData = async <Name extends Operation>(
  transport: Transport,
  call: Call<Name>,
): Promise<Data<Name>> => ((await transport.send(call)) as { data: Data<Name> }).data

/** Sends a call whose response has no body. */
export const requestNothing = async (transport: Transport, call: Call): Promise<void> => {
  await transport.send(call)
}
