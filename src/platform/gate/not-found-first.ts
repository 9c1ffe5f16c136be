// What is asked of a thing that is not there is refused as that, before anything that is wrong with the question.
import type { MiddlewareHandler } from "hono"
import type { Ctx } from "../../core/context"
import type { PlatformEnv } from "../../core/http/platform-env"
import { Refusal } from "../../core/http/refusal"

/**
 * Looks for what a path's `:id` names once its body or query was refused; a request that is sound costs no trip by it, because its verb
 * looks by itself.
 * @param read refuses what is not there
 */
export const missingFirst =
  (read: (ctx: Ctx, id: string) => Promise<unknown>): MiddlewareHandler<PlatformEnv, "/:id"> =>
  async (c, next) => {
    const id = c.req.param("id")
    await next()
    if (c.error instanceof Refusal && c.error.code === "validation_failed") await read(c.var.ctx, id)
  }
