// HTTP endpoint of the operator CLI: lists and runs commands on the central host, authenticated by the operator token.
import type { MiddlewareHandler } from "hono"
import * as z from "zod"
import { readJsonBody } from "../core/http/body"
import { hostOf } from "../core/http/host"
import { clientAddress } from "../core/http/http"
import { parseInput } from "../core/http/input"
import { addressLimits, assertBudgetLeft, takeTokens } from "../core/http/rate-limit"
import { type FieldErrors, httpError, Refusal } from "../core/http/refusal"
import { describe } from "../core/http/route"
import { createRouter } from "../core/http/router"
import { createApi, requestContext, type SurfaceEnv, type SurfaceVariables } from "../core/http/surface"
import type { Actor } from "../core/write/actor"
import { settingsOf } from "../env"
import { equalSecrets } from "../lib/hash"
import { refuse, STATUS_BY_CODE } from "../platform/envelope"
import type { PlatformCode } from "../platform/refusal-messages"
import { resolveActor } from "./actor"
import { type Command, describeCommand } from "./command"
import { COMMANDS } from "./commands"

interface OperatorEnv extends SurfaceEnv {
  Variables: SurfaceVariables & {
    actor: Actor
    /** Set once the command is known to exist. */
    command?: string
  }
}

/** Failed authentications per address. */
const MAX_FAILURES_PER_MINUTE = 10

/**
 * Authenticates the operator token. Failures are counted per address; an address over the limit is rejected even with
 * the correct token.
 * @throws Refusal `not_found`, `unauthenticated`, `rate_limited`, `invalid_key`
 */
const gate: MiddlewareHandler<OperatorEnv> = async (c, next) => {
  if (hostOf(c.env, c.req.url).kind !== "central") throw new Refusal("not_found")
  const token = /^Bearer\s+(\S+)$/i.exec(c.req.header("Authorization") ?? "")?.[1]
  if (!token) throw new Refusal("unauthenticated")
  const failures = addressLimits("operator-failures", clientAddress(c), MAX_FAILURES_PER_MINUTE)
  await assertBudgetLeft(c.env, c.var.log, failures)
  if (!equalSecrets(token, settingsOf(c.env).OPERATOR_TOKEN)) {
    await takeTokens(c.env, c.var.log, failures)
    throw new Refusal("invalid_key")
  }
  c.set("actor", await resolveActor(requestContext(c), c.req.header("X-Operator")))
  await next()
}

const Result = z.object({ data: z.unknown() })

const commands = createRouter<OperatorEnv>()
  .get(
    "/",
    describe({ id: "commands.list", summary: "List the commands", responses: { status: 200, body: Result } }),
    (c) => c.json({ data: Object.entries(COMMANDS).map(([name, command]) => describeCommand(name, command)) }),
  )
  .post(
    "/:command",
    describe({ id: "commands.run", summary: "Run a command", responses: { status: 200, body: Result } }),
    async (c) => {
      const name = c.req.param("command")
      const command = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined
      if (!command) throw new Refusal("not_found")
      c.set("command", name)
      const options = await readJsonBody(c)
      const input = parseInput(command.input, options, findUnknownOptions(command, options))
      const ctx = requestContext(c, { actor: c.var.actor, interface: "cli" })
      return c.json({ data: await command.run(ctx, input) })
    },
  )

export const operator = createApi<OperatorEnv, PlatformCode>(
  {
    name: "operator",
    base: "/api/operator/v1",
    logFields: (c) => ({ command: c.var.command, actor: c.var.actor?.name }),
    gate: [gate],
    maxBody: 1_000_000,
    codes: STATUS_BY_CODE,
    refuse,
  },
  [commands],
)

/** Bounds the response for requests with many unknown options. */
const MAX_REPORTED_ERRORS = 20

/**
 * Finds unknown options, which are usually typos.
 * @throws Refusal `http_error` 400 for options that are not an object
 */
function findUnknownOptions(command: Command, options: unknown): FieldErrors {
  if (typeof options !== "object" || options === null || Array.isArray(options)) throw httpError(400)
  const fields: FieldErrors = Object.create(null)
  for (const option in options) {
    if (Object.hasOwn(command.input.shape, option)) continue
    fields[option] = [{ rule: "prohibited" }]
    if (Object.keys(fields).length === MAX_REPORTED_ERRORS) break
  }
  return fields
}
