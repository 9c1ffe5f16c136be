// API routes of the guestbook.
import * as z from "zod"
import { sendData } from "../../../src/content/envelope"
import { appUser } from "../../../src/content/mount-apps"
import { dataEnvelope } from "../../../src/content/response-schemas"
import type { ContentEnv } from "../../../src/content/types"
import { authenticate } from "../../../src/content/user"
import { describe } from "../../../src/core/http/route"
import { createRouter } from "../../../src/core/http/router"

export const routes = createRouter<ContentEnv>().get(
  "/guestbook",
  describe({
    id: "guestbook.read",
    summary: "Read the guestbook",
    responses: { status: 200, body: dataEnvelope(z.object({ reader: z.string() })) },
  }),
  appUser,
  async (c) => sendData(c, { reader: (await authenticate(c.var.userCtx)).user.email }),
)
