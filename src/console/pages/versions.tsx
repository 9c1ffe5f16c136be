// A product's versions: uploaded with their files, changed, taken off.
import { type Context, Hono } from "hono"
import { boundaryOf } from "../../lib/multipart"
import { formFields, parseFields } from "../../license/fields"
import { readProduct } from "../../license/products/service"
import { CreateVersion, UpdateVersion, type Version } from "../../license/versions/schemas"
import { createVersion, readVersion, updateVersion } from "../../license/versions/service"
import { type Upload, withUpload } from "../../license/versions/upload"
import { done, type FormState, stateOf } from "../forms"
import { page } from "../kit/page"
import { bytes, Card, Facts } from "../kit/parts"
import { recentPassword } from "../reauthentication"
import { W } from "../strings"
import type { ConsoleEnv } from "../types"
import { product } from "./products"
import { VersionForm } from "./version-form"

type Console = Context<ConsoleEnv>

const PATH = "/console/products/:id/versions"

const productPath = (c: Console) => `/console/products/${c.req.param("id")}`

const versionPath = (c: Console) => `${productPath(c)}/versions/${c.req.param("version")}`

export const versions = new Hono<ConsoleEnv>()
  .post(PATH, recentPassword("publishes code that customers install", productPath), (c) =>
    received(c, product, async (given) => {
      const { ctx } = c.var
      const of = await readProduct(ctx, { segment: c.req.param("id") })
      const made = await given(({ fields, files }) => createVersion(ctx, of, parseFields(CreateVersion, fields), files))
      return done(`${productPath(c)}/versions/${made.versionId}`, "created")
    }),
  )
  .get(`${PATH}/:version`, (c) => show(c))
  .post(`${PATH}/:version`, recentPassword("changes code that customers install", versionPath), (c) =>
    received(c, show, async (given) => {
      const { ctx } = c.var
      const found = await readVersion(ctx, c.req.param("id"), c.req.param("version"))
      await given(({ fields, files }) => updateVersion(ctx, found, parseFields(UpdateVersion, fields), files))
      return done(versionPath(c), "saved")
    }),
  )

type Given = <Answer>(use: (upload: Upload) => Promise<Answer>) => Promise<Answer>

/** Takes a form that may bring files, which are read as they arrive; a refusal answers the page with what was typed. */
async function received(
  c: Console,
  again: (c: Console, state: FormState) => Promise<Response>,
  run: (given: Given) => Promise<string>,
): Promise<Response> {
  const boundary = boundaryOf(c.req.header("Content-Type"))
  const { body } = c.req.raw
  let values = c.var.form
  const given: Given = (use) => {
    if (boundary === null || body === null) return use({ fields: formFields(c.var.form), files: {} })
    return withUpload(c.var.ctx, { body, boundary }, (upload) => {
      values = new Map(Object.entries(upload.fields).map(([name, value]) => [name, [String(value)]]))
      return use(upload)
    })
  }
  try {
    return c.redirect(await run(given), 303)
  } catch (thrown) {
    const state = stateOf(thrown, values)
    if (!state) throw thrown
    return again(c, state)
  }
}

const fileOf = (file: Version["mainFile"]) => (file ? `${file.type}, ${bytes(file.size)}` : null)

async function show(c: Console, state?: FormState): Promise<Response> {
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
          <Facts
            of={[
              [W.versions.id, <code>{version.versionId}</code>],
              [W.versions.main, fileOf(version.mainFile)],
              [W.versions.sql, fileOf(version.sqlFile)],
            ]}
          />
        </Card>
        <Card title={W.common.edit} id="edit" writes>
          <VersionForm action={`/console/products/${of.referenceId}/versions/${version.versionId}`} version={version} />
        </Card>
      </>
    ),
  })
}
