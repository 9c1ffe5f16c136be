// What tests of the blog are made of: posts, categories, tags and pages, saved through the operator's commands as the seed does.
import { env } from "cloudflare:workers"
import { call } from "./app"

let serial = 0

/** Runs an operator command and answers its data. */
export async function operator<Data = { id: number; slug: string; name: string }>(
  command: string,
  input: object,
): Promise<Data> {
  const token = (env as unknown as { OPERATOR_TOKEN: string }).OPERATOR_TOKEN
  const answer = await call("POST", `/api/operator/v1/${command}`, { token, json: input })
  if (answer.status !== 200) throw new Error(`${command} answered ${answer.status} ${answer.text}`)
  return answer.body.data
}

/** Saves something under a name of its own unless `given` has one. */
const maker =
  (command: string, what: string) =>
  (given: Record<string, unknown> = {}) => {
    const number = ++serial
    return operator(command, { name: `${what} ${number}`, slug: `${what}-${number}`, ...given })
  }

export const makePost = maker("posts:save", "post")
export const makeCategory = maker("categories:save", "category")
export const makeTag = maker("tags:save", "tag")
export const makePage = maker("pages:save", "page")

/** Many published posts at once, straight into the table: `count` of them, dated a minute apart, the last the newest. */
export const fillPosts = (siteId: string, count: number, given: { status?: string; word?: string } = {}) =>
  env.SITES_1.prepare(
    `with recursive n (i) as (select 1 union all select i + 1 from n where i < ?2)
     insert into posts (site_id, slug, name, name_key, content, status, is_featured, search_text, created_at, updated_at)
     select ?1, ?4 || '-' || i, 'Post ' || i, 'post ' || i, 'x', ?3, 0, ?4 || ' text ' || i, i * 60000, i * 60000 from n`,
  )
    .bind(siteId, count, given.status ?? "published", given.word ?? "filler")
    .run()

/** Puts every post of the central site into each of its categories and under each of its tags. */
export const relateAll = () =>
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
