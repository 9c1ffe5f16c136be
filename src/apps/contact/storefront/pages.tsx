// The contact form on a store's pages, for visitors with and without an account.
import { isContentRefusal, messageOf, statusOf } from "../../../content/envelope"
import { countAttempt, inParallelWithRateLimit } from "../../../content/rate-limits"
import { parseInput } from "../../../core/http/input"
import { type FieldErrors, isServerFailure } from "../../../core/http/refusal"
import { localize, type Translations } from "../../../core/i18n/locale"
import { fullName } from "../../../lib/full-name"
import { Field, type FormState, Honeypot, Message, toMessages } from "../../../storefront/components/form"
import type { Page } from "../../../storefront/part"
import type { FormFields, Visit, VisitorPage } from "../../../storefront/visitor/page"
import { CreateContactMessage } from "../schemas"
import { writeMessage } from "../service"

const CONTACT = localize("Contact", "Contacto", "Contact", "Liên hệ")
const SEND = localize("Send message", "Enviar mensaje", "Envoyer le message", "Gửi tin nhắn")
const SENT = localize(
  "Your message was sent. Thank you.",
  "Su mensaje se ha enviado. Gracias.",
  "Votre message a été envoyé. Merci.",
  "Tin nhắn của bạn đã được gửi. Cảm ơn bạn.",
)
const LEAVE_EMPTY = localize(
  "Leave this field empty",
  "Deje este campo vacío",
  "Laissez ce champ vide",
  "Để trống trường này",
)

const LABELS = {
  name: localize("Name", "Nombre", "Nom", "Họ tên"),
  email: localize("Email", "Correo electrónico", "E-mail", "Email"),
  subject: localize("Subject", "Asunto", "Objet", "Chủ đề"),
  message: localize("Message", "Mensaje", "Message", "Tin nhắn"),
} satisfies Record<string, Translations>

/** Messages per day of one network to one shop, from visitors who are not signed in. */
const GUEST_MESSAGES_PER_DAY = 100

const contactPage: VisitorPage = {
  path: "contact",
  async get(visit) {
    const { user } = await visit.readAsUser([])
    const values: FormFields = user ? { name: fullName(user), email: user.email } : {}
    return visit.render(renderContact({ values, errors: {}, isSent: visit.url.searchParams.has("sent") }))
  },
  async post(visit, fields) {
    // Only bots fill in the hidden field. They get the same response as people.
    if (fields.website) return visit.redirect("/contact?sent=1")
    try {
      await send(visit, fields)
    } catch (thrown) {
      if (!isContentRefusal(thrown) || isServerFailure(thrown)) throw thrown
      const errors = thrown.code === "validation_failed" ? (thrown.facts.fields ?? {}) : {}
      const refusal = thrown.code === "validation_failed" ? undefined : messageOf(thrown, visit.ctx.locale)
      return visit.render(renderContact({ values: fields, errors, refusal }), statusOf(thrown))
    }
    return visit.redirect("/contact?sent=1")
  },
}

export const contactPages: readonly VisitorPage[] = [contactPage]

async function send({ ctx }: Visit, { name, email, subject, message }: FormFields): Promise<void> {
  const missing: FieldErrors = {
    ...(!name?.trim() && { name: [{ rule: "required" }] }),
    ...(!email?.trim() && { email: [{ rule: "required" }] }),
  }
  const input = parseInput(CreateContactMessage, { name, email, subject, message }, missing)
  const counted = countAttempt(ctx, "app:contact", {
    ip: ctx.address ?? "unknown",
    account: ctx.caller.token?.hash,
    guestsPerDay: GUEST_MESSAGES_PER_DAY,
  })
  await inParallelWithRateLimit(ctx, counted, () => writeMessage(ctx, input))
}

interface ContactFormState {
  values: FormFields
  errors: FieldErrors
  isSent?: boolean
  /** Why the message was not sent, in the visitor's language. */
  refusal?: string | undefined
}

const renderContact =
  ({ values, errors, isSent = false, refusal }: ContactFormState): Page =>
  (view) => {
    const form: FormState = { values, errors: toMessages(view, LABELS, errors) }
    const field = (name: keyof typeof LABELS) => ({ view, form, name, label: view.translate(LABELS[name]) })
    return {
      meta: { title: view.translate(CONTACT), description: "", path: null },
      body: (
        <article class="section shell narrow">
          <h1>{view.translate(CONTACT)}</h1>
          {isSent && (
            <Message>
              <p>{view.translate(SENT)}</p>
            </Message>
          )}
          {refusal && (
            <Message isError>
              <p>{refusal}</p>
            </Message>
          )}
          <form method="post" action="/contact" class="form">
            <Field {...field("name")} autocomplete="name" maxlength={120} />
            <Field {...field("email")} type="email" autocomplete="email" maxlength={190} />
            <Field {...field("subject")} maxlength={250} isOptional />
            <Field {...field("message")} rows={7} maxlength={5000} />
            <Honeypot label={view.translate(LEAVE_EMPTY)} />
            <p>
              <button class="button" type="submit">
                {view.translate(SEND)}
              </button>
            </p>
          </form>
        </article>
      ),
    }
  }
