// Exports everything in the shop: starts an archive, shows those that can be downloaded, and serves them.
import type { MiddlewareHandler } from "hono"
import { isActiveStaff } from "../../content/staff/service"
import { Sentence } from "../../core/html/moment"
import type { StoreExport } from "../../db/schema/central/exports"
import { contentDisposition } from "../../lib/file-name"
import { isoDay } from "../../lib/time"
import { ActionButton } from "../../page-kit/form"
import type { FormState } from "../../page-kit/form-state"
import { Badge, Card, EmptyState, formatBytes, Time } from "../../page-kit/parts"
import { Table } from "../../page-kit/table"
import { getNextExportAt, listExports, openExport, startExport } from "../../platform/exports/service"
import { type AdminContext, createAdminPages, requireRole } from "../access"
import { handleForm, isRefusedBy, NoFields, withNotice } from "../forms"
import { page } from "../page"
import { EXPORT, EXPORT_DOWNLOAD } from "../paths"
import { getSession } from "../session"
import type { AdminEnv } from "../types"
import { useAdminView } from "../view"

/** Seconds after which the page reloads itself while an archive is being made. */
const REFRESH_SECONDS = 10

const getSeq = (c: AdminContext): number => c.var.ctx.site.store?.seq ?? 0

/** Serves the archive of a mailed link, which needs no session, while its recipient could sign in and download it. */
export const downloadByLink: MiddlewareHandler<AdminEnv> = async (c, next) => {
  const token = c.req.query("token")
  return token === undefined ? next() : download(c, token)
}

async function download(c: AdminContext, token?: string): Promise<Response> {
  const { ctx } = c.var
  const link =
    token === undefined ? undefined : { token, isAllowed: (email: string) => isActiveStaff(ctx, email, "admin") }
  const { object, createdAt } = await openExport(ctx, getSeq(c), link)
  return c.body(object.body, 200, {
    "Content-Type": "application/x-tar",
    "Content-Length": String(object.size),
    "Content-Disposition": contentDisposition("attachment", `${ctx.site.id}-${isoDay(createdAt)}.tar`),
  })
}

export const exports = createAdminPages()
  .get(EXPORT, requireRole("admin"), (c) => renderExport(c))
  .get(EXPORT_DOWNLOAD, requireRole("admin"), (c) => download(c))
  .post(EXPORT, requireRole("admin"), (c) =>
    handleForm(c, {
      schema: NoFields,
      run: async () => {
        const { ctx, strings } = c.var
        try {
          await startExport(ctx, ctx.site.id, getSession(c).user.email)
          return withNotice(EXPORT, "export_started")
        } catch (thrown) {
          if (!isRefusedBy(thrown, "rate_limited")) throw thrown
          return renderExport(c, { status: 429, values: new Map(), errors: {}, message: strings.export.once_a_day })
        }
      },
      render: (state) => renderExport(c, state),
    }),
  )

async function renderExport(c: AdminContext, state?: FormState) {
  const { ctx, strings } = c.var
  const { export: t } = strings
  const found = await listExports(ctx, getSeq(c))
  const isRunning = found.some(({ phase }) => phase === "running")
  const next = getNextExportAt(found, ctx.now)
  const { user } = getSession(c)
  return page(c, {
    title: t.title,
    state,
    ...(isRunning && { refresh: REFRESH_SECONDS }),
    children: (
      <>
        <Card>
          <p>{t.body}</p>
          <p>{t.format}</p>
          <p>{t.mail(user.email)}</p>
          <p>
            {t.once_a_day}{" "}
            {next && (
              <Sentence of={t.next}>
                <Time at={next} isExact />
              </Sentence>
            )}
          </p>
          {!next && <ActionButton action={EXPORT} label={t.start} isPrimary />}
        </Card>
        <Card title={t.archives}>
          {found.some(({ phase }) => phase === "done") && (
            <p>
              <a class="button" href={EXPORT_DOWNLOAD}>
                {t.download}
              </a>
            </p>
          )}
          {found.length ? <Archives exports={found} /> : <EmptyState text={t.none} />}
        </Card>
      </>
    ),
  })
}

const BADGES = { running: "pending", done: "ready", failed: "failed" } as const

function Archives({ exports: rows }: { exports: readonly StoreExport[] }) {
  const { t, language } = useAdminView()
  const texts = t.export
  const format = new Intl.NumberFormat(language)
  return (
    <Table
      label={texts.archives}
      rows={rows}
      columns={[
        { head: texts.created, cell: ({ createdAt }) => <Time at={createdAt} /> },
        { head: texts.status, cell: ({ phase }) => <Badge status={BADGES[phase]} text={texts.phases[phase]} /> },
        {
          head: texts.size,
          isNumeric: true,
          cell: ({ bytes }) => (bytes === null ? "" : formatBytes(bytes, language)),
        },
        {
          head: texts.contents,
          cell: ({ rows: count, files }) => texts.counts(format.format(count ?? 0), format.format(files ?? 0)),
        },
        {
          head: texts.until,
          cell: (row) => row.phase === "done" && <Time at={row.expiresAt} isExact />,
        },
      ]}
    />
  )
}
