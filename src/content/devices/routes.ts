// /device-tokens: an app registers the token by which it can be reached; its user sees, changes and removes it.
import { type Context, Hono } from "hono"
import * as z from "zod"
import { body, describe } from "../../core/http/route"
import { rowId } from "../../core/http/row-id"
import { single } from "../envelope"
import { countDevice } from "../rate-limits"
import { singleOf } from "../response-schemas"
import type { ContentEnv } from "../types"
import { user, visitor } from "../user"
import { registerDevice } from "./register"
import { ByToken, DeviceToken, deviceToken, RegisterDevice, UpdateDevice } from "./schemas"
import { deactivateDevice, deleteDevice, listDevices, updateDevice } from "./service"

const idOf = (c: Context<ContentEnv, "/device-tokens/:id">): number => rowId(c.req.param("id"), "device_not_found")

export const devices = new Hono<ContentEnv>()
  .post(
    "/device-tokens",
    visitor,
    describe({
      id: "devices.register",
      summary: "Register a device token, or renew it",
      answers: { status: 200, body: singleOf(DeviceToken) },
      refuses: ["unauthenticated", "rate_limited"],
    }),
    body(RegisterDevice),
    async (c) => {
      const { hash } = c.var.userCtx.caller.token ?? {}
      await countDevice(c.var.ctx, hash)
      return single(c, deviceToken(await registerDevice(c.var.userCtx, c.req.valid("json"))))
    },
  )
  .get(
    "/device-tokens",
    user,
    describe({
      id: "devices.list",
      summary: "The user's active device tokens, the latest first",
      answers: { status: 200, body: singleOf(z.array(DeviceToken)) },
      refuses: ["unauthenticated"],
    }),
    async (c) => single(c, (await listDevices(c.var.userCtx)).map(deviceToken)),
  )
  // Before `{id}`, which would take the words for an id.
  .delete(
    "/device-tokens/by-token",
    user,
    describe({
      id: "devices.deleteByToken",
      summary: "Delete a device token by its value",
      answers: { status: 200, body: singleOf(z.null()) },
      refuses: ["unauthenticated", "device_not_found"],
    }),
    body(ByToken),
    async (c) => {
      await deleteDevice(c.var.userCtx, c.req.valid("json"))
      return single(c, null)
    },
  )
  .put(
    "/device-tokens/:id",
    user,
    describe({
      id: "devices.update",
      summary: "Change what is said of a device",
      answers: { status: 200, body: singleOf(DeviceToken) },
      refuses: ["unauthenticated", "device_not_found", "validation_failed"],
    }),
    body(UpdateDevice),
    async (c) => single(c, deviceToken(await updateDevice(c.var.userCtx, { ...c.req.valid("json"), id: idOf(c) }))),
  )
  .delete(
    "/device-tokens/:id",
    user,
    describe({
      id: "devices.delete",
      summary: "Delete a device token",
      answers: { status: 200, body: singleOf(z.null()) },
      refuses: ["unauthenticated", "device_not_found"],
    }),
    async (c) => {
      await deleteDevice(c.var.userCtx, { id: idOf(c) })
      return single(c, null)
    },
  )
  .post(
    "/device-tokens/:id/deactivate",
    user,
    describe({
      id: "devices.deactivate",
      summary: "Deactivate a device token without deleting it",
      answers: { status: 200, body: singleOf(DeviceToken) },
      refuses: ["unauthenticated", "device_not_found"],
    }),
    async (c) =>
      single(c, deviceToken(await deactivateDevice(c.var.userCtx, rowId(c.req.param("id"), "device_not_found")))),
  )
