// Runs the forms of customers' accounts, and shows refused ones again.
import { isContentRefusal, messageOf, statusOf } from "../../../content/envelope"
import { type FieldErrors, isServerFailure } from "../../../core/http/refusal"
import type { Translations } from "../../../core/i18n/locale"
import { type FormState, toMessages } from "../../components/form"
import type { Page } from "../../part"
import { ACCOUNT } from "../../paths"
import type { View } from "../../view"
import type { FormFields, Visit } from "../page"
import { deleteSessionToken } from "../session"
import { type AccountFormState, LABELS } from "./views"

export const SIGN_IN = `${ACCOUNT}/sign-in`

export const EMPTY: AccountFormState = { form: () => ({ values: {}, errors: {} }) }

/** Runs a form. When it is refused, shows its page again with what was typed, except passwords. */
export async function submit(
  visit: Visit,
  fields: FormFields,
  { page, run }: { page: (shown: AccountFormState) => Page; run: () => Promise<Response> },
): Promise<Response> {
  try {
    return await run()
  } catch (thrown) {
    if (!isContentRefusal(thrown) || isServerFailure(thrown)) throw thrown
    if (thrown.code === "unauthenticated") return signOut(visit)
    const errors = thrown.code === "validation_failed" ? (thrown.facts.fields ?? {}) : {}
    const hasErrors = Object.keys(errors).length > 0
    return visit.render(
      page({
        form: toForm(fields, errors),
        message: hasErrors ? undefined : { text: () => messageOf(thrown, visit.ctx.locale), isError: true },
      }),
      statusOf(thrown),
    )
  }
}

const toForm =
  (fields: FormFields, errors: FieldErrors) =>
  (view: View): FormState => ({
    values: Object.fromEntries(Object.keys(LABELS).map((name) => [name, (fields[name] ?? "").slice(0, 2_000)])),
    errors: toMessages(view, LABELS, errors),
  })

/** Deletes the cookie of a session that has ended. */
export function signOut(visit: Visit): Response {
  deleteSessionToken(visit.ctx.settings, visit.cookies)
  return visit.redirect(SIGN_IN)
}

/** Creates a text in the language of the view. */
export const toTranslatedText =
  (text: Translations): ((view: View) => string) =>
  (view) =>
    view.translate(text)
