// The operator's command line over HTTP, on the central host, behind the operator token.
import { Hono } from "hono"
import type * as z from "zod"
import { createContext } from "../core/context"
import { hostOf } from "../core/host"
import { clientIp, maxBody, prepareJson } from "../core/http"
import { createLog } from "../core/log"
import { httpFault, Refusal } from "../core/refusal"
import { fieldFaults } from "../core/validation"
import { type Env, settingsOf } from "../env"
import { equalSecrets } from "../lib/hash"
import { ulid } from "../lib/ulid"
import { refuse, toRefusal } from "../platform/envelope"
import type { Command } from "./command"
import { COMMANDS } from "./commands"

interface OperatorEnv {
  Bindings: Env
  Variables: { requestId: string }
}

export const operator = new Hono<OperatorEnv>()
  .basePath("/api/operator/v1")
  .use(async (c, next) => {
    c.set("requestId", ulid(new Date()))
    if (hostOf(c.env, c.req.url).kind !== "central") throw new Refusal("not_found")
    const token = /^Bearer\s+(\S+)$/i.exec(c.req.header("Authorization") ?? "")?.[1]
    if (!token) throw new Refusal("unauthenticated")
    if (!equalSecrets(token, settingsOf(c.env).OPERATOR_TOKEN)) throw new Refusal("invalid_key")
    await next()
  })
  .use(maxBody(1_000_000))
  .get("/", (c) => c.json({ data: Object.entries(COMMANDS).map(([name, command]) => usage(name, command)) }))
  .post("/:command", async (c) => {
    const name = c.req.param("command")
    const command = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined
    if (!command) throw new Refusal("not_found")
    await prepareJson(c)
    const given: unknown = await c.req.json().catch(() => {
      throw httpFault(400)
    })
    refuseUnknown(command, given)
    const input = command.input.safeParse(given)
    if (!input.success) throw new Refusal("validation_failed", { fields: fieldFaults(input.error, given) })
    const ctx = createContext(c.env, (work) => c.executionCtx.waitUntil(work), {
      actor: { type: "admin", id: 0, name: "operator" },
      interface: "cli",
      address: clientIp(c),
      requestId: c.var.requestId,
    })
    return c.json({ data: await command.run(ctx, input.data) })
  })

operator.notFound((c) => refuse(c, new Refusal("not_found")))
operator.onError((thrown, c) => {
  const refusal = toRefusal(thrown, c.var.requestId)
  if (refusal.code === "server_error") createLog({ request_id: c.var.requestId }).error("unexpected fault", thrown)
  return refuse(c, refusal)
})

/**
 * An option that a command does not know is a slip of the keyboard, and must not pass in silence.
 * @throws Refusal `validation_failed`
 */
function refuseUnknown(command: Command, given: unknown): void {
  const unknown = Object.keys(Object(given)).filter((option) => !Object.hasOwn(command.input.shape, option))
  if (!unknown.length) return
  const fields = Object.fromEntries(unknown.map((option) => [option, [{ rule: "prohibited" as const }]]))
  throw new Refusal("validation_failed", { fields })
}

/** A command as the command line's help shows it. */
function usage(name: string, command: Command) {
  const options = Object.entries(command.input.shape).map(([option, schema]) => ({
    name: option,
    required: !(schema as z.ZodType).safeParse(undefined).success,
    summary: (schema as z.ZodType).description ?? "",
  }))
  return { name, summary: command.summary, options }
}
