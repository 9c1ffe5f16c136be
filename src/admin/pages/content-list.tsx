// The list of a shop's posts, pages, categories or tags.
import type { Context } from "hono"
import * as z from "zod"
import {
  CONTENT_PAGE_SIZE,
  type ContentKind,
  type ContentQuery,
  listContent,
  MAX_SEARCHED_CONTENT,
} from "../../content/blog/operator-list"
import { foldCase } from "../../content/case-folding"
import { queryNumber, searchTerm } from "../../core/http/validation"
import { FilterForm, SelectFilter, TextFilter } from "../../page-kit/filters"
import { Badge, Pager, Time } from "../../page-kit/parts"
import { pickQuery } from "../../page-kit/query"
import { Table } from "../../page-kit/table"
import { EmptyList } from "../empty-list"
import { page } from "../page"
import { ADMIN } from "../paths"
import { getCtx } from "../session"
import type { AdminEnv } from "../types"
import { useAdminView } from "../view"

/** Sort orders by value of the parameter `sort`. */
const SORTS: Record<string, Pick<ContentQuery, "sort_by" | "order">> = {
  name: { sort_by: "name", order: "asc" },
  "-name": { sort_by: "name", order: "desc" },
  created: { sort_by: "created_at", order: "asc" },
  "-created": { sort_by: "created_at", order: "desc" },
  updated: { sort_by: "updated_at", order: "asc" },
  "-updated": { sort_by: "updated_at", order: "desc" },
}

const STATUSES = ["published", "draft", "pending"] as const

const ListQuery = z.object({
  page: queryNumber(100_000).default(1),
  search: searchTerm((value) => foldCase(value).replaceAll("\0", "").trim())
    .transform((term) => term || undefined)
    .optional(),
})

/** The parameter `status` of each kind; categories and tags have none. */
const QUERIES = {
  posts: ListQuery.extend({ status: z.enum([...STATUSES, "scheduled"]).optional() }),
  pages: ListQuery.extend({ status: z.enum(STATUSES).optional() }),
  categories: ListQuery.extend({ status: z.undefined().optional() }),
  tags: ListQuery.extend({ status: z.undefined().optional() }),
}

export const contentPath = (kind: ContentKind): string => `${ADMIN}/${kind}`

/** The path of one item, or of an action on it. */
export const itemPath = (kind: ContentKind, id: number | string, action = "edit"): string =>
  `${contentPath(kind)}/${id}/${action}`

export async function renderContentList(c: Context<AdminEnv>, kind: ContentKind) {
  const { strings } = c.var
  const t = strings.content
  const { ctx } = c.var
  const { input } = pickQuery<(typeof QUERIES)["posts"]>(QUERIES[kind] as (typeof QUERIES)["posts"], c.req.query())
  const sort = c.req.query("sort") ?? ""
  const list = await listContent({ ...getCtx(c).site, now: ctx.now }, kind, { ...input, ...SORTS[sort] })
  const statuses = kind === "posts" ? ([...STATUSES, "scheduled"] as const) : kind === "pages" ? STATUSES : []
  return page(c, {
    title: t.nav[kind],
    actions: <NewLink kind={kind} />,
    children: (
      <>
        <FilterForm live="content">
          <TextFilter name="search" type="search" />
          {statuses.length > 0 && (
            <SelectFilter name="status" choices={statuses.map((value) => ({ value, label: t.statuses[value] }))} />
          )}
        </FilterForm>
        <div id="content">
          {list.isIncomplete && <p class="sub">{t.latest_only(MAX_SEARCHED_CONTENT)}</p>}
          {list.rows.length === 0 ? (
            <EmptyList
              texts={{ empty: t.empty[kind], no_matches: t.no_matches[kind] }}
              add={{ label: t.new[kind], path: `${contentPath(kind)}/new`, action: contentPath(kind) }}
            />
          ) : (
            <Table
              label={t.nav[kind]}
              rows={list.rows}
              columns={[
                {
                  head: t.title,
                  sort: { ascending: "name", descending: "-name" },
                  cell: (row) => <a href={itemPath(kind, row.id)}>{row.name}</a>,
                },
                ...(statuses.length
                  ? [
                      {
                        head: strings.kit.fields.status ?? "",
                        cell: (row: (typeof list.rows)[number]) => <Status row={row} />,
                      },
                    ]
                  : []),
                { head: strings.kit.fields.slug ?? "", isLong: true, cell: (row) => row.slug },
                {
                  head: strings.common.updated,
                  sort: { ascending: "updated", descending: "-updated" },
                  cell: (row) => <Time at={row.updatedAt} />,
                },
                {
                  head: strings.common.created,
                  sort: { ascending: "created", descending: "-created" },
                  cell: (row) => <Time at={row.createdAt} />,
                },
              ]}
            />
          )}
          <Pager page={input.page} pageSize={CONTENT_PAGE_SIZE} hasMore={list.hasMore} />
        </div>
      </>
    ),
  })
}

function NewLink({ kind }: { kind: ContentKind }) {
  const { canPost, t } = useAdminView()
  return canPost(contentPath(kind)) ? (
    <a class="button" href={`${contentPath(kind)}/new`}>
      {t.content.new[kind]}
    </a>
  ) : null
}

export interface Publication {
  status: (typeof STATUSES)[number] | null
  publishedAt: Date | null
}

/** Whether a published post appears only at a later date. */
const isScheduled = ({ status, publishedAt }: Publication, now: Date): boolean =>
  status === "published" && publishedAt !== null && publishedAt > now

/** Whether visitors can open a post or page. */
export const isPublic = (item: Publication, now: Date): boolean =>
  item.status === "published" && !isScheduled(item, now)

/** The status of a post or page. A published post is scheduled until its date, which it shows. */
export function Status({ row }: { row: Publication }) {
  const { now, t } = useAdminView()
  const { status, publishedAt } = row
  if (status === null) return null
  if (!isScheduled(row, now)) return <Badge status={status} text={t.content.statuses[status]} />
  return (
    <>
      <Badge status="scheduled" text={t.content.statuses.scheduled} /> <Time at={publishedAt} isExact />
    </>
  )
}
