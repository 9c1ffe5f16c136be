// The routes of a store's shop settings.
import { body, describe } from "../../core/http/route"
import { createRouter } from "../../core/http/router"
import { sendData } from "../envelope"
import { dataEnvelope } from "../response-schemas"
import type { ContentEnv } from "../types"
import { user } from "../user"
import { ShopSettings, UpdateShopSettings } from "./schemas"
import { readShopSettings, updateShopSettings } from "./service"

export const shop = createRouter<ContentEnv>()
  .get(
    "/shop/settings",
    describe({
      id: "shop.get",
      summary: "Retrieve the shop's settings",
      responses: { status: 200, body: dataEnvelope(ShopSettings) },
      refuses: ["unauthenticated", "forbidden", "not_found"],
    }),
    user,
    async (c) => sendData(c, await readShopSettings(c.var.userCtx)),
  )
  .put(
    "/shop/settings",
    describe({
      id: "shop.update",
      summary: "Update the shop's settings",
      responses: { status: 200, body: dataEnvelope(ShopSettings) },
      refuses: ["unauthenticated", "forbidden", "not_found"],
    }),
    user,
    body(UpdateShopSettings),
    async (c) => sendData(c, await updateShopSettings(c.var.userCtx, c.req.valid("json"))),
  )
