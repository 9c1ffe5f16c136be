// The operator's command line over HTTP, on the central host, behind the operator token.
import type { MiddlewareHandler } from "hono"
import type * as z from "zod"
import { prepareJson, readJson } from "../core/http/body"
import { hostOf } from "../core/http/host"
import { clientIp } from "../core/http/http"
import { addressLimits, assertLeft, spend } from "../core/http/rate-limit"
import { type FieldFaults, httpFault, Refusal } from "../core/http/refusal"
import { createSurface, requestContext, type SurfaceEnv, type SurfaceVariables } from "../core/http/surface"
import { fieldFaults } from "../core/http/validation"
import type { Actor } from "../core/write/actor"
import { settingsOf } from "../env"
import { equalSecrets } from "../lib/hash"
import { refuse } from "../platform/envelope"
import { actorOf } from "./actor"
import type { Command } from "./command"
import { COMMANDS } from "./commands"

interface OperatorEnv extends SurfaceEnv {
  Variables: SurfaceVariables & {
    actor: Actor
    /** The command's name, once it is known to be one. */
    command?: string
  }
}

/** Wrong tokens a minute from one address. */
const FAILURES = 10

/**
 * Lets the operator's token pass. Wrong ones are counted by address, and an address that has guessed too often is not heard at all.
 * @throws Refusal `not_found`, `unauthenticated`, `rate_limited`, `invalid_key`
 */
const gate: MiddlewareHandler<OperatorEnv> = async (c, next) => {
  if (hostOf(c.env, c.req.url).kind !== "central") throw new Refusal("not_found")
  const token = /^Bearer\s+(\S+)$/i.exec(c.req.header("Authorization") ?? "")?.[1]
  if (!token) throw new Refusal("unauthenticated")
  const failures = addressLimits("operator-failures", clientIp(c), FAILURES)
  await assertLeft(c.env, c.var.log, failures)
  if (!equalSecrets(token, settingsOf(c.env).OPERATOR_TOKEN)) {
    await spend(c.env, c.var.log, failures)
    throw new Refusal("invalid_key")
  }
  c.set("actor", await actorOf(requestContext(c), c.req.header("X-Operator")))
  await next()
}

export const operator = createSurface<OperatorEnv>({
  name: "operator",
  base: "/api/operator/v1",
  facts: (c) => ({ command: c.var.command, actor: c.var.actor?.name }),
  gate: [gate],
  maxBody: 1_000_000,
  refuse,
})

operator.get("/", (c) => c.json({ data: Object.entries(COMMANDS).map(([name, command]) => usage(name, command)) }))

operator.post("/:command", async (c) => {
  const name = c.req.param("command")
  const command = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined
  if (!command) throw new Refusal("not_found")
  c.set("command", name)
  await prepareJson(c)
  const given = await readJson(c)
  refuseUnknown(command, given)
  const input = command.input.safeParse(given)
  if (!input.success) throw new Refusal("validation_failed", { fields: fieldFaults(input.error, given) })
  const ctx = requestContext(c, { actor: c.var.actor, interface: "cli" })
  return c.json({ data: await command.run(ctx, input.data) })
})

/** Unknown options that one answer names. */
const MOST_TOLD = 20

/**
 * An option that a command does not know is a slip of the keyboard, and must not pass in silence.
 * @throws Refusal `validation_failed`
 */
function refuseUnknown(command: Command, given: unknown): void {
  if (typeof given !== "object" || given === null || Array.isArray(given)) throw httpFault(400)
  const fields: FieldFaults = Object.create(null)
  let unknown = 0
  for (const option in given) {
    if (Object.hasOwn(command.input.shape, option)) continue
    fields[option] = [{ rule: "prohibited" }]
    unknown += 1
    if (unknown === MOST_TOLD) break
  }
  if (unknown) throw new Refusal("validation_failed", { fields })
}

/** A command as the command line's help shows it. */
function usage(name: string, command: Command) {
  const options = Object.entries(command.input.shape).map(([option, schema]) => ({
    name: option,
    required: !(schema as z.ZodType).safeParse(undefined).success,
    summary: (schema as z.ZodType).description ?? "",
    ...((schema as z.ZodType).meta()?.secret === true && { secret: true }),
  }))
  return { name, summary: command.summary, options }
}
