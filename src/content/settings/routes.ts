// GET and PUT /settings.
import { Hono } from "hono"
import { body, describe } from "../../core/http/route"
import { single } from "../envelope"
import { singleOf } from "../response-schemas"
import type { ContentEnv } from "../types"
import { user } from "../user"
import { UpdateSettings, UserSettings } from "./schemas"
import { readSettings, updateSettings } from "./service"

export const settings = new Hono<ContentEnv>()
  .get(
    "/settings",
    user,
    describe({
      id: "settings.get",
      summary: "The user's preferences",
      answers: { status: 200, body: singleOf(UserSettings) },
      refuses: ["unauthenticated"],
    }),
    async (c) => single(c, await readSettings(c.var.userCtx)),
  )
  .put(
    "/settings",
    user,
    describe({
      id: "settings.update",
      summary: "Change some of the user's preferences",
      answers: { status: 200, body: singleOf(UserSettings) },
      refuses: ["unauthenticated"],
    }),
    body(UpdateSettings),
    async (c) => single(c, await updateSettings(c.var.userCtx, c.req.valid("json"))),
  )
