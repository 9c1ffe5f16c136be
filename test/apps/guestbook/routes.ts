import { Hono } from "hono"
import * as z from "zod"
import { single } from "../../../src/content/envelope"
import { appUser } from "../../../src/content/mount-apps"
import { singleOf } from "../../../src/content/response-schemas"
import type { ContentEnv } from "../../../src/content/types"
import { authed } from "../../../src/content/user"
import { describe } from "../../../src/core/http/route"

export const routes = new Hono<ContentEnv>().get(
  "/guestbook",
  appUser,
  describe({
    id: "guestbook.read",
    summary: "Read the guestbook",
    answers: { status: 200, body: singleOf(z.object({ reader: z.string() })) },
  }),
  async (c) => single(c, { reader: (await authed(c.var.userCtx)).user.email }),
)
