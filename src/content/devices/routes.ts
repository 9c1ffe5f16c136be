// Routes of device tokens: apps register push tokens; users list, update and delete their own.
import type { Context } from "hono"
import * as z from "zod"
import { body, describe } from "../../core/http/route"
import { createRouter } from "../../core/http/router"
import { rowId } from "../../core/http/row-id"
import { sendData } from "../envelope"
import { countDeviceRegistration } from "../rate-limits"
import { dataEnvelope } from "../response-schemas"
import type { ContentEnv } from "../types"
import { optionalUser, user, withOptionalUser } from "../user"
import { registerDevice } from "./register"
import { ByToken, DeviceToken, deviceToken, RegisterDevice, UpdateDevice } from "./schemas"
import { deactivateDevice, deleteDevice, listDevices, updateDevice } from "./service"

const deviceId = (c: Context<ContentEnv, "/device-tokens/:id">): number => rowId(c.req.param("id"), "device_not_found")

export const devices = createRouter<ContentEnv>()
  .post(
    "/device-tokens",
    describe({
      id: "devices.register",
      summary: "Register a device",
      responses: { status: 200, body: dataEnvelope(DeviceToken) },
      refuses: ["rate_limited"],
    }),
    optionalUser,
    body(RegisterDevice),
    async (c) => {
      const device = await withOptionalUser(c.var.userCtx, async (ctx) => {
        await countDeviceRegistration(ctx, ctx.caller.token?.hash)
        return registerDevice(ctx, c.req.valid("json"))
      })
      return sendData(c, deviceToken(device))
    },
  )
  .get(
    "/device-tokens",
    describe({
      id: "devices.list",
      summary: "List devices",
      responses: { status: 200, body: dataEnvelope(z.array(DeviceToken)) },
      refuses: ["unauthenticated"],
    }),
    user,
    async (c) => sendData(c, (await listDevices(c.var.userCtx)).map(deviceToken)),
  )
  // Before `:id`, which would match `by-token` too.
  .delete(
    "/device-tokens/by-token",
    describe({
      id: "devices.deleteByToken",
      summary: "Delete a device by token",
      responses: { status: 200, body: dataEnvelope(z.null()) },
      refuses: ["unauthenticated", "device_not_found"],
    }),
    user,
    body(ByToken),
    async (c) => {
      await deleteDevice(c.var.userCtx, c.req.valid("json"))
      return sendData(c, null)
    },
  )
  .put(
    "/device-tokens/:id",
    describe({
      id: "devices.update",
      summary: "Update a device",
      responses: { status: 200, body: dataEnvelope(DeviceToken) },
      refuses: ["unauthenticated", "device_not_found", "validation_failed"],
    }),
    user,
    body(UpdateDevice),
    async (c) => sendData(c, deviceToken(await updateDevice(c.var.userCtx, deviceId(c), c.req.valid("json")))),
  )
  .delete(
    "/device-tokens/:id",
    describe({
      id: "devices.delete",
      summary: "Delete a device",
      responses: { status: 200, body: dataEnvelope(z.null()) },
      refuses: ["unauthenticated", "device_not_found"],
    }),
    user,
    async (c) => {
      await deleteDevice(c.var.userCtx, { id: deviceId(c) })
      return sendData(c, null)
    },
  )
  .post(
    "/device-tokens/:id/deactivate",
    describe({
      id: "devices.deactivate",
      summary: "Deactivate a device",
      responses: { status: 200, body: dataEnvelope(DeviceToken) },
      refuses: ["unauthenticated", "device_not_found"],
    }),
    user,
    async (c) =>
      sendData(c, deviceToken(await deactivateDevice(c.var.userCtx, rowId(c.req.param("id"), "device_not_found")))),
  )
