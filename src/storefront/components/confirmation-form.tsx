// The form that mails a customer another link to confirm the email address.
import type { Translations } from "../../core/i18n/locale"
import { RESEND_CONFIRMATION } from "../paths"
import type { View } from "../view"

interface ConfirmationFormProps {
  view: View
  /** The address, which is known and not asked for again. */
  email: string
  label: Translations
}

export const ConfirmationForm = ({ view, email, label }: ConfirmationFormProps) => (
  <form method="post" action={RESEND_CONFIRMATION}>
    <input type="hidden" name="email" value={email} />
    <button class="plain" type="submit">
      {view.translate(label)}
    </button>
  </form>
)
