// The mails of an account: confirm your address, choose a new password, your address was changed.
import { type Sentence, say } from "../../core/i18n/locale"
import { mailHtml, mailText } from "../../core/mail/layout"
import { type Mail, sendMail } from "../../core/mail/send"
import type { users } from "../../db/schema/sites/users"
import { type MailedLink, mailedLink, type NewToken } from "../accounts/mailed-tokens"
import { countMail, type MailPurpose } from "../rate-limits"
import type { SiteCtx } from "../site"

interface Words {
  title: Sentence
  body: Sentence
  action?: Sentence
  lifetime?: Sentence
  unasked: Sentence
}

const WORDS: Record<MailPurpose, Words> = {
  verify: {
    title: {
      en: "Confirm your e-mail address",
      es: "Confirme su dirección de correo",
      fr: "Confirmez votre adresse e-mail",
      vi: "Xác nhận địa chỉ email của bạn",
    },
    body: {
      en: "An account at :site was registered with this address. Confirm it, and you can log in.",
      es: "Se ha registrado una cuenta en :site con esta dirección. Confírmela y podrá iniciar sesión.",
      fr: "Un compte a été créé sur :site avec cette adresse. Confirmez-la pour pouvoir vous connecter.",
      vi: "Một tài khoản tại :site đã được đăng ký với địa chỉ này. Hãy xác nhận để có thể đăng nhập.",
    },
    action: {
      en: "Confirm my address",
      es: "Confirmar mi dirección",
      fr: "Confirmer mon adresse",
      vi: "Xác nhận địa chỉ của tôi",
    },
    lifetime: {
      en: "The link works for 24 hours.",
      es: "El enlace es válido durante 24 horas.",
      fr: "Le lien est valable 24 heures.",
      vi: "Liên kết có hiệu lực trong 24 giờ.",
    },
    unasked: {
      en: "If it was not you, there is nothing to do: without the link the address stays unconfirmed.",
      es: "Si no ha sido usted, no tiene que hacer nada: sin el enlace la dirección queda sin confirmar.",
      fr: "Si ce n'était pas vous, il n'y a rien à faire : sans le lien, l'adresse reste non confirmée.",
      vi: "Nếu không phải bạn, bạn không cần làm gì: không có liên kết thì địa chỉ vẫn chưa được xác nhận.",
    },
  },
  reset: {
    title: {
      en: "Choose a new password",
      es: "Elija una nueva contraseña",
      fr: "Choisissez un nouveau mot de passe",
      vi: "Chọn mật khẩu mới",
    },
    body: {
      en: "A new password was asked for your account at :site. In an app that asks for the token, enter :token",
      es: "Se ha pedido una nueva contraseña para su cuenta en :site. En una aplicación que pida el token, escriba :token",
      fr: "Un nouveau mot de passe a été demandé pour votre compte sur :site. Dans une application qui demande le jeton, saisissez :token",
      vi: "Đã có yêu cầu mật khẩu mới cho tài khoản của bạn tại :site. Trong ứng dụng yêu cầu mã, hãy nhập :token",
    },
    action: {
      en: "Choose a new password",
      es: "Elegir una nueva contraseña",
      fr: "Choisir un nouveau mot de passe",
      vi: "Chọn mật khẩu mới",
    },
    lifetime: {
      en: "The link and the token work once, for 60 minutes.",
      es: "El enlace y el token sirven una sola vez, durante 60 minutos.",
      fr: "Le lien et le jeton servent une seule fois, pendant 60 minutes.",
      vi: "Liên kết và mã chỉ dùng được một lần, trong 60 phút.",
    },
    unasked: {
      en: "If it was not you, there is nothing to do: your password stays as it is.",
      es: "Si no ha sido usted, no tiene que hacer nada: su contraseña no cambia.",
      fr: "Si ce n'était pas vous, il n'y a rien à faire : votre mot de passe ne change pas.",
      vi: "Nếu không phải bạn, bạn không cần làm gì: mật khẩu của bạn giữ nguyên.",
    },
  },
  email_changed: {
    title: {
      en: "Your e-mail address was changed",
      es: "Su dirección de correo ha cambiado",
      fr: "Votre adresse e-mail a été modifiée",
      vi: "Địa chỉ email của bạn đã được thay đổi",
    },
    body: {
      en: "Your account at :site has another e-mail address from now on, and this one is no longer used.",
      es: "Su cuenta en :site tiene ahora otra dirección de correo, y esta ya no se usa.",
      fr: "Votre compte sur :site a désormais une autre adresse e-mail, et celle-ci n'est plus utilisée.",
      vi: "Tài khoản của bạn tại :site từ nay dùng địa chỉ email khác, và địa chỉ này không còn được sử dụng.",
    },
    unasked: {
      en: "If it was not you, somebody knows your password: write to the site at once.",
      es: "Si no ha sido usted, alguien conoce su contraseña: escriba al sitio de inmediato.",
      fr: "Si ce n'était pas vous, quelqu'un connaît votre mot de passe : écrivez tout de suite au site.",
      vi: "Nếu không phải bạn, có người biết mật khẩu của bạn: hãy liên hệ ngay với trang.",
    },
  },
}

type Recipient = Pick<typeof users.$inferSelect, "email" | "emailVerifiedAt">

/** The name under which a site writes. */
export const siteName = ({ site, settings }: Pick<SiteCtx, "site" | "settings">): string =>
  site.store?.name ?? settings.APP_NAME

/**
 * An account mail in the caller's language.
 * @param link what the mail proves that its reader holds, and where it leads; absent where there is nothing to do
 */
function accountMail(ctx: SiteCtx, kind: MailPurpose, to: string, link?: MailedLink): Mail {
  const words = WORDS[kind]
  const sender = siteName(ctx)
  const word = (sentence: Sentence) => say(sentence, ctx.locale, { site: sender, ...(link && { token: link.token }) })
  const content = {
    title: word(words.title),
    paragraphs: [word(words.body)],
    ...(words.action && link && { action: { label: word(words.action), url: link.url } }),
    notes: [words.lifetime, words.unasked].flatMap((note) => (note ? [word(note)] : [])),
    sender,
  }
  return {
    to,
    subject: `${content.title} · ${sender}`,
    text: mailText(content),
    html: mailHtml(content, ctx.locale),
    fromName: sender,
  }
}

/**
 * Sends an account mail in the background, so that the time of the response does not tell whether an address has an account. A mail
 * beyond what the mailbox may get is dropped.
 * @param user whose mail it is: the address, and when its owner confirmed it at this site
 * @param token what the mail proves that its reader holds
 */
export function sendAccountMail(ctx: SiteCtx, kind: MailPurpose, user: Recipient, token?: NewToken): void {
  const isConfirmed = user.emailVerifiedAt !== null
  const send = async () => {
    if (await countMail(ctx, { purpose: kind, to: user.email, isConfirmed }))
      await deliverMail(ctx, kind, user.email, token)
  }
  ctx.after(send())
}

/** Sends an account mail that was counted before its token was stored, in the background. */
export const sendCountedMail = (ctx: SiteCtx, kind: MailPurpose, to: string, token: NewToken): void =>
  ctx.after(deliverMail(ctx, kind, to, token))

async function deliverMail(ctx: SiteCtx, kind: MailPurpose, to: string, token?: NewToken): Promise<void> {
  const link = token && (await mailedLink(ctx, token, to))
  if (link !== null) await sendMail(ctx, accountMail(ctx, kind, to, link))
}
