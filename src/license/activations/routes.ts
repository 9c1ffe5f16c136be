// HTTP routes for activations (internal API).
import { describe, query } from "../../core/http/route"
import { createRouter } from "../../core/http/router"
import { readFields } from "../body"
import { parseFields } from "../fields"
import { requireScope } from "../gate/gate"
import { readLicense } from "../licenses/service"
import { paginatedResponse } from "../pages"
import { formatMessage } from "../refusal-messages"
import { pageEnvelope, StatusMessage } from "../response-schemas"
import type { LicenseEnv } from "../types"
import { createActivation, listActivations, setActivationActive } from "./manage"
import { ActivationResource, activationResource, CreateActivation, ListActivations } from "./schemas"

const page = { status: 200, body: pageEnvelope(ActivationResource) } as const

export const activations = createRouter<LicenseEnv>()
  .get(
    "/product-activations",
    describe({ id: "activations.list", summary: "List activations", responses: page }),
    requireScope("activations:read"),
    query(ListActivations),
    async (c) => {
      const input = c.req.valid("query")
      const { rows, total } = await listActivations(c.var.ctx, input)
      return paginatedResponse(c, input, { rows: rows.map(activationResource), total })
    },
  )
  .get(
    "/product-licenses/:license/activations",
    describe({
      id: "activations.listOfLicense",
      summary: "List a license's activations",
      responses: page,
      refuses: ["not_found"],
    }),
    requireScope("activations:read"),
    query(ListActivations),
    async (c) => {
      const input = c.req.valid("query")
      const { license } = await readLicense(c.var.ctx, { segment: c.req.param("license") })
      const { rows, total } = await listActivations(c.var.ctx, input, license)
      return paginatedResponse(c, input, { rows: rows.map(activationResource), total })
    },
  )
  .post(
    "/activated-product-activations/:id",
    describe({
      id: "activations.activate",
      summary: "Create or reactivate an activation",
      responses: [
        { status: 200, body: StatusMessage },
        { status: 201, body: StatusMessage.extend({ data: ActivationResource }) },
      ],
      fields: CreateActivation,
      refuses: ["not_found", "validation_failed"],
    }),
    requireScope("activations:write"),
    async (c) => {
      const fields = await readFields(c)
      const status = true
      if (["license_code", "domain", "ip", "client_name"].some((name) => name in fields)) {
        const input = parseFields(CreateActivation, fields)
        const activation = await createActivation(c.var.ctx, c.req.param("id"), input)
        const data = activationResource(activation)
        return c.json({ status, message: formatMessage("activated", c.var.ctx.language), data }, 201)
      }
      await setActivationActive(c.var.ctx, c.req.param("id"), true)
      return c.json({ status, message: formatMessage("activated", c.var.ctx.language) })
    },
  )
  .delete(
    "/activated-product-activations/:id",
    describe({
      id: "activations.deactivate",
      summary: "Deactivate an activation",
      responses: { status: 200, body: StatusMessage },
      refuses: ["not_found"],
    }),
    requireScope("activations:write"),
    async (c) => {
      await setActivationActive(c.var.ctx, c.req.param("id"), false)
      return c.json({ status: true, message: formatMessage("deactivated", c.var.ctx.language) })
    },
  )
