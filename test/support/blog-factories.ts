// Creates posts, categories, tags and pages for tests, through the operator commands that the seed uses.
import { env } from "cloudflare:workers"
import { sendOperatorCommand } from "./app"
import { nextSerial } from "./serial"

/** Runs an operator command and returns its data. */
export async function runOperatorCommand<Data = { id: number; slug: string; name: string }>(
  command: string,
  input: object,
): Promise<Data> {
  const response = await sendOperatorCommand(command, input)
  if (response.status !== 200) throw new Error(`${command} returned ${response.status} ${response.text}`)
  return response.body.data
}

/** Creates a factory that saves a resource, with a unique name and slug by default. */
const createFactory =
  (command: string, noun: string) =>
  (overrides: Record<string, unknown> = {}) => {
    const number = nextSerial()
    return runOperatorCommand(command, { name: `${noun} ${number}`, slug: `${noun}-${number}`, ...overrides })
  }

export const makePost = createFactory("posts:save", "post")
export const makeCategory = createFactory("categories:save", "category")
export const makeTag = createFactory("tags:save", "tag")
export const makePage = createFactory("pages:save", "page")

/** Inserts `count` posts directly into the table, created a minute apart, the last being the newest. */
export const insertPosts = (siteId: string, count: number, options: { status?: string; word?: string } = {}) =>
  env.SITES_1.prepare(
    `with recursive n (i) as (select 1 union all select i + 1 from n where i < ?2)
     insert into posts (site_id, slug, name, name_key, content, status, is_featured, search_text, created_at, updated_at)
     select ?1, ?4 || '-' || i, 'Post ' || i, 'post ' || i, 'x', ?3, 0, ?4 || ' text ' || i, i * 60000, i * 60000 from n`,
  )
    .bind(siteId, count, options.status ?? "published", options.word ?? "filler")
    .run()

/** Inserts `count` categories directly into the table, created a minute apart, the last being the newest. */
export const insertCategories = (siteId: string, count: number) =>
  env.SITES_1.prepare(
    `with recursive n (i) as (select 1 union all select i + 1 from n where i < ?2)
     insert into categories (site_id, slug, name, name_key, parent_id, created_at, updated_at)
     select ?1, 'filler-' || i, 'Category ' || i, 'category ' || i, 0, i * 60000, i * 60000 from n`,
  )
    .bind(siteId, count)
    .run()

/** Links every post of the central site to each of its categories and tags. */
export const linkAllPosts = () =>
  env.SITES_1.batch(
    [
      ["post_categories", "categories"],
      ["post_tags", "tags"],
    ].map(([relation, table]) =>
      env.SITES_1.prepare(
        `insert or ignore into ${relation} select posts.site_id, ${table}.id, posts.id from posts, ${table}
         where posts.site_id = 'central' and ${table}.site_id = 'central'`,
      ),
    ),
  )
