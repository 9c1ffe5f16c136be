// The content API, /api/v1, on the central host and on every store's: the gate in front, one folder of routes a noun behind it.
import { type Context, Hono } from "hono"
import { maxBody } from "../core/http"
import { Refusal } from "../core/refusal"
import { knownVerbs, wrap } from "../core/surface"
import { pluginRoutes } from "../plugins/app"
import { accounts } from "./accounts/routes"
import { categories } from "./blog/categories/routes"
import { pages } from "./blog/pages/routes"
import { posts } from "./blog/posts/routes"
import { tags } from "./blog/tags/routes"
import { devices } from "./devices/routes"
import { refusalOf, refuse } from "./envelope"
import { gate } from "./gate"
import { refuseMedia } from "./media/envelope"
import { files } from "./media/files/routes"
import { folders } from "./media/folders/routes"
import { mediaGate } from "./media/gate"
import { notifications } from "./notifications/routes"
import { settings } from "./settings/routes"
import type { ContentEnv } from "./types"

const MAX_BODY = 1_000_000

const BASE = "/api/v1"

/** Paths that take files; each sets a bound of its own. */
const UPLOADS = new Set(["/update/avatar", "/media/files"].map((path) => BASE + path))

/** The media API has an envelope of its own, except for the one answer that every path gives while the API is off. */
const answer = (c: Context<ContentEnv>, refusal: Refusal): Response =>
  c.req.path.startsWith(`${BASE}/media/`) && refusal.code !== "api_disabled"
    ? refuseMedia(c, refusal)
    : refuse(c, refusal)

export const content = new Hono<ContentEnv>().basePath(BASE)

content.use(
  wrap("content", {}, (c) => ({ site: c.var.ctx?.site.id })),
  gate,
)
content.use("/media/*", mediaGate)
content.use(knownVerbs(content, answer))
const bounded = maxBody(MAX_BODY)
content.use((c, next) => (UPLOADS.has(c.req.path) ? next() : bounded(c, next)))

content.route("/", accounts)
content.route("/", settings)
content.route("/", devices)
content.route("/", notifications)

content.route("/", posts)
content.route("/", categories)
content.route("/", tags)
content.route("/", pages)

content.route("/", folders)
content.route("/", files)

content.route("/", pluginRoutes)

content.notFound((c) => answer(c, new Refusal("not_found")))
content.onError(async (thrown, c) => answer(c, await refusalOf(thrown, c)))
