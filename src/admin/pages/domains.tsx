// The domains of a shop: their records, what DNS returns now, adding and removing.
import { takeTokens } from "../../core/http/rate-limit"
import { Refusal } from "../../core/http/refusal"
import { isRoutable } from "../../core/http/store-access"
import { withColon } from "../../lib/intl"
import { HOUR } from "../../lib/time"
import { Disclosure } from "../../page-kit/disclosure"
import { ActionButton, Field, Form } from "../../page-kit/form"
import type { FormState } from "../../page-kit/form-state"
import { Badge, Card, CopyableValue, Time } from "../../page-kit/parts"
import { Table } from "../../page-kit/table"
import { type DnsRecordCheck, lookupDnsRecords } from "../../platform/domains/dns-records"
import { AttachDomain, type Domain, domainResource } from "../../platform/domains/schemas"
import { attachDomain, makePrimary, readDomains, removeDomain } from "../../platform/domains/service"
import { verifyDomain } from "../../platform/domains/verify"
import { type AdminContext, createAdminPages, requireRole } from "../access"
import { handleForm, NoFields, withNotice } from "../forms"
import { page } from "../page"
import { DOMAINS } from "../paths"
import { useAdminView, useT } from "../view"

/** Pages and forms of one shop that look up DNS records. */
const DNS_CHECKS_PER_HOUR = 120

type Action = "verify" | "primary" | "delete" | "dns"

const pathOf = (id: number | string, action: Action) => `${DOMAINS}/${id}/${action}`

const countDnsCheck = ({ ctx }: AdminContext["var"]) =>
  takeTokens(ctx.env, ctx.log, [{ name: `admin-dns:${ctx.site.id}`, limit: DNS_CHECKS_PER_HOUR, windowMs: HOUR }])

export const domains = createAdminPages()
  .get(DOMAINS, (c) => renderDomains(c))
  .get(`${DOMAINS}/:id{[0-9]+}/dns`, requireRole("owner"), async (c) => {
    await countDnsCheck(c.var)
    const { ctx, strings } = c.var
    const { domain, records } = await lookupDnsRecords(ctx, ctx.site.id, c.req.param("id"))
    return page(c, {
      title: strings.domains.dns_title(domain.domain),
      crumbs: [[strings.domains.title, DOMAINS]],
      children: <DnsRecords domain={domain} records={records} />,
    })
  })
  .get(`${DOMAINS}/:id{[0-9]+}/verify`, (c) => c.redirect(DOMAINS, 303))
  .get(`${DOMAINS}/:id{[0-9]+}/:action{primary|delete}`, requireRole("owner"), async (c) => {
    const { domains: t } = c.var.strings
    const { domain, id } = await findDomain(c)
    const isRemoval = c.req.param("action") === "delete"
    return page(c, {
      title: (isRemoval ? t.remove_title : t.primary_title)(domain),
      crumbs: [[t.title, DOMAINS]],
      children: (
        <>
          <p>{isRemoval ? t.remove_body : t.primary_body}</p>
          <ActionButton
            action={pathOf(id, isRemoval ? "delete" : "primary")}
            label={isRemoval ? t.remove : t.make_primary}
            danger={isRemoval}
            isPrimary={!isRemoval}
          />
          <p>
            <a href={DOMAINS}>{c.var.strings.common.back}</a>
          </p>
        </>
      ),
    })
  })
  .post(DOMAINS, requireRole("owner"), (c) =>
    handleForm(c, {
      schema: AttachDomain,
      run: async (input) => {
        await countDnsCheck(c.var)
        await attachDomain(c.var.ctx, c.var.ctx.site.id, input.domain)
        return withNotice(DOMAINS, "domain_added")
      },
      render: (state) => renderDomains(c, state),
    }),
  )
  .post(`${DOMAINS}/:id{[0-9]+}/verify`, requireRole("owner"), (c) =>
    handleForm(c, {
      schema: NoFields,
      run: async () => {
        await countDnsCheck(c.var)
        const { reason } = await verifyDomain(c.var.ctx, c.var.ctx.site.id, c.req.param("id"))
        if (!reason) return withNotice(DOMAINS, "domain_verified")
        const message = c.var.strings.domains.reasons[reason]
        return renderDomains(c, { status: 422, values: new Map(), errors: {}, message })
      },
      render: (state) => renderDomains(c, state),
    }),
  )
  .post(`${DOMAINS}/:id{[0-9]+}/primary`, requireRole("owner"), (c) =>
    handleForm(c, {
      schema: NoFields,
      run: async () => {
        await makePrimary(c.var.ctx, c.var.ctx.site.id, c.req.param("id"))
        return withNotice(DOMAINS, "domain_primary")
      },
      render: (state) => renderDomains(c, state),
    }),
  )
  .post(`${DOMAINS}/:id{[0-9]+}/delete`, requireRole("owner"), (c) =>
    handleForm(c, {
      schema: NoFields,
      run: async () => {
        await removeDomain(c.var.ctx, c.var.ctx.site.id, c.req.param("id"))
        return withNotice(DOMAINS, "domain_removed")
      },
      render: (state) => renderDomains(c, state),
    }),
  )

async function findDomain(c: AdminContext): Promise<Domain> {
  const { attached } = await readDomains(c.var.ctx, c.var.ctx.site.id)
  const domain = attached.find(({ id }) => String(id) === c.req.param("id"))
  if (!domain) throw new Refusal("not_found")
  return domain
}

