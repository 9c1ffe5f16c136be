// The reviews of a shop's products: the list, and hiding and showing one.
import type { Context } from "hono"
import * as z from "zod"
import type { ReviewOfProduct } from "../../apps/reviews/schemas"
import { listReviewsOfSite, setReviewStatus } from "../../apps/reviews/service"
import { REVIEW_STATUSES } from "../../apps/reviews/tables"
import { queryNumber } from "../../core/http/validation"
import { fullName } from "../../lib/full-name"
import { FilterForm, SelectFilter } from "../../page-kit/filters"
import { ActionButton } from "../../page-kit/form"
import { Pager, Time } from "../../page-kit/parts"
import { pickQuery } from "../../page-kit/query"
import { Table } from "../../page-kit/table"
import { createAdminPages, requireRole } from "../access"
import { requireReviews } from "../apps"
import { EmptyList } from "../empty-list"
import { handleForm, NoFields, withNotice } from "../forms"
import { page } from "../page"
import { PRODUCTS, REVIEWS } from "../paths"
import { getCtx } from "../session"
import type { AdminEnv } from "../types"
import { useT } from "../view"

type C = Context<AdminEnv>

const PER_PAGE = 50

const ReviewQuery = z.object({
  page: queryNumber(100_000).default(1),
  status: z.enum(REVIEW_STATUSES).default("published"),
})

export const reviews = createAdminPages()
  .get(REVIEWS, requireReviews, (c) => renderReviews(c))
  .post(`${REVIEWS}/:id{[0-9]+}/hide`, requireRole("editor"), requireReviews, (c) =>
    handleForm(c, {
      schema: NoFields,
      run: async () => {
        await setReviewStatus(getCtx(c), c.req.param("id"), "hidden")
        return withNotice(REVIEWS, "review_hidden")
      },
      render: () => renderReviews(c),
    }),
  )
  .post(`${REVIEWS}/:id{[0-9]+}/show`, requireRole("editor"), requireReviews, (c) =>
    handleForm(c, {
      schema: NoFields,
      run: async () => {
        await setReviewStatus(getCtx(c), c.req.param("id"), "published")
        return withNotice(`${REVIEWS}?status=hidden`, "review_shown")
      },
      render: () => renderReviews(c),
    }),
  )

async function renderReviews(c: C) {
  const { reviews: t } = c.var.strings
  const { input } = pickQuery(ReviewQuery, c.req.query())
  const { rows, hasMore } = await listReviewsOfSite(getCtx(c), input, PER_PAGE)
  return page(c, {
    title: t.title,
    children: (
      <>
        <FilterForm>
          <SelectFilter
            name="status"
            anyLabel={t.statuses.published}
            choices={[{ value: "hidden", label: t.statuses.hidden }]}
          />
        </FilterForm>
        {rows.length === 0 ? <EmptyList texts={t} /> : <Reviews rows={rows} />}
        <p class="sub">{t.hint}</p>
        <Pager page={input.page} pageSize={PER_PAGE} hasMore={hasMore} />
      </>
    ),
  })
}

function Reviews({ rows }: { rows: readonly ReviewOfProduct[] }) {
  const { reviews: t, common } = useT()
  return (
    <Table
      label={t.title}
      rows={rows}
      columns={[
        { head: t.product, cell: ({ product }) => <a href={`${PRODUCTS}/${product.id}/edit`}>{product.name}</a> },
        { head: t.rating, isNumeric: true, cell: ({ review }) => t.stars(review.rating) },
        { head: t.comment, isLong: true, cell: ({ review }) => review.comment },
        { head: t.author, cell: ({ author }) => fullName(author) },
        { head: common.created, cell: ({ review }) => <Time at={review.createdAt} /> },
        { head: "", cell: (row) => <Visibility {...row} /> },
      ]}
    />
  )
}

function Visibility({ review, product, author }: ReviewOfProduct) {
  const { reviews: t } = useT()
  const action = review.status === "published" ? "hide" : "show"
  return (
    <ActionButton
      action={`${REVIEWS}/${review.id}/${action}`}
      label={t[action]}
      about={`${product.name}, ${fullName(author)}`}
    />
  )
}
