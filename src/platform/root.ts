// Routes of the platform's constants (GET /platform) and the current API key (GET /me).
import type { PlatformEnv } from "../core/http/platform-env"
import { one } from "../core/http/response-schemas"
import { describe } from "../core/http/route"
import { createRouter } from "../core/http/router"
import { buildPlatformConstants, Platform } from "./constants"
import { KeyResource, keyResource } from "./keys/schemas"

export const platformRoot = createRouter<PlatformEnv>()
  .get(
    "/platform",
    describe({
      id: "platform.get",
      summary: "Retrieve the platform's constants",
      responses: { status: 200, body: one(Platform) },
    }),
    (c) => c.json({ data: buildPlatformConstants(c.var.ctx.settings) }),
  )
  .get(
    "/me",
    describe({
      id: "me.get",
      summary: "Retrieve the current API key",
      responses: { status: 200, body: one(KeyResource) },
    }),
    (c) => c.json({ data: keyResource(c.var.key, c.var.ctx.now) }),
  )
