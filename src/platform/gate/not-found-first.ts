// Refuses requests for missing resources with 404 before reporting invalid input.
import type { MiddlewareHandler } from "hono"
import type { Ctx } from "../../core/context"
import type { PlatformEnv } from "../../core/http/platform-env"
import { Refusal } from "../../core/http/refusal"

/**
 * Loads the resource of the path's `:id` after its body or query was refused. Valid requests cost no extra round trip,
 * because their handler loads the resource itself.
 * @param load throws when the resource does not exist
 */
export const notFoundFirst =
  (load: (ctx: Ctx, id: string) => Promise<unknown>): MiddlewareHandler<PlatformEnv, "/:id"> =>
  async (c, next) => {
    const id = c.req.param("id")
    await next()
    if (c.error instanceof Refusal && c.error.code === "validation_failed") await load(c.var.ctx, id)
  }
