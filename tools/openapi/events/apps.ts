// app.*
import * as z from "zod"
import { aboutStore } from "./event.ts"

const app = { app: z.strictObject({ slug: z.string() }) }

export const appEvents = {
  "app.enabled": aboutStore("app.enabled", "An app was switched on.", app),
  "app.disabled": aboutStore("app.disabled", "An app was switched off.", app),
}
