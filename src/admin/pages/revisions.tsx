// The revisions of a post or page: list, comparison with the current version, and restore.
import type { Context } from "hono"
import { listRevisions, readRevision } from "../../content/blog/revisions"
import type { EditorCtx } from "../../content/editor"
import { type Change, diff } from "../../lib/diff"
import { ActionButton } from "../../page-kit/form"
import { Card, EmptyState, Time } from "../../page-kit/parts"
import { Table } from "../../page-kit/table"
import { createAdminPages, requireRole } from "../access"
import { withNotice } from "../forms"
import { page } from "../page"
import { getEditorCtx, getReaderCtx } from "../session"
import type { AdminEnv } from "../types"
import { useT } from "../view"
import { contentPath, itemPath } from "./content-list"

/** The texts of a version. */
interface Version {
  name: string
  description: string | null
  content: string
  image: string | null
  template?: string | null
}

interface Subject extends Version {
  id: number
  savedByName: string | null
  updatedAt: Date
}

interface RevisionOptions {
  kind: "posts" | "pages"
  subject: "post" | "page"
  /** Reads the current version. */
  load: (c: Context<AdminEnv>) => Promise<Subject>
  restore: (ctx: EditorCtx, segment: string, number: string) => Promise<unknown>
}

/** Creates the pages of the revisions of posts, or of pages. */
export function createRevisionPages({ kind, subject, load, restore }: RevisionOptions) {
  const base = contentPath(kind)
  return createAdminPages()
    .get(`${base}/:id/revisions`, async (c) => {
      const { content: t } = c.var.strings
      const [present, revisions] = await Promise.all([
        load(c),
        listRevisions(getReaderCtx(c), subject, c.req.param("id")),
      ])
      const rows = [
        { number: null, name: present.name, savedByName: present.savedByName, createdAt: present.updatedAt },
        ...revisions,
      ]
      return page(c, {
        title: t.revisions,
        crumbs: [
          [t.nav[kind], base],
          [present.name, itemPath(kind, present.id)],
        ],
        children: revisions.length ? (
          <>
            <p class="sub">{t.revisions_body}</p>
            <Table
              label={t.revisions}
              rows={rows}
              columns={[
                {
                  head: t.version,
                  cell: ({ number }) =>
                    number === null ? (
                      t.present
                    ) : (
                      <a href={itemPath(kind, present.id, `revisions/${number}`)}>{t.revision(number)}</a>
                    ),
                },
                { head: t.title, isLong: true, cell: ({ name }) => name },
                { head: t.saved_by, cell: ({ savedByName }) => savedByName ?? t.unknown_author },
                { head: t.saved_at, cell: ({ createdAt }) => <Time at={createdAt} /> },
              ]}
            />
          </>
        ) : (
          <EmptyState text={t.no_revisions} />
        ),
      })
    })
    .get(`${base}/:id/revisions/:n`, async (c) => {
      const { content: t } = c.var.strings
      const { id, n } = c.req.param()
      const [present, revision] = await Promise.all([load(c), readRevision(getReaderCtx(c), subject, id, n)])
      return page(c, {
        title: t.revision(revision.number),
        crumbs: [
          [t.nav[kind], base],
          [present.name, itemPath(kind, present.id)],
          [t.revisions, itemPath(kind, present.id, "revisions")],
        ],
        children: (
          <>
            <p>
              {revision.savedByName ?? t.unknown_author}, <Time at={revision.createdAt} isExact />
            </p>
            <Comparison before={revision} after={present} />
            <p class="sub">{t.restore_body}</p>
            <ActionButton
              action={itemPath(kind, present.id, `revisions/${revision.number}/restore`)}
              label={t.restore}
            />
          </>
        ),
      })
    })
    .post(`${base}/:id/revisions/:n/restore`, requireRole("editor"), async (c) => {
      const { id, n } = c.req.param()
      await restore(getEditorCtx(c), id, n)
      return c.redirect(withNotice(itemPath(kind, id), "content_restored"), 303)
    })
}

function Comparison({ before, after }: { before: Version; after: Version }) {
  const { content: t } = useT()
  const fields = [
    [t.title, before.name, after.name],
    [t.summary, before.description, after.description],
    [t.text, before.content, after.content],
    [t.cover, before.image, after.image],
    // The revision of a post has no template.
    [t.template, before.template, before.template && after.template],
  ] as const
  const changed = fields.filter(([, old, present]) => (old ?? "") !== (present ?? ""))
  if (!changed.length) return <EmptyState text={t.same} />
  return (
    <>
      <p class="sub">{t.compare_body}</p>
      {changed.map(([label, old, present]) => (
        <Card title={label}>
          <TextDiff before={old ?? ""} after={present ?? ""} />
        </Card>
      ))}
    </>
  )
}

const BLOCK_END = /(<\/(?:p|div|h[1-6]|li|ul|ol|blockquote|pre|figure|table|tr)>|<br>)(?!\n|$)/gi

/** Lines of a text; each block of HTML begins a new one. */
const toLines = (text: string): string[] => (text ? text.replace(BLOCK_END, "$1\n").split("\n") : [])

const toWords = (lines: readonly string[]): string[] =>
  lines
    .join("\n")
    .split(/(\s+|<[^<>]*>)/)
    .filter(Boolean)

/** Unchanged lines next to a change that are shown. */
const CONTEXT_LINES = 2

/** The lines of two texts, with the words that differ. */
function TextDiff({ before, after }: { before: string; after: string }) {
  const changes = diff(toLines(before), toLines(after))
  return (
    <div class="diff">
      {changes.map((change, index) => {
        if (change.kind === "same")
          return <Unchanged lines={change.items} isFirst={index === 0} isLast={index === changes.length - 1} />
        const previous = changes[index - 1]
        // The replacing lines are shown with those that they replace.
        if (change.kind === "added" && previous?.kind === "removed") return null
        const next = changes[index + 1]
        const words =
          change.kind === "removed" && next?.kind === "added"
            ? diff(toWords(change.items), toWords(next.items))
            : [{ kind: change.kind, items: [change.items.join("\n")] }]
        return <p>{words.map(renderWords)}</p>
      })}
    </div>
  )
}

function renderWords({ kind, items }: Change) {
  const text = items.join("")
  if (kind === "same") return text
  return kind === "removed" ? <del>{text}</del> : <ins>{text}</ins>
}

function Unchanged({ lines, isFirst, isLast }: { lines: string[]; isFirst: boolean; isLast: boolean }) {
  const { content: t } = useT()
  const head = isFirst ? [] : lines.slice(0, CONTEXT_LINES)
  const tail = isLast ? [] : lines.slice(Math.max(head.length, lines.length - CONTEXT_LINES))
  const hidden = lines.length - head.length - tail.length
  return (
    <>
      {head.length > 0 && <p>{head.join("\n")}</p>}
      {hidden > 0 && <p class="sub">{t.unchanged_lines(hidden)}</p>}
      {tail.length > 0 && <p>{tail.join("\n")}</p>}
    </>
  )
}
