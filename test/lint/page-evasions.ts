// Evasions of the rules for pages: an app's page without the app's gate, and texts in props of components.
import type { Rule } from "./cases.ts"
import { vary } from "./vary.ts"

const ROUTES = `import { readMessage, removeMessage } from "../../apps/contact/service"
import { listReviewsOfSite } from "../../apps/reviews/service"
import { type AdminContext, createAdminPages, requireRole } from "../access"
import { requireMessages, requireReviews } from "../apps"
import { getCtx } from "../session"
const read = async (c: AdminContext) => c.json(await readMessage(getCtx(c), "1"))
const list = async (c: AdminContext) =>
  c.json(await listReviewsOfSite(getCtx(c), { status: "published", page: 1 }, 9))
`

export const PAGE_EVASIONS: Rule[] = [
  vary(
    {
      rule: "a page that uses an app's service has the app's gate",
      by: "lint",
      file: "src/admin/pages/*.tsx",
      legal: `import type { Message } from "../../apps/contact/service"
import { CONTACT_STATUSES } from "../../apps/contact/tables"
// lint: every shop has customers
import { readCustomer } from "../../apps/ecommerce/customers/service"
${ROUTES}export const idOf = (message: Message) => message.id
export const legal = createAdminPages()
  .get("/a", requireMessages, read)
  .get("/b", requireMessages, requireReviews, async (c) => c.json([await read(c), await list(c)]))
  .get("/c", (c) => c.json({ read: c.req.query("list"), statuses: CONTACT_STATUSES }))
  .get("/d", async (c) => c.json(await readCustomer(getCtx(c), "1")))
  // lint: the start page serves several apps
  .get("/e", list)
  .post("/a", requireRole("editor"), requireMessages, async (c) => {
    await removeMessage(getCtx(c), "1")
    return c.redirect("/admin", 303)
  })`,
      error: "has the app's gate",
    },
    `${ROUTES}export const run = createAdminPages().get("/a", (c) => read(c))`,
    `${ROUTES}export const run = createAdminPages().post("/a", requireRole("editor"), async (c) => {
  await removeMessage(getCtx(c), "1")
  return c.redirect("/admin", 303)
})`,
    // The gate of another app, and one of two gates.
    `${ROUTES}export const run = createAdminPages().get("/a", requireReviews, read)`,
    `${ROUTES}export const run = createAdminPages().get("/a", requireMessages, async (c) => c.json([await read(c), await list(c)]))`,
    // Through an object, a component and a namespace.
    `${ROUTES}const services = { find: readMessage }
const Message = async ({ c }: { c: AdminContext }) => <p>{(await services.find(getCtx(c), "1")).id}</p>
const pages = createAdminPages()
pages.get("/a", (c) => c.html(<Message c={c} />))`,
    `import * as messages from "../../apps/contact/service"
import { createAdminPages } from "../access"
import { getCtx } from "../session"
export const run = createAdminPages().get("/a", async (c) => c.json(await messages.readMessage(getCtx(c), "1")))`,
  ),
  vary(
    {
      rule: "texts of pages are translated",
      by: "lint",
      file: "src/admin/pages/*.tsx",
      legal: `import { ActionButton } from "../../page-kit/form"
const List = (props: { emptyText: string; unit: string; kind: string; class: string }) => <p>{props.emptyText}</p>
export const Name = ({ t, isNew }: { t: { create: string; save: string; none: string }; isNew: boolean }) => (
  <>
    <ActionButton action={"/admin/orders/" + "new"} label={isNew ? t.create : t.save} />
    <List emptyText={t.none} unit="%" kind={isNew ? "new" : "old"} class="wide list" />
    <input name="company" autocomplete="organization" aria-describedby="company-hint tax-hint" />
  </>
)
export const column = { head: "PDF", text: "orders" }`,
      error: "texts of pages are translated",
    },
    `import { ActionButton } from "../../page-kit/form"
export const Name = () => <ActionButton action="/admin/orders" label="Create" />`,
    ...[
      'submitLabel="Create"',
      'submitLabel={"create"}',
      'submitLabel={isNew ? "Create" : t.save}',
      'submitLabel={t.create ?? "Create"}',
      `submitLabel={\`Create \${t.name}\`}`,
      'emptyText="no orders"',
      'hint="Optional."',
      'aria-description="Sorted by name"',
      'prompt="Delete?"',
      'confirm="are you sure"',
    ].map(
      (prop) => `import { Form } from "./form"
export const Name = ({ t, isNew }: { t: Record<string, string>; isNew: boolean }) => <Form isNew={isNew} t={t} ${prop} />`,
    ),
    `export const Name = () => <>{"Open orders"}</>`,
    `export const Name = ({ n }: { n: number }) => <p>{\`\${n} orders\`}</p>`,
    `export const Name = ({ t }: { t: { open?: string } }) => <p>{t.open || "Open"}</p>`,
    `export const column = { head: "Orders", emptyText: "None yet" }
export const Name = () => <p />`,
    `export const form = (isNew: boolean) => ({ submitLabel: isNew ? "Create" : "Save" })
export const Name = () => <p />`,
  ),
]
