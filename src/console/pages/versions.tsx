// Creates and edits product versions and uploads their files.
import type { Context } from "hono"
import type { Precondition } from "../../core/http/precondition"
import { boundaryOf } from "../../lib/multipart"
import { formFields, parseFields } from "../../license/fields"
import { readProduct } from "../../license/products/service"
import { CreateVersion, UpdateVersion, type Version } from "../../license/versions/schemas"
import { createVersion, readVersion, updateVersion } from "../../license/versions/service"
import { type Upload, withUpload } from "../../license/versions/upload"
import { Disclosure } from "../../page-kit/disclosure"
import type { FormState } from "../../page-kit/form-state"
import { Card, DescriptionList, formatBytes } from "../../page-kit/parts"
import { createVersionGuard } from "../../page-kit/version-guard"
import { recentPassword } from "../form-access"
import { omitUnchangedDays, toFormState } from "../forms"
import { page } from "../kit/page"
import { withNotice } from "../notices"
import { createPages } from "../router"
import { W } from "../strings"
import type { ConsoleEnv } from "../types"
import { renderProduct } from "./products"
import { VersionForm } from "./version-form"

type Console = Context<ConsoleEnv>

const PATH = "/console/products/:id/versions"

const getProductPath = (c: Console) => `/console/products/${c.req.param("id")}`

const getVersionPath = (c: Console) => `${getProductPath(c)}/versions/${c.req.param("version")}`

export const versions = createPages()
  .post(PATH, recentPassword("support", "publish a version that customers install", getProductPath), (c) =>
    handleVersionForm(c, renderProduct, async (withFiles) => {
      const { ctx } = c.var
      const product = await readProduct(ctx, { segment: c.req.param("id") })
      const version = await withFiles(({ fields, files }) =>
        createVersion(ctx, product, parseFields(CreateVersion, fields), files),
      )
      return withNotice(`${getProductPath(c)}/versions/${version.versionId}`, "created")
    }),
  )
  .get(`${PATH}/:version`, (c) => renderVersion(c))
  .post(`${PATH}/:version`, recentPassword("support", "change a version that customers install", getVersionPath), (c) =>
    handleVersionForm(c, renderVersion, async (withFiles) => {
      const { ctx } = c.var
      const found = await readVersion(ctx, c.req.param("id"), c.req.param("version"))
      const { releasedAt: released_at } = found.version
      await withFiles(({ fields, files }, assertUnchanged) => {
        const input = parseFields(UpdateVersion, omitUnchangedDays(fields, { released_at }))
        return updateVersion(ctx, found, input, files, assertUnchanged)
      })
      return withNotice(getVersionPath(c), "saved")
    }),
  )

/** Reads the submitted fields and files, and passes them to `use`. */
type WithFiles = <Result>(use: (upload: Upload, assertUnchanged: Precondition) => Promise<Result>) => Promise<Result>

/**
 * Handles a form that may contain files, which are streamed. A refusal renders the page again with the submitted
 * values.
 */
async function handleVersionForm(
  c: Console,
  renderForm: (c: Console, state: FormState) => Promise<Response>,
  run: (withFiles: WithFiles) => Promise<string>,
): Promise<Response> {
  const boundary = boundaryOf(c.req.header("Content-Type"))
  const { body } = c.req.raw
  let values = c.var.form
  let guard = createVersionGuard(values)
  const withFiles: WithFiles = (use) => {
    if (boundary === null || body === null)
      return use({ fields: formFields(c.var.form), files: {} }, guard.assertUnchanged)
    return withUpload(c.var.ctx, { body, boundary }, (upload) => {
      values = new Map(Object.entries(upload.fields).map(([name, value]) => [name, [String(value)]]))
      guard = createVersionGuard(values)
      return use(upload, guard.assertUnchanged)
    })
  }
  try {
    return c.redirect(await run(withFiles), 303)
  } catch (thrown) {
    const state = toFormState(thrown, values)
    if (!state) throw thrown
    return renderForm(c, guard.refresh(state))
  }
}

const describeFile = (file: Version["mainFile"]) => (file ? `${file.type}, ${formatBytes(file.size)}` : null)

async function renderVersion(c: Console, state?: FormState): Promise<Response> {
  const { version, product } = await readVersion(c.var.ctx, c.req.param("id") ?? "", c.req.param("version") ?? "")
  return page(c, {
    title: `${product.name} ${version.version}`,
    crumbs: [
      [W.products.title, "/console/products"],
      [product.name, `/console/products/${product.referenceId}`],
    ],
    state,
    children: (
      <>
        <Card title={W.versions.files}>
          <DescriptionList
            items={[
              [W.versions.id, <code>{version.versionId}</code>],
              [W.versions.main, describeFile(version.mainFile)],
              [W.versions.sql, describeFile(version.sqlFile)],
            ]}
          />
        </Card>
        <Disclosure
          label={W.common.edit}
          id="edit"
          action={`/console/products/${product.referenceId}/versions/${version.versionId}`}
        >
          <VersionForm
            action={`/console/products/${product.referenceId}/versions/${version.versionId}`}
            version={version}
          />
        </Disclosure>
      </>
    ),
  })
}
