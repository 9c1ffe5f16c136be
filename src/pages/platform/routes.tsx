// The pages of the platform's own host: front page, sign-up, store finder, and an error page for any other path.
import type { ContentfulStatusCode } from "hono/utils/http-status"
import { hostOf } from "../../core/http/host"
import { Refusal } from "../../core/http/refusal"
import { createSurface, type SurfaceEnv } from "../../core/http/surface"
import {
  getMessage,
  getStatus,
  type PlatformCode,
  refuse as refuseAsJson,
  STATUS_BY_CODE,
} from "../../platform/envelope"
import { loadPageStrings } from "../kit/page-strings"
import { addFrontPages } from "./front"
import { type C, isJson, localeOf, respondMessage } from "./respond"
import { addSignUpPages } from "./signup"
import { addStatusPages } from "./status"
import { t } from "./strings"

export const platformPages = createSurface<SurfaceEnv, PlatformCode>({
  name: "platform-pages",
  gate: [
    async (c, next) => {
      await loadPageStrings(c.env, localeOf(c))
      if (hostOf(c.env, c.req.url).kind !== "central") throw new Refusal("not_found")
      await next()
    },
  ],
  maxBody: 20_000,
  codes: STATUS_BY_CODE,
  refuse: (c, refusal) => {
    if (isJson(c) || c.req.path === "/signup/check") return refuseAsJson(c, refusal)
    const locale = localeOf(c)
    const status = getStatus(refusal)
    if (refusal.code === "not_found") return respondNotFound(c, status)
    return respondMessage(c, status, { title: getMessage(refusal, locale) })
  },
})

/** Paths of pages that only stores have, with the text that explains it. */
const STORE_PAGES = [
  [/^\/(admin|billing)(\/|$)/, "staff_page_elsewhere"],
  [/^\/(account|cart|checkout)(\/|$)/, "store_page_elsewhere"],
] as const

function respondNotFound(c: C, status: ContentfulStatusCode): Response {
  const locale = localeOf(c)
  const [, text] = STORE_PAGES.find(([path]) => path.test(c.req.path)) ?? []
  const [, path = ""] = c.req.path.split("/")
  return respondMessage(c, status, {
    title: t("not_found", locale),
    text: t(text ?? "not_found_body", locale, { path: `/${path}` }),
    ...(text === "staff_page_elsewhere" && { links: [{ href: "/sign-in", text: t("find_store_title", locale) }] }),
  })
}

addFrontPages(platformPages)
addSignUpPages(platformPages)
addStatusPages(platformPages)
