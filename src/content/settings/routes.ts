// Routes of a user's settings.
import { Hono } from "hono"
import { body, describe } from "../../core/http/route"
import { sendData } from "../envelope"
import { dataEnvelope } from "../response-schemas"
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
      summary: "Retrieve the settings",
      responses: { status: 200, body: dataEnvelope(UserSettings) },
      refuses: ["unauthenticated"],
    }),
    async (c) => sendData(c, await readSettings(c.var.userCtx)),
  )
  .put(
    "/settings",
    user,
    describe({
      id: "settings.update",
      summary: "Update the settings",
      responses: { status: 200, body: dataEnvelope(UserSettings) },
      refuses: ["unauthenticated"],
    }),
    body(UpdateSettings),
    async (c) => sendData(c, await updateSettings(c.var.userCtx, c.req.valid("json"))),
  )
