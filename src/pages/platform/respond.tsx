// Helpers of all pages of the platform's own host: the header and footer, and pages that consist of a message.
import type { Context } from "hono"
import type { ContentfulStatusCode } from "hono/utils/http-status"
import { isJson as isJsonBody } from "../../core/http/body"
import type { SurfaceEnv } from "../../core/http/surface"
import { acceptedLocale } from "../../core/i18n/locale"
import { settingsOf } from "../../env"
import { Column, type Link, type Page, respondPage } from "../kit/page"
import { t } from "./strings"

export type C = Context<SurfaceEnv>

export const localeOf = (c: C) => acceptedLocale(c.req.header("Accept-Language"))

/** Whether the client sends JSON, or accepts JSON before anything else. */
export const isJson = (c: C): boolean =>
  isJsonBody(c) || /^application\/json\b/i.test(c.req.header("Accept") ?? "") || c.req.path.endsWith(".json")

/** The header and footer of every page. */
export function pageDefaults(c: C, locale = localeOf(c)): Omit<Page, "title" | "body"> {
  const { APP_NAME: brand, TENANCY_SIGNUP_ENABLED: canSignUp } = settingsOf(c.env)
  const navigation = [
    { href: "/docs", text: t("documentation", locale) },
    { href: "/sign-in", text: t("sign_in", locale) },
    ...(canSignUp ? [{ href: "/signup", text: t("sign_up", locale) }] : []),
  ]
  return {
    locale,
    brand,
    navigation,
    footer: brand,
    footerLinks: [
      { href: "/docs", text: t("documentation", locale) },
      { href: "/status", text: t("status", locale) },
    ],
  }
}

interface Message {
  title: string
  text?: string
  /** Links below the text; a link to the front page unless given. */
  links?: Link[]
  /** Reloads or continues after a delay: seconds and URL, `0;url=…`. */
  refresh?: string
}

/** Responds with a page that consists of a message. */
export function respondMessage(c: C, status: ContentfulStatusCode, { title, text, links, refresh }: Message): Response {
  const shown = links ?? [{ href: "/", text: t("home", localeOf(c)) }]
  const body = (
    <Column title={title} lead={text}>
      <div class="row">
        {shown.map((link) => (
          <a class={link.isPrimary ? "button" : "button quiet"} href={link.href}>
            {link.text}
          </a>
        ))}
      </div>
    </Column>
  )
  return respondPage(c, status, { ...pageDefaults(c), title, body, refresh })
}
