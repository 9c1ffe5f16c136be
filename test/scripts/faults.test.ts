// Bindings wrapped for fault injection still work when no call fails.
import { expect, test } from "vitest"
import { withFaults } from "../../tools/faults/bindings"

/** Returns an RPC stub, which claims every member and takes each, even `bind`, for a remote method. */
function createRpcStub(methods: Record<string, (...args: unknown[]) => unknown>): object {
  const stubOf = (path: string): unknown =>
    new Proxy(() => undefined, {
      has: () => true,
      get: (_, name) => stubOf(`${path}.${String(name)}`),
      apply: async (_, _this, args) => {
        const method = methods[path.slice(1)]
        if (!method) throw new TypeError(`The RPC receiver does not implement the method "${path}"`)
        return method(...args)
      },
    })
  return new Proxy({}, { has: () => true, get: (_, name) => stubOf(`.${String(name)}`) })
}

test("sends mail through a binding that is an RPC stub", async () => {
  const sent: unknown[] = []
  const bindings = { MAIL: createRpcStub({ send: (mail) => sent.push(mail) }) }
  const { MAIL } = withFaults(bindings, { rate: 0, random: () => 1 }) as unknown as { MAIL: SendEmail }
  await MAIL.send({ to: "a@example.com" } as never)
  expect(sent).toEqual([{ to: "a@example.com" }])
})
