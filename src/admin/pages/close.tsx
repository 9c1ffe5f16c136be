// Closes the shop: shows what is deleted and when, and asks for its name and the owner's password.
import { CloseShop, closeShop } from "../../content/billing/close"
import { countHashing } from "../../content/rate-limits"
import { Sentence } from "../../core/html/moment"
import { clientAddress } from "../../core/http/http"
import { Field, Form } from "../../page-kit/form"
import type { FormState } from "../../page-kit/form-state"
import { Card, Time } from "../../page-kit/parts"
import { getRetentionEnd } from "../../platform/subscriptions/rules"
import { type AdminContext, createAdminPages, requireRole } from "../access"
import { handleForm, withNotice } from "../forms"
import { page } from "../page"
import { ADMIN, CLOSE, EXPORT, SETTINGS } from "../paths"
import { getCtx } from "../session"

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

function renderClose(c: AdminContext, state?: FormState) {
  const { ctx, strings, isClosed } = c.var
  const { close: t, nav } = strings
  const name = ctx.site.store?.name ?? ""
  const purge = getRetentionEnd(ctx.now, ctx.settings.TENANCY_RETENTION_DAYS)
  return page(c, {
    title: t.heading(name),
    crumbs: [[nav.settings, SETTINGS]],
    state,
    children: !isClosed && (
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
        <p>
          {t.export_first} <a href={EXPORT}>{strings.export.title}</a>
        </p>
        <Form action={CLOSE} submitLabel={t.submit} danger>
          <Field name="name" label={t.name(name)} required maxlength={250} />
          <Field name="password" type="password" label={t.password} required autocomplete="current-password" />
        </Form>
      </Card>
    ),
  })
}
