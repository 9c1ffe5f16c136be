// Error pages of surfaces without their own page layout, in the platform's appearance and the visitor's language,
// with a link onwards.
import type { Context } from "hono"
import type { ContentfulStatusCode } from "hono/utils/http-status"
import { acceptedLocale, type Locale, type Translations, translate } from "../i18n/locale"
import { BRAND_STYLE, Logo } from "./brand"
import { contentSecurityPolicy, hashSource } from "./content-security-policy"
import { HtmlDocument } from "./document"

const STRINGS = {
  not_found: {
    en: "Page not found",
    es: "Página no encontrada",
    fr: "Page introuvable",
    vi: "Không tìm thấy trang",
  },
  not_found_body: {
    en: "The address may be mistyped, or the page was moved.",
    es: "Puede que la dirección esté mal escrita o que la página se haya movido.",
    fr: "L’adresse est peut-être mal saisie, ou la page a été déplacée.",
    vi: "Có thể địa chỉ bị gõ sai hoặc trang đã được chuyển đi.",
  },
  unavailable: {
    en: "Temporarily unavailable",
    es: "No disponible temporalmente",
    fr: "Temporairement indisponible",
    vi: "Tạm thời không khả dụng",
  },
  unavailable_body: {
    en: "Try again in a few seconds.",
    es: "Vuelva a intentarlo en unos segundos.",
    fr: "Réessayez dans quelques secondes.",
    vi: "Hãy thử lại sau vài giây.",
  },
  failed: {
    en: "Something went wrong",
    es: "Algo ha salido mal",
    fr: "Une erreur s’est produite",
    vi: "Đã xảy ra lỗi",
  },
  failed_body: {
    en: "The error was logged. Try again, or go back.",
    es: "El error se ha registrado. Vuelva a intentarlo o regrese.",
    fr: "L’erreur a été enregistrée. Réessayez ou revenez en arrière.",
    vi: "Lỗi đã được ghi lại. Hãy thử lại hoặc quay lại.",
  },
  refused: {
    en: "Your request could not be completed",
    es: "No se ha podido completar la solicitud",
    fr: "Votre demande n’a pas pu aboutir",
    vi: "Không thể hoàn tất yêu cầu của bạn",
  },
  home: { en: "Back to home", es: "Volver al inicio", fr: "Retour à l’accueil", vi: "Về trang chủ" },
  retry: { en: "Try again", es: "Reintentar", fr: "Réessayer", vi: "Thử lại" },
} satisfies Record<string, Translations>

const CSS = `${BRAND_STYLE}
body{margin:0;background:var(--brand-ground);color:var(--brand-ink);font:17px/1.55 var(--brand-font)}
main{max-width:600px;margin:0 auto;padding:clamp(32px,10vw,96px) 24px}
h1{font:600 clamp(30px,4.4vw,42px)/1.15 ui-serif,Georgia,"Times New Roman",serif;margin:24px 0 12px}
p{margin:0 0 16px;color:var(--brand-soft);overflow-wrap:anywhere}
a{color:var(--brand-accent);margin-right:20px}`

interface ErrorPage {
  /** The reason, instead of the general text for the status. */
  text?: string
  /** The language, where it is not the visitor's. */
  locale?: Locale
  headers?: Record<string, string>
}

/** Responds with an error page. */
export function respondErrorPage(
  c: Context,
  status: ContentfulStatusCode,
  { text, headers = {}, locale = acceptedLocale(c.req.header("Accept-Language")) }: ErrorPage = {},
): Response {
  const t = (key: keyof typeof STRINGS) => translate(STRINGS[key], locale)
  const kind = status === 404 ? "not_found" : status === 503 ? "unavailable" : status >= 500 ? "failed" : null
  const title = t(kind ?? "refused")
  const body = text ?? (kind ? t(`${kind}_body`) : undefined)
  const canRetry = kind === "unavailable" && c.req.method === "GET"
  const document = (
    <HtmlDocument lang={locale} title={title} colorScheme="light dark" css={CSS}>
      <main>
        <Logo />
        <h1>{title}</h1>
        {body && <p>{body}</p>}
        <p>
          {canRetry && <a href={c.req.path}>{t("retry")}</a>}
          <a href="/">{t("home")}</a>
        </p>
      </main>
    </HtmlDocument>
  )
  return c.body(document.toString(), status, {
    "Content-Type": "text/html; charset=utf-8",
    "Content-Security-Policy": contentSecurityPolicy({ "style-src": [hashSource(CSS)], "img-src": ["data:"] }),
    "Cache-Control": "no-store",
    Vary: "Accept-Language",
    ...headers,
  })
}

/** Whether the client is a browser that navigates, and not one that loads a file into a page. */
export const acceptsHtml = (c: Context): boolean => /\btext\/html\b/i.test(c.req.header("Accept") ?? "")
