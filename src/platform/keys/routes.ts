// Routes of the API keys of the control plane.
import * as z from "zod"
import { pageMeta } from "../../core/http/pagination"
import type { PlatformEnv } from "../../core/http/platform-env"
import { one, paged } from "../../core/http/response-schemas"
import { body, describe, query } from "../../core/http/route"
import { createRouter } from "../../core/http/router"
import { rowId } from "../../core/http/row-id"
import { CreateKeyWithKey, KeyResource, keyResource, ListKeys } from "./schemas"
import { createKeyWithKey, listKeyPage, readKey, revokeKey } from "./service"

export const keys = createRouter<PlatformEnv>()
  .get(
    "/keys",
    describe({ id: "keys.list", summary: "List API keys", responses: { status: 200, body: paged(KeyResource) } }),
    query(ListKeys),
    async (c) => {
      const input = c.req.valid("query")
      const { rows, total } = await listKeyPage(c.var.ctx, input)
      return c.json({ data: rows.map((key) => keyResource(key, c.var.ctx.now)), meta: pageMeta(input, total) })
    },
  )
  .post(
    "/keys",
    describe({
      id: "keys.create",
      summary: "Create an API key",
      responses: { status: 201, body: one(KeyResource).extend({ key: z.string() }) },
    }),
    body(CreateKeyWithKey),
    async (c) => {
      const { key, plaintext } = await createKeyWithKey(c.var.ctx, c.req.valid("json"), c.var.key)
      return c.json({ data: keyResource(key, c.var.ctx.now), key: plaintext }, 201)
    },
  )
  .get(
    "/keys/:id",
    describe({
      id: "keys.get",
      summary: "Retrieve an API key",
      responses: { status: 200, body: one(KeyResource) },
      refuses: ["not_found"],
    }),
    async (c) => c.json({ data: keyResource(await readKey(c.var.ctx, rowId(c.req.param("id"))), c.var.ctx.now) }),
  )
  .delete(
    "/keys/:id",
    describe({
      id: "keys.revoke",
      summary: "Revoke an API key",
      responses: { status: 204 },
      refuses: ["not_found"],
    }),
    async (c) => {
      await revokeKey(c.var.ctx, rowId(c.req.param("id")))
      return c.body(null, 204)
    },
  )
