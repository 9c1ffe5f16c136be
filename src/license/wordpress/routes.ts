// HTTP route for the update metadata of WordPress plugins and themes (external API).
import { describe, query } from "../../core/http/route"
import { createRouter } from "../../core/http/router"
import { requireScope } from "../gate/gate"
import type { LicenseEnv } from "../types"
import { describePlugin } from "./info"
import { WordPressInfo, WordPressQuery } from "./schemas"

// lint: an update that is refused to an installation is counted
export const wordpress = createRouter<LicenseEnv>().get(
  "/wp/:product/info.json",
  describe({
    id: "updates.wordpress",
    summary: "Retrieve update metadata for WordPress",
    responses: { status: 200, body: WordPressInfo },
    refuses: ["not_found"],
  }),
  requireScope("updates:read"),
  query(WordPressQuery),
  async (c) => c.json(await describePlugin(c.var.ctx, c.req.param("product"), c.req.valid("query"))),
)
