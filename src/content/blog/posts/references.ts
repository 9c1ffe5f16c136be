// Resolves the author, categories and tags that a post refers to, and links categories and tags to it.
import { and, eq, inArray, type SQL, sql } from "drizzle-orm"
import type { PartialInput } from "../../../core/http/input"
import type { Statement } from "../../../db/client"
import { categories, postCategories, posts, postTags, tags } from "../../../db/schema/sites/posts"
import { users } from "../../../db/schema/sites/users"
import { foundById, inSite } from "../../../db/site-scope"
import type { SiteRef } from "../../site"
import { jsonList } from "../changes"
import type { AuthorRow } from "./queries"
import type { PostWithRelations } from "./schemas"

/** The fields of an input that refer to other rows, or that have to be unique. */
interface ReferringFields {
  slug?: string | undefined
  name?: string | undefined
  author?: string | null | undefined
  categories?: string[] | undefined
  tags?: string[] | undefined
}

type PostInput<Values extends ReferringFields> = PartialInput<Values, "slug" | "author" | "categories" | "tags">

/** Selects the categories or tags with one of these ids or slugs. */
const selectReferences = ({ db, id }: SiteRef, table: typeof categories | typeof tags, items: readonly string[] = []) =>
  db
    .select({
      id: table.id,
      name: table.name,
      slug: table.slug,
      description: table.description,
      nameKey: table.nameKey,
    })
    .from(foundById(table))
    .where(
      sql`${table.id} in (select cast(value as integer) from json_each(${JSON.stringify(items.filter(isId))}) union
        select ${table.id} from ${table} where ${and(eq(table.siteId, id), inArray(table.slug, jsonList(items)))})`,
    )

const isId = (item: string): boolean => /^\d{1,15}$/.test(item)

/** Builds the reads for `resolveReferences`: the author, categories, tags, and the post with the new slug. */
export function referenceReads(site: SiteRef, valid: Readonly<ReferringFields>, slug: string | null | undefined) {
  const { db } = site
  return [
    db
      .select({ id: users.id, firstName: users.firstName, lastName: users.lastName, avatar: users.avatar })
      .from(users)
      .where(eq(users.emailKey, valid.author?.toLowerCase() ?? "")),
    selectReferences(site, categories, valid.categories),
    selectReferences(site, tags, valid.tags),
    db
      .select({ id: posts.id })
      .from(posts)
      .where(eq(posts.slug, slug ?? "")),
  ] as const
}

type Reference = NonNullable<PostWithRelations["categories"]>[number]

type FoundReference = Reference & { nameKey: string }

interface FoundReferences {
  authors: AuthorRow[]
  categories: FoundReference[]
  tags: FoundReference[]
}

/** Orders references as the resource of a post lists them. Sorting in the database would read each row twice. */
const inOrder = (found: readonly FoundReference[]): Reference[] =>
  found
    .toSorted((a, b) => (a.nameKey === b.nameKey ? a.id - b.id : a.nameKey < b.nameKey ? -1 : 1))
    .map(({ nameKey: _, ...reference }) => reference)

/**
 * Checks the references of an input, together with its slug.
 * @param found the results of `referenceReads`
 * @param slugError the rule that the slug violates, if any
 * @returns the values, the author (null for none), and the categories and tags; undefined for a field that is absent
 * @throws Refusal `validation_failed` with every invalid field
 */
export function resolveReferences<Values extends ReferringFields>(
  input: PostInput<Values>,
  found: FoundReferences,
  slugError: "required" | "taken" | null,
) {
  const { author, categories, tags } = input.valid
  const values = input.complete({
    slug: slugError,
    author: author && !found.authors.length ? "selected" : null,
    categories: hasAll(found.categories, categories) ? null : "selected",
    tags: hasAll(found.tags, tags) ? null : "selected",
  })
  return {
    values,
    author: author === undefined ? undefined : author === null ? null : (found.authors[0] ?? null),
    categories: categories && inOrder(found.categories),
    tags: tags && inOrder(found.tags),
  }
}

function hasAll(found: readonly Reference[], items: readonly string[] = []): boolean {
  const known = new Set(found.flatMap(({ id, slug }) => [String(id), slug]))
  return items.every((item) => known.has(isId(item) ? String(Number(item)) : item))
}

/** Replaces the categories and tags of a post; those that are undefined are unchanged. */
export function linkWrites(
  siteId: string,
  postId: SQL | number,
  links: { categories?: readonly Reference[] | undefined; tags?: readonly Reference[] | undefined },
): Statement[] {
  const site = inSite(siteId)
  const isOwn = (table: typeof categories | typeof tags, references: readonly Reference[]) =>
    sql`from ${table} where ${and(eq(table.siteId, siteId), inArray(table.id, jsonList(references.map(({ id }) => id))))}`
  return [
    ...(links.categories
      ? [
          site.remove(postCategories).where(sql`${postCategories.postId} = ${postId}`),
          site.insertSelect(
            postCategories,
            { categoryId: sql`${categories.id}`, postId: sql`${postId}` },
            isOwn(categories, links.categories),
          ),
        ]
      : []),
    ...(links.tags
      ? [
          site.remove(postTags).where(sql`${postTags.postId} = ${postId}`),
          site.insertSelect(postTags, { tagId: sql`${tags.id}`, postId: sql`${postId}` }, isOwn(tags, links.tags)),
        ]
      : []),
  ]
}
