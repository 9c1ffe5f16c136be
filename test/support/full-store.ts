// Creates a store with every kind of data, marked by strings that identify leaks, and its users.
import { saveOfflineSettings } from "../../src/platform/orders/settings"
import { platform, run, type TestResponse } from "./app"
import { createAppItems } from "./app-requests"
import { runOperatorCommand } from "./blog-factories"
import { content, hostOfStore, makeUser } from "./content-factories"
import { makeKey, makePlan, makeReadyStore } from "./factories"
import { makeServerKey } from "./key-factories"

function assertSuccess({ status, text, body }: TestResponse, label: string) {
  if (status >= 300) throw new Error(`${label} returned ${status} ${text}`)
  return body.data ?? body
}

/** Creates a store with an unlimited plan and every app enabled. */
export async function makeUnlimitedStore() {
  const token = await makeKey()
  const plan = await makePlan()
  const id = await makeReadyStore({ plan: plan.slug })
  for (const { slug } of assertSuccess(await platform("GET", `/stores/${id}/apps`, { token }), "apps"))
    assertSuccess(await platform("POST", `/stores/${id}/apps/${slug}/enable`, { token }), slug)
  return { id, host: hostOfStore(id), plan: plan.slug, staff: await makeUser(id, { isStaff: true }) }
}

/**
 * Creates a store with every kind of data.
 * @param secret a string in all content of the store
 * @param personal a string in the data of the customer `alice`
 */
export async function makeFullStore(secret: string, personal: string) {
  const store = await makeUnlimitedStore()
  const { id: site, host, staff } = store
  const alice = await makeUser(site, { firstName: personal })
  const as = async (token: string, method: string, path: string, json: object) =>
    assertSuccess(await content(method, path, { host, token, json }), path)
  const category = await runOperatorCommand("categories:save", { site, name: secret, slug: "cat" })
  const tag = await runOperatorCommand("tags:save", { site, name: secret, slug: "tag" })
  const post = await runOperatorCommand("posts:save", {
    site,
    name: secret,
    slug: "post",
    content: secret,
    categories: "cat",
  })
  const page = await runOperatorCommand("pages:save", { site, name: secret, slug: "page", content: secret })
  await runOperatorCommand("api:send-notification", { site, title: personal, message: personal, target: "all" })
  const headers = { "X-API-KEY": await makeServerKey(site, "internal") }
  const folder = assertSuccess(
    await content("POST", "/media/folders", { host, headers, json: { name: secret } }),
    "folder",
  )
  const upload = async (folderId: number) => {
    const body = new FormData()
    body.set("file", new Blob([secret], { type: "text/plain" }), `${secret}.txt`)
    body.set("folder_id", String(folderId))
    return assertSuccess(await content("POST", "/media/files", { host, headers, body }), "file")
  }
  const file = await upload(folder.id)
  // Only the file's own row identifies its site.
  const inRoot = await upload(0)
  const items = await createAppItems(
    {
      staff: (path, json) => as(staff.token, "POST", path, json),
      customer: (path, json) => as(alice.token, "POST", path, json),
    },
    { secret, personal },
  )
  const device = await as(alice.token, "POST", "/device-tokens", { token: personal, device_id: personal })
  await run((ctx) => saveOfflineSettings(ctx, { enabled: true }))
  const other = await makePlan()
  const transfer = await as(staff.token, "POST", "/billing/orders", { plan: other.slug, note: secret })
  return {
    ...store,
    alice,
    key: headers["X-API-KEY"],
    reference: transfer.reference as string,
    file: file.url as string,
    ids: [
      ...new Set<number>(
        [category, tag, post, page, folder, file, inRoot, ...Object.values(items), device, alice].map(({ id }) => id),
      ),
    ],
  }
}
