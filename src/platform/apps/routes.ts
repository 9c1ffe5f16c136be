// Routes of a store's apps.
import * as z from "zod"
import type { PlatformEnv } from "../../core/http/platform-env"
import { list } from "../../core/http/response-schemas"
import { describe } from "../../core/http/route"
import { createRouter } from "../../core/http/router"
import { AppResource, appList } from "./schemas"
import { disableApp, enableApp, readApps } from "./service"

const responses = { status: 200, body: list(AppResource, { store_id: z.string(), total: z.int() }) } as const

export const apps = createRouter<PlatformEnv>()
  .get(
    "/stores/:id/apps",
    describe({
      id: "apps.list",
      summary: "List a store's apps",
      responses,
      refuses: ["not_found", "store_unavailable"],
    }),
    async (c) => c.json(appList(await readApps(c.var.ctx, c.req.param("id")))),
  )
  .post(
    "/stores/:id/apps/:slug/enable",
    describe({
      id: "apps.enable",
      summary: "Enable an app",
      responses,
      refuses: ["not_found", "store_unavailable", "not_entitled", "requirement_not_entitled"],
    }),
    async (c) => c.json(appList(await enableApp(c.var.ctx, c.req.param("id"), c.req.param("slug")))),
  )
  .post(
    "/stores/:id/apps/:slug/disable",
    describe({
      id: "apps.disable",
      summary: "Disable an app",
      responses,
      refuses: ["not_found", "store_unavailable", "still_required"],
    }),
    async (c) => c.json(appList(await disableApp(c.var.ctx, c.req.param("id"), c.req.param("slug")))),
  )
