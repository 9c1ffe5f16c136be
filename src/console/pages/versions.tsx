// Creates and edits product versions and uploads their files.
import { type Context, Hono } from "hono"
import { boundaryOf } from "../../lib/multipart"
import { formFields, parseFields } from "../../license/fields"
import { readProduct } from "../../license/products/service"
import { CreateVersion, UpdateVersion, type Version } from "../../license/versions/schemas"
import { createVersion, readVersion, updateVersion } from "../../license/versions/service"
import { type Upload, withUpload } from "../../license/versions/upload"
import { type FormState, toFormState, withNotice } from "../forms"
import { page } from "../kit/page"
import { Card, DescriptionList, formatBytes } from "../kit/parts"
import { recentPassword } from "../reauthentication"
import { W } from "../strings"
import type { ConsoleEnv } from "../types"
import { renderProduct } from "./products"
import { VersionForm } from "./version-form"

type Console = Context<ConsoleEnv>

const PATH = "/console/products/:id/versions"

const getProductPath = (c: Console) => `/console/products/${c.req.param("id")}`

const getVersionPath = (c: Console) => `${getProductPath(c)}/versions/${c.req.param("version")}`

export const versions = new Hono<ConsoleEnv>()
  .post(PATH, recentPassword("publish a version that customers install", getProductPath), (c) =>
    handleVersionForm(c, renderProduct, async (given) => {
      const { ctx } = c.var
      const of = await readProduct(ctx, { segment: c.req.param("id") })
      const made = await given(({ fields, files }) => createVersion(ctx, of, parseFields(CreateVersion, fields), files))
      return withNotice(`${getProductPath(c)}/versions/${made.versionId}`, "created")
    }),
  )
  .get(`${PATH}/:version`, (c) => renderVersion(c))
  .post(`${PATH}/:version`, recentPassword("change a version that customers install", getVersionPath), (c) =>
    handleVersionForm(c, renderVersion, async (given) => {
      const { ctx } = c.var
      const found = await readVersion(ctx, c.req.param("id"), c.req.param("version"))
      await given(({ fields, files }) => updateVersion(ctx, found, parseFields(UpdateVersion, fields), files))
      return withNotice(getVersionPath(c), "saved")
    }),
  )

type WithUpload = <Answer>(use: (upload: Upload) => Promise<Answer>) => Promise<Answer>

/** Handles a form that may contain files, which are streamed. A refusal renders the page again with the submitted values. */
async function handleVersionForm(
  c: Console,
  again: (c: Console, state: FormState) => Promise<Response>,
  run: (given: WithUpload) => Promise<string>,
): Promise<Response> {
  const boundary = boundaryOf(c.req.header("Content-Type"))
  const { body } = c.req.raw
  let values = c.var.form
  const given: WithUpload = (use) => {
    if (boundary === null || body === null) return use({ fields: formFields(c.var.form), files: {} })
    return withUpload(c.var.ctx, { body, boundary }, (upload) => {
      values = new Map(Object.entries(upload.fields).map(([name, value]) => [name, [String(value)]]))
      return use(upload)
    })
  }
  try {
    return c.redirect(await run(given), 303)
  } catch (thrown) {
    const state = toFormState(thrown, values)
    if (!state) throw thrown
    return again(c, state)
  }
}

const describeFile = (file: Version["mainFile"]) => (file ? `${file.type}, ${formatBytes(file.size)}` : null)

async function renderVersion(c: Console, state?: FormState): Promise<Response> {
  const { version, product: of } = await readVersion(c.var.ctx, c.req.param("id") ?? "", c.req.param("version") ?? "")
  return page(c, {
    title: `${of.name} ${version.version}`,
    crumbs: [
      [W.products.title, "/console/products"],
      [of.name, `/console/products/${of.referenceId}`],
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
        <Card title={W.common.edit} id="edit" isForm>
          <VersionForm action={`/console/products/${of.referenceId}/versions/${version.versionId}`} version={version} />
        </Card>
      </>
    ),
  })
}
