// The reviews of a store's products: list, hide, show and delete.
import * as z from "zod"
import { reviews } from "../../../apps/reviews/manifest"
import type { ReviewOfProduct } from "../../../apps/reviews/schemas"
import { listReviewsOfSite, readReview, removeReview, setReviewStatus } from "../../../apps/reviews/service"
import { REVIEW_STATUSES } from "../../../apps/reviews/tables"
import { queryNumber } from "../../../core/http/validation"
import { fullName } from "../../../lib/full-name"
import { SelectFilter } from "../../../page-kit/filters"
import { ActionButton } from "../../../page-kit/form"
import { EmptyState, Pager, Time } from "../../../page-kit/parts"
import { Table } from "../../../page-kit/table"
import { harmless } from "../../form-access"
import { pathParam } from "../../form-handler"
import { handleForm, NoFields } from "../../forms"
import { Filters } from "../../kit/filters"
import { withNotice } from "../../notices"
import { parseQuery } from "../../query-params"
import { createPages } from "../../router"
import { W } from "../../strings"
import { getSitePath, sitePage, withSiteCrumbs } from "../site-page"
import { AppState, type C, getReaderCtx, getStaffCtx, PER_PAGE, SITE } from "./shared"

const PATH = `${SITE}/reviews`

const { reviews: T } = W.shop

const listPath = (c: C) => `${getSitePath(c)}/reviews`

const ReviewQuery = z.object({
  page: queryNumber(100_000).default(1),
  status: z.enum(REVIEW_STATUSES).default("published"),
})

export const shopReviews = createPages()
  .get(PATH, (c) => renderReviews(c))
  .post(`${PATH}/:id/hide`, harmless("support"), (c) => setStatus(c, "hidden"))
  .post(`${PATH}/:id/show`, harmless("support"), (c) => setStatus(c, "published"))
  .confirmed(`${PATH}/:id/delete`, {
    roles: ["support"],
    schema: NoFields,
    async preview(c) {
      const { review, author } = await readReview(await getReaderCtx(c), pathParam(c, "id"))
      return {
        title: T.delete_title,
        crumbs: withSiteCrumbs(c, [[T.title, listPath(c)]]),
        back: listPath(c),
        state: [review.siteId, review.id, review.updatedAt],
        changes: [{ label: fullName(author), before: review.comment ?? review.rating, after: W.common.none }],
        effects: T.delete_effects,
        submitLabel: T.delete,
      }
    },
    async run(c) {
      await removeReview(await getStaffCtx(c), pathParam(c, "id"))
      return withNotice(listPath(c), "deleted")
    },
    renderForm: renderReviews,
  })

const setStatus = (c: C, status: (typeof REVIEW_STATUSES)[number]) =>
  handleForm(
    c,
    NoFields,
    async () => {
      const id = pathParam(c, "id")
      await setReviewStatus(await getStaffCtx(c), id, status)
      return withNotice(listPath(c), status === "hidden" ? "review_hidden" : "review_shown", id)
    },
    () => renderReviews(c),
  )

async function renderReviews(c: C) {
  const { input } = parseQuery(c, ReviewQuery)
  const ctx = await getReaderCtx(c)
  const { rows, hasMore } = await listReviewsOfSite(ctx, input, PER_PAGE)
  return sitePage(c, {
    title: T.title,
    children: (
      <>
        <AppState site={ctx.site} app={reviews} />
        <Filters>
          <SelectFilter
            name="status"
            anyLabel={T.statuses.published}
            choices={[{ value: "hidden", label: T.statuses.hidden }]}
          />
        </Filters>
        {rows.length === 0 ? <EmptyState text={T.empty} /> : <ReviewTable rows={rows} site={getSitePath(c)} />}
        <p class="sub">{T.hint}</p>
        <Pager page={input.page} pageSize={PER_PAGE} hasMore={hasMore} />
      </>
    ),
  })
}

/** A table of reviews with their actions. */
export const ReviewTable = ({ rows, site }: { rows: readonly ReviewOfProduct[]; site: string }) => (
  <Table
    label={T.title}
    rows={rows}
    columns={[
      { head: T.product, cell: ({ product }) => <a href={`${site}/products/${product.id}`}>{product.name}</a> },
      { head: T.rating, isNumeric: true, cell: ({ review }) => review.rating },
      { head: T.comment, isLong: true, cell: ({ review }) => review.comment },
      {
        head: T.author,
        cell: ({ author, review }) => <a href={`${site}/users/${review.userId}`}>{fullName(author)}</a>,
      },
      { head: W.common.created, cell: ({ review }) => <Time at={review.createdAt} /> },
      {
        head: W.common.actions,
        hasActions: true,
        cell: (row) => <Actions row={row} path={`${site}/reviews/${row.review.id}`} />,
      },
    ]}
  />
)

function Actions({ row: { review, product, author }, path }: { row: ReviewOfProduct; path: string }) {
  const action = review.status === "published" ? "hide" : "show"
  const about = `${product.name}, ${fullName(author)}`
  return (
    <div class="acts">
      <ActionButton action={`${path}/${action}`} label={T[action]} about={about} />
      <ActionButton action={`${path}/delete`} label={T.delete} about={about} danger />
    </div>
  )
}
