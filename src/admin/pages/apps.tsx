// The apps of a shop: their benefits, installation and removal.
import { findApp, getDependencies } from "../../apps/registry"
import { Refusal } from "../../core/http/refusal"
import { translate } from "../../core/i18n/locale"
import { withColon } from "../../lib/intl"
import { ActionButton } from "../../page-kit/form"
import type { FormState } from "../../page-kit/form-state"
import { Badge } from "../../page-kit/parts"
import { Table } from "../../page-kit/table"
import { entitles } from "../../platform/apps/rules"
import { appList } from "../../platform/apps/schemas"
import { disableApp, enableApp, readApps } from "../../platform/apps/service"
import type { StoreDetails } from "../../platform/stores/schemas"
import { type AdminContext, createAdminPages, requireRole } from "../access"
import { nameApp } from "../apps"
import { handleForm, NoFields, withNotice } from "../forms"
import { page } from "../page"
import { APPS } from "../paths"
import { useAdminView } from "../view"

const pathOf = (slug: string, action: "enable" | "disable") => `${APPS}/${slug}/${action}`

export const apps = createAdminPages()
  .get(APPS, (c) => renderApps(c))
  .get(`${APPS}/:slug/enable`, (c) => c.redirect(APPS, 303))
  .get(`${APPS}/:slug/disable`, requireRole("admin"), (c) => {
    const { apps: t, common } = c.var.strings
    const app = findApp(c.req.param("slug"))
    if (!app) throw new Refusal("not_found")
    return page(c, {
      title: t.disable_title(nameApp(app.slug, c.var.ctx.locale)),
      crumbs: [[t.title, APPS]],
      children: (
        <>
          <p>{t.disable_body}</p>
          <ActionButton action={pathOf(app.slug, "disable")} label={t.disable} danger />
          <p>
            <a href={APPS}>{common.back}</a>
          </p>
        </>
      ),
    })
  })
  .post(`${APPS}/:slug/enable`, requireRole("admin"), (c) =>
    handleForm(c, {
      schema: NoFields,
      run: async () => {
        await enableApp(c.var.ctx, c.var.ctx.site.id, c.req.param("slug"))
        return withNotice(APPS, "app_enabled")
      },
      render: (state) => renderApps(c, state),
    }),
  )
  .post(`${APPS}/:slug/disable`, requireRole("admin"), (c) =>
    handleForm(c, {
      schema: NoFields,
      run: async () => {
        await disableApp(c.var.ctx, c.var.ctx.site.id, c.req.param("slug"))
        return withNotice(APPS, "app_disabled")
      },
      render: (state) => renderApps(c, state),
    }),
  )

async function renderApps(c: AdminContext, state?: FormState) {
  const { ctx, strings } = c.var
  return page(c, {
    title: strings.apps.title,
    state,
    children: <Apps details={await readApps(ctx, ctx.site.id)} />,
  })
}

function Apps({ details }: { details: StoreDetails }) {
  const { t, language, canPost } = useAdminView()
  const { apps: a } = t
  const nameOf = (slug: string) => nameApp(slug, language)
  return (
    <Table
      label={a.title}
      rows={appList(details).data}
      columns={[
        { head: a.app, cell: ({ slug }) => nameOf(slug) },
        {
          head: a.brings,
          isLong: true,
          cell: ({ slug }) => {
            const description = findApp(slug)?.description
            const required = getDependencies(slug).map(nameOf)
            return [
              ...(description ? [translate(description, language)] : []),
              ...(required.length ? [a.needs(required.join(", "))] : []),
            ].join(" ")
          },
        },
        {
          head: t.kit.fields.status ?? "",
          cell: ({ enabled }) => <Badge status={enabled ? "on" : "off"} text={enabled ? a.enabled : a.disabled} />,
        },
        {
          head: "",
          cell: ({ slug, enabled }) => {
            const name = nameOf(slug)
            if (enabled)
              return (
                canPost(pathOf(slug, "disable")) && (
                  <a
                    class="button"
                    data-quiet
                    href={pathOf(slug, "disable")}
                    aria-label={`${withColon(a.disable, language)} ${name}`}
                  >
                    {a.disable}
                  </a>
                )
              )
            if (!entitles(details.subscription?.plan, slug)) return <span class="sub">{a.not_in_plan}</span>
            return <ActionButton action={pathOf(slug, "enable")} label={a.enable} about={name} />
          },
        },
      ]}
    />
  )
}
