// Activations over HTTP.
import { Hono } from "hono"
import { describe, query } from "../../core/http/route"
import { readFields } from "../body"
import { parseFields } from "../fields"
import { needs } from "../gate/gate"
import { readLicense } from "../licenses/service"
import { paginated } from "../pages"
import { message } from "../refusal-messages"
import { Done, pagedOf } from "../response-schemas"
import type { LicenseEnv } from "../types"
import { createActivation, listActivations, switchActivation } from "./manage"
import { ActivationResource, activationResource, CreateActivation, ListActivations } from "./schemas"

const page = { status: 200, body: pagedOf(ActivationResource) } as const

export const activations = new Hono<LicenseEnv>()
  .get(
    "/product-activations",
    describe({ id: "activations.list", summary: "List activations, the newest first", answers: page }),
    needs("activations:read"),
    query(ListActivations),
    async (c) => {
      const input = c.req.valid("query")
      const { rows, total } = await listActivations(c.var.ctx, input)
      return paginated(c, input, { rows: rows.map(activationResource), total })
    },
  )
  .get(
    "/product-licenses/:license/activations",
    describe({
      id: "activations.listOfLicense",
      summary: "List a license's activations, the newest first",
      answers: page,
      refuses: ["not_found"],
    }),
    needs("activations:read"),
    query(ListActivations),
    async (c) => {
      const input = c.req.valid("query")
      const { license } = await readLicense(c.var.ctx, { segment: c.req.param("license") })
      const { rows, total } = await listActivations(c.var.ctx, input, license)
      return paginated(c, input, { rows: rows.map(activationResource), total })
    },
  )
  .post(
    "/activated-product-activations/:id",
    describe({
      id: "activations.activate",
      summary: "Switch an activation on; with a domain or an address in the body, make one for the license of that id",
      answers: [
        { status: 200, body: Done },
        { status: 201, body: Done.extend({ data: ActivationResource }) },
      ],
      fields: CreateActivation,
      refuses: ["not_found", "validation_failed"],
    }),
    needs("activations:write"),
    async (c) => {
      const fields = await readFields(c)
      const status = true
      if (["license_code", "domain", "ip", "client_name"].some((name) => name in fields)) {
        const input = parseFields(CreateActivation, fields)
        const activation = await createActivation(c.var.ctx, c.req.param("id"), input)
        const data = activationResource(activation)
        return c.json({ status, message: message("activated", c.var.ctx.language), data }, 201)
      }
      await switchActivation(c.var.ctx, c.req.param("id"), true)
      return c.json({ status, message: message("activated", c.var.ctx.language) })
    },
  )
  .delete(
    "/activated-product-activations/:id",
    describe({
      id: "activations.deactivate",
      summary: "Switch an activation off",
      answers: { status: 200, body: Done },
      refuses: ["not_found"],
    }),
    needs("activations:write"),
    async (c) => {
      await switchActivation(c.var.ctx, c.req.param("id"), false)
      return c.json({ status: true, message: message("deactivated", c.var.ctx.language) })
    },
  )
