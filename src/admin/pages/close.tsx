// Closes the shop: shows what is deleted and when, and asks for its name and the owner's password.
import { CloseShop, closeShop } from "../../content/billing/close"
import { countHashing } from "../../content/rate-limits"
import { Sentence } from "../../core/html/moment"
import { clientAddress } from "../../core/http/http"
import { Field, Form } from "../../page-kit/form"
import type { FormState } from "../../page-kit/form-state"
import { Card, Time } from "../../page-kit/parts"
import { readStore } from "../../platform/stores/service"
import { getRetentionEnd, isBilledByCard } from "../../platform/subscriptions/rules"
import { type AdminContext, createAdminPages, requireRole } from "../access"
import { handleForm, withNotice } from "../forms"
import { page } from "../page"
import { ADMIN, CLOSE, EXPORT, SETTINGS } from "../paths"
import { getCtx } from "../session"
import { useT } from "../view"

export const close = createAdminPages()
  .get(CLOSE, requireRole("owner"), (c) => renderClose(c))
  .post(CLOSE, requireRole("owner"), (c) =>
    handleForm(c, {
      schema: CloseShop,
      isEdit: true,
      run: async (input) => {
        const ctx = getCtx(c)
        const subject = { ip: clientAddress(c), account: ctx.caller.token?.hash }
        await closeShop(ctx, input, countHashing(ctx, "password", subject))
        return withNotice(ADMIN, "shop_closed")
      },
      render: (state) => renderClose(c, state),
    }),
  )

async function renderClose(c: AdminContext, state?: FormState): Promise<Response> {
  const { ctx, strings, isClosed } = c.var
  const { close: t, nav } = strings
  const { subscription } = await readStore(ctx, ctx.site.id)
  const isByCard = subscription !== null && isBilledByCard(subscription)
  const name = ctx.site.store?.name ?? ""
  const purge = getRetentionEnd(ctx.now, ctx.settings.TENANCY_RETENTION_DAYS)
  return page(c, {
    title: t.heading(name),
    crumbs: [[nav.settings, SETTINGS]],
    state,
    children: !isClosed && (isByCard ? <CardHint /> : <CloseForm name={name} purge={purge} />),
  })
}

/** Says that the owner ends a card subscription at the payment provider, which closes the shop. */
function CardHint() {
  const { close: t, closed } = useT()
  return (
    <Card>
      <p>
        {t.by_card} <a href="/billing#plans">{closed.to_billing}</a>
      </p>
      <ExportHint />
    </Card>
  )
}

const ExportHint = () => {
  const { close, export: e } = useT()
  return (
    <p>
      {close.export_first} <a href={EXPORT}>{e.title}</a>
    </p>
  )
}

function CloseForm({ name, purge }: { name: string; purge: Date }) {
  const { close: t } = useT()
  return (
    <Card>
      <ul>
        <li>{t.now}</li>
        <li>
          <Sentence of={t.until}>
            <Time at={purge} isExact />
          </Sentence>
        </li>
        <li>{t.stays}</li>
      </ul>
      <ExportHint />
      <Form action={CLOSE} submitLabel={t.submit} danger>
        <Field name="name" label={t.name(name)} required maxlength={250} />
        <Field name="password" type="password" label={t.password} required autocomplete="current-password" />
      </Form>
    </Card>
  )
}