async function renderDomains(c: AdminContext, state?: FormState) {
  const { ctx, strings } = c.var
  const { attached } = await readDomains(ctx, ctx.site.id)
  return page(c, {
    title: strings.domains.title,
    state,
    children: (
      <>
        <Domains rows={attached} />
        {attached
          .filter((domain) => !isRoutable(domain))
          .map((domain) => (
            <Records domain={domain} settings={ctx.settings} />
          ))}
        <Disclosure label={strings.domains.add} action={DOMAINS} isOpen={attached.length === 1}>
          <Form action={DOMAINS} submitLabel={strings.domains.add}>
            <Field
              name="domain"
              label={strings.domains.name}
              required
              maxlength={240}
              hint={strings.domains.name_hint}
            />
          </Form>
        </Disclosure>
      </>
    ),
  })
}

function Domains({ rows }: { rows: readonly Domain[] }) {
  const { domains: t, kit } = useT()
  return (
    <Table
      label={t.title}
      rows={rows}
      columns={[
        { head: t.domain, isLong: true, cell: ({ domain }) => domain },
        {
          head: kit.fields.status ?? "",
          cell: (row) => (
            <div class="row">
              <Badge
                status={isRoutable(row) ? "verified" : "waiting"}
                text={isRoutable(row) ? t.verified : t.unverified}
              />
              {row.isPrimary && <span class="badge">{t.primary}</span>}
              {row.isFallback && <span class="badge">{t.fallback}</span>}
            </div>
          ),
        },
        { head: "", cell: (row) => <Actions domain={row} /> },
      ]}
    />
  )
}

function Actions({ domain: row }: { domain: Domain }) {
  const { t, language, canPost } = useAdminView()
  const { domains: d } = t
  const link = (action: Action, label: string, isDanger = false) =>
    canPost(pathOf(row.id, action)) && (
      <a
        class="button"
        href={pathOf(row.id, action)}
        data-quiet={!isDanger || undefined}
        data-danger={isDanger || undefined}
        aria-label={`${withColon(label, language)} ${row.domain}`}
      >
        {label}
      </a>
    )
  return (
    <div class="row">
      {!isRoutable(row) && (
        <ActionButton action={pathOf(row.id, "verify")} label={d.verify} about={row.domain} isPrimary />
      )}
      {isRoutable(row) && !row.isPrimary && link("primary", d.make_primary)}
      {!row.isFallback && !row.isPrimary && link("delete", d.remove, true)}
    </div>
  )
}

/** The records that a domain needs, and what DNS returns now. */
function Records({ domain, settings }: { domain: Domain; settings: Parameters<typeof domainResource>[0] }) {
  const { t, language, canPost } = useAdminView()
  const { domains: d } = t
  const { verification } = domainResource(settings, domain)
  if (!verification) return null
  const records = [
    ["TXT", verification.txt_name, verification.txt_value],
    ["CNAME", domain.domain, verification.cname_target],
  ] as const
  const title = `${withColon(d.records, language)} ${domain.domain}`
  return (
    <Card title={title}>
      <p>{d.records_hint}</p>
      <Table
        label={title}
        rows={records}
        columns={[
          { head: d.record, cell: ([type]) => type },
          {
            head: t.kit.fields.name ?? "",
            isLong: true,
            cell: ([type, name]) => <CopyableValue id={`${type}-name-${domain.id}`} value={name} />,
          },
          {
            head: d.value,
            isLong: true,
            cell: ([type, , value]) => <CopyableValue id={`${type}-value-${domain.id}`} value={value} />,
          },
        ]}
      />
      {domain.checkedAt && (
        <p class="sub">
          {d.last_check} <Time at={domain.checkedAt} />
        </p>
      )}
      {canPost(pathOf(domain.id, "verify")) && (
        <p id={`dns-${domain.id}`} data-load={d.checking}>
          <a href={pathOf(domain.id, "dns")}>{d.check_dns}</a>
        </p>
      )}
    </Card>
  )
}

function DnsRecords({ domain, records }: { domain: Domain; records: readonly DnsRecordCheck[] }) {
  const { domains: t, kit } = useT()
  return (
    <div id={`dns-${domain.id}`}>
      <Table
        label={t.dns_title(domain.domain)}
        rows={records}
        columns={[
          {
            head: t.record,
            isLong: true,
            cell: ({ type, name }) => (
              <>
                {type} <code>{name}</code>
              </>
            ),
          },
          { head: kit.fields.status ?? "", cell: (record) => <RecordStatus record={record} /> },
          {
            head: t.current,
            isLong: true,
            cell: ({ status, records: found }) =>
              found.length > 0
                ? found.map((value) => <code>{value}</code>)
                : // The status shows that DNS did not respond.
                  (status === "ok" || status === "nxdomain") && t.none,
          },
          { head: t.expected, isLong: true, cell: ({ expected }) => expected && <code>{expected}</code> },
        ]}
      />
    </div>
  )
}

function RecordStatus({ record: { expected, status, records } }: { record: DnsRecordCheck }) {
  const { domains: t } = useT()
  if (status === "failed" || status === "unanswered") return <Badge status="unavailable" text={t.unavailable} />
  if (expected === null) return records.length > 0 ? <Badge status="ok" text={t.found} /> : null
  if (records.some((value) => value.trim() === expected)) return <Badge status="ok" text={t.matches} />
  return <Badge status="waiting" text={records.length > 0 ? t.mismatch : t.missing} />
}
