// Tests the statements that a scope builds.
import { eq, type SQLWrapper, sql } from "drizzle-orm"
import { expect, test } from "vitest"
import { siteDatabase } from "../../src/db/client"
import { param, prepareSiteRead } from "../../src/db/prepared"
import { categories, posts, postTags, tags } from "../../src/db/schema/sites/posts"
import { users } from "../../src/db/schema/sites/users"
import { acrossSites, foundById, inSite, inSiteById } from "../../src/db/site-scope"
import { isolate } from "../support/app"
import { checkSiteStatement } from "../support/site-statements"

/** Returns the text of a statement that Drizzle built. */
const sqlOf = (statement: unknown): string =>
  (statement as SQLWrapper & { toSQL(): { sql: string } }).toSQL().sql.replaceAll('"', "")

const db = () => siteDatabase(isolate.env, "SITES_1", "acme")

test("limits selects and the tables that they join to the site", () => {
  const { id } = posts
  const byTag = eq(tags.id, postTags.tagId)
  expect([
    sqlOf(db().select({ id }).from(posts)),
    sqlOf(db().select({ id }).from(posts).where(eq(id, 1)).limit(1)),
    sqlOf(db().select({ id: tags.id }).from(postTags).innerJoin(tags, byTag).where(eq(postTags.postId, 1))),
    sqlOf(db().select({ id }).from(posts).leftJoin(users, eq(users.id, posts.authorId))),
    sqlOf(db().selectDistinct({ id: tags.id }).from(postTags).crossJoin(tags).where(byTag)),
    sqlOf(db().select({ id }).from(foundById(posts)).where(sql`${id} in (1)`)),
    sqlOf(db().select({ one: sql`1` }).from(sql`(select 1)`)),
  ]).toEqual([
    "select id from posts where posts.site_id = ?",
    "select id from posts where (posts.site_id = ? and posts.id = ?) limit ?",
    "select tags.id from post_tags inner join tags on (+tags.site_id = ? and tags.id = post_tags.tag_id) where (post_tags.site_id = ? and post_tags.post_id = ?)",
    "select posts.id from posts left join users on (+users.site_id = ? and users.id = posts.author_id) where posts.site_id = ?",
    "select distinct tags.id from post_tags cross join tags where (post_tags.site_id = ? and +tags.site_id = ? and tags.id = post_tags.tag_id)",
    "select id from posts where (+posts.site_id = ? and posts.id in (1))",
    "select 1 from (select 1)",
  ])
})

test("refuses joins that return rows of another table without a match", () => {
  const byAuthor = eq(users.id, posts.authorId)
  const select = () => db().select({ email: users.email }).from(posts)
  for (const join of [() => select().rightJoin(users, byAuthor), () => select().fullJoin(users, byAuthor)])
    expect(join).toThrow("inner, left and cross joins only")
})

test("limits a prepared read to the site of its values", () => {
  const selectTag = prepareSiteRead<{ id: number }, { site: string; slug: string }>((site) =>
    site
      .select({ id: tags.id })
      .from(tags)
      .where(eq(tags.slug, param("slug"))),
  )
  const { sql: text, params } = selectTag({ site: "acme", slug: "news" })
  expect([text.replaceAll('"', ""), params]).toEqual([
    "select id from tags where (tags.site_id = ? and tags.slug = ?)",
    ["acme", "news"],
  ])
})

test("sets the site of new rows and limits changes to it", () => {
  const row = { name: "a", nameKey: "a", slug: "a", createdAt: new Date(), updatedAt: new Date() }
  const otherSite = { ...row, siteId: "other" }
  const insertion = inSite("acme").insert(tags).values([row, otherSite]) as unknown as {
    toSQL(): { params: unknown[] }
  }
  expect(insertion.toSQL().params.filter((value) => value === "acme" || value === "other")).toEqual(["acme", "acme"])
  const link = inSite("acme").insertSelect(postTags, { postId: 1, tagId: sql`${tags.id}` }, sql`from ${tags}`)
  expect(sqlOf(link)).toBe("insert into post_tags (site_id, tag_id, post_id) select ?, tags.id, ? from tags")
  expect(sqlOf(inSite("acme").update(tags).set({ name: "b" }).where(eq(tags.id, 1)))).toBe(
    "update tags set name = ? where (tags.site_id = ? and tags.id = ?)",
  )
  expect(sqlOf(inSite("acme").remove(tags).all())).toBe("delete from tags where tags.site_id = ?")
  expect(sqlOf(inSiteById("acme").remove(tags).where(sql`${tags.id} in (1)`))).toBe(
    "delete from tags where (+tags.site_id = ? and tags.id in (1))",
  )
  expect(() => inSite("acme").remove(tags).where(undefined)).toThrow("would change every row")
})

test("names the exception in a statement across sites", () => {
  const all = acrossSites("media_sweep")
  const select = siteDatabase(isolate.env, "SITES_1", all).select({ id: categories.id }).from(categories)
  for (const statement of [select, all.remove(categories).all(), all.update(categories).set({ name: "a" }).all()]) {
    expect(checkSiteStatement(sqlOf(statement))).toEqual({
      exceptions: ["media_sweep"],
      problems: ["categories has no condition on site_id"],
    })
  }
})
