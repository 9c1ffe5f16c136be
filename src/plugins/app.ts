// The routes of all installed apps under /api/v1. Each answers 404 at a site where its app is off.
import { Hono } from "hono"
import type { ContentEnv } from "../content/types"
import { contact } from "./contact/routes"
import { orders } from "./ecommerce/orders/routes"
import { products } from "./ecommerce/products/routes"
import { galleries } from "./galleries/routes"
import { reviews } from "./reviews/routes"

export const pluginRoutes = new Hono<ContentEnv>()

pluginRoutes.route("/", products)
pluginRoutes.route("/", orders)
pluginRoutes.route("/", reviews)
pluginRoutes.route("/", galleries)
pluginRoutes.route("/", contact)
