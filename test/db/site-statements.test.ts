// Tests the check of statements against a site database: it accepts what is limited to a site, and nothing else.
import { env } from "cloudflare:workers"
import { expect, test } from "vitest"
import { isolate } from "../support/app"
import { takeViolations } from "../support/checked-database"
import { checkSiteStatement } from "../support/site-statements"

const problemsOf = (sql: string) => checkSiteStatement(sql).problems

test.each([
  "select id from posts where site_id = ?",
  `select "id" from "posts" where ("posts"."site_id" = ? and ("posts"."status" = 'published' or ? = 1)) order by "id" limit ?`,
  "select id from posts where +site_id = ? and id in (select value from json_each(?))",
  "select 1 from post_tags p join tags t on t.id = p.tag_id and t.site_id = p.site_id where p.site_id = 'acme'",
  "select 1 from posts p left join users u on u.id = p.author_id and u.site_id = ? where p.site_id = ?",
  "select (select total from counters where counters.site_id = posts.site_id) from posts where site_id = ?",
  "select 1 from posts_search cross join posts on posts.id = posts_search.rowid where posts.site_id = ? and posts_search match ?",
  "select id from posts where site_id = ? and id in (select rowid from posts_search where posts_search match ?)",
  "with recursive up (id) as (select id from media_folders where site_id = ? union select m.id from media_folders m join up on up.id = m.parent_id where m.site_id = ?) select id from up",
  "select id from posts where site_id = ? union all select id from pages where site_id = ?",
  "insert into tags (id, site_id, slug) values (null, ?, ?), (null, ?, ?) on conflict (tags.site_id, slug) do update set name = ?",
  "insert into post_tags (site_id, post_id) select ?, id from posts where site_id = ?",
  "insert into post_tags (site_id, post_id) select site_id, id from posts where site_id = ?",
  "insert into user_tokens (id, site_id, user_id) select null, ?, id from ((select id from users where site_id = ? limit 1))",
  "insert into abort_batch select 'lost_race' where changes() = 0",
  "update posts set name = ? where site_id = ? and id = ?",
  "delete from posts where site_id = ? and id = ?",
])("accepts %s", (sql) => {
  expect(problemsOf(sql)).toEqual([])
})

test.each([
  "select id from posts",
  "select id from posts where id = ?",
  "select id from posts where site_id = ? or id = ?",
  "select id from posts where not (site_id = ?)",
  "select id from posts where site_id = ? = 0",
  "select id from posts where site_id = site_id",
  "select id from posts where site_id > ?",
  "select id from posts where case when ? then site_id = ? else 1 end",
  "select id from posts where '-- ' and id = ? -- site_id = ?",
  "select 1 from posts p left join users u on u.id = p.author_id and u.site_id = ? and p.site_id = ? where u.site_id = ?",
  "select 1 from posts p join users u on u.id = p.author_id where p.site_id = ?",
  "select 1 from posts p join users u on u.site_id = p.site_id",
  "select 1 from posts p, users u where p.site_id = ?",
  "select (select count(*) from posts) from (select 1)",
  "select id from posts where site_id = ? and author_id in (select id from users where email = ?)",
  "select id from posts where site_id = ? union all select id from pages",
  "select rowid from posts_search where posts_search match ?",
  "with found as (select id from posts) select id from found",
  "insert into tags (slug) values (?)",
  "insert into tags (site_id, slug) values (?, ?), (null, ?)",
  "insert into tags (site_id, slug) select value ->> 0, value ->> 1 from json_each(?)",
  "insert into tags (site_id, hash) values (?, ?) on conflict (hash) do update set name = ?",
  "insert into post_tags (site_id, post_id) select ?, id from posts",
  "update posts set name = ? where id = ?",
  "update posts set site_id = ? where site_id = ?",
  "update posts set name = (select name from pages where id = ?) where site_id = ?",
  "delete from posts",
  "delete from posts where id in (select id from posts where site_id = ?)",
  "select id from (posts join users on 1) where site_id = ?",
  "select id from a_new_table where id = ?",
])("rejects %s", (sql) => {
  expect(problemsOf(sql)).not.toEqual([])
})

test("records a statement of the Worker that names no site, and one that needs no exception", async () => {
  const { SITES_1 } = isolate.env as unknown as { SITES_1: D1Database }
  await SITES_1.prepare("select id from posts").all()
  await SITES_1.withSession().prepare("delete from posts where id = 1").run()
  SITES_1.prepare("select id from posts where /* across sites: media_sweep */ site_id = 'acme'")
  SITES_1.prepare("select id from posts where /* across sites: media_sweep */ id = 1")
  await env.SITES_1.prepare("select id from posts").all()
  expect(takeViolations()).toEqual([
    "posts has no condition on site_id: select id from posts",
    "posts has no condition on site_id: delete from posts where id = 1",
    "names its site and needs no exception: select id from posts where /* across sites: media_sweep */ site_id = 'acme'",
  ])
})
