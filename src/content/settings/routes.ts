// Routes of a user's settings.
import { body, describe } from "../../core/http/route"
import { createRouter } from "../../core/http/router"
import { sendData } from "../envelope"
import { dataEnvelope } from "../response-schemas"
import type { ContentEnv } from "../types"
import { user } from "../user"
import { UpdateSettings, UserSettings } from "./schemas"
import { readSettings, updateSettings } from "./service"

export const settings = createRouter<ContentEnv>()
  .get(
    "/settings",
    describe({
      id: "settings.get",
      summary: "Retrieve the settings",
      responses: { status: 200, body: dataEnvelope(UserSettings) },
      refuses: ["unauthenticated"],
    }),
    user,
    async (c) => sendData(c, await readSettings(c.var.userCtx)),
  )
  .put(
    "/settings",
    describe({
      id: "settings.update",
      summary: "Update the settings",
      responses: { status: 200, body: dataEnvelope(UserSettings) },
      refuses: ["unauthenticated"],
    }),
    user,
    body(UpdateSettings),
    async (c) => sendData(c, await updateSettings(c.var.userCtx, c.req.valid("json"))),
  )
