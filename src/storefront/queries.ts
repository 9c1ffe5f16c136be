// What a page of the shop shows, read from the store's site database: one batch a page, whatever is on it.
import { and, asc, desc, eq, inArray, type SQL, sql } from "drizzle-orm"
import { named } from "../content/blog/fields"
import { countedAt } from "../content/pagination"
import { pageFrom, pageStatements } from "../core/page"
import { batch, type SiteDatabase, type Statement } from "../db/client"
import { galleries, pictures } from "../db/schema/sites/galleries"
import { pages } from "../db/schema/sites/pages"
import { posts } from "../db/schema/sites/posts"
import { products } from "../db/schema/sites/products"
import { users } from "../db/schema/sites/users"
import type { ContentPage, Gallery, Page, PageLink, Picture, Post, PostSummary, Product } from "./data"
import type { Wanted } from "./wanted"

/** Where a shop's rows are. */
export interface Place {
  db: SiteDatabase
  siteId: string
  /** Slugs of the apps that are on. */
  apps: readonly string[]
}

/** What stands around every page: the menu's entries. */
interface Surroundings {
  pages: PageLink[]
  hasPosts: boolean
}

const HOME_PRODUCTS = 8
const HOME_POSTS = 3
const HOME_GALLERIES = 3
const RELATED = 4
const MORE_POSTS = 3
const PER_PAGE = 12

/** More entries than a footer can show. */
const MENU_PAGES = 20

/**
 * Reads what was asked for, and what stands around it.
 * @param wanted null for an address that no page has
 * @returns the page `not_found` for what is not there, or belongs to an app that is off
 */
export async function readShop(place: Place, wanted: Wanted | null): Promise<Surroundings & { page: Page }> {
  const reading = wanted && isOn(place, wanted) ? readingOf(place, wanted) : null
  const [links, counts, ...answers] = await batch(place.db, [
    selectLinks(place),
    place.db.select({ total: countedAt(place.siteId, "posts", "published").mapWith(Number) }).from(sql`(select 1)`),
    ...(reading?.statements ?? []),
  ])
  const [posted] = counts as { total: number }[]
  return {
    pages: links as PageLink[],
    hasPosts: (posted?.total ?? 0) > 0,
    page: reading?.read(answers) ?? { kind: "not_found" },
  }
}

/** The app whose pages they are. */
const APPS: Partial<Record<Wanted["kind"], string>> = {
  products: "ecommerce",
  product: "ecommerce",
  galleries: "galleries",
  gallery: "galleries",
}

function isOn({ apps }: Place, { kind }: Wanted): boolean {
  const app = APPS[kind]
  return app === undefined || apps.includes(app)
}

/** The statements that read a page, and how their answers are read; null when what was asked for is not there. */
interface Reading {
  statements: readonly Statement[]
  read(answers: unknown[]): Page | null
}

function readingOf(place: Place, wanted: Wanted): Reading {
  switch (wanted.kind) {
    case "home":
      return home(place)
    case "products":
      return list(place, wanted.page, "products", selectProducts(place))
    case "galleries":
      return list(place, wanted.page, "galleries", selectGalleries(place))
    case "posts":
      return list(place, wanted.page, "posts", selectPosts(place))
    case "product":
      return product(place, wanted.slug)
    case "gallery":
      return gallery(place, wanted.slug)
    case "post":
      return post(place, wanted.slug)
    case "page":
      return contentPage(place, wanted.slug)
  }
}

function home(place: Place): Reading {
  const { apps } = place
  const none = sql`0 = 1`
  return {
    statements: [
      selectProducts(place)(apps.includes("ecommerce") ? undefined : none).limit(HOME_PRODUCTS),
      selectPosts(place)().limit(HOME_POSTS),
      selectGalleries(place)(apps.includes("galleries") ? undefined : none).limit(HOME_GALLERIES),
    ],
    read: ([shelf, journal, halls]) => ({
      kind: "home",
      products: shelf as Product[],
      posts: journal as PostSummary[],
      galleries: halls as Gallery[],
    }),
  }
}

type Lists = "products" | "galleries" | "posts"

/** A page of a list; one past the end is not there, unless the list is empty. */
function list(place: Place, number: number, kind: Lists, select: Select): Reading {
  const total = countedAt(place.siteId, kind, "published")
  const request = { page: number, per_page: PER_PAGE }
  return {
    statements: pageStatements(place.db, request, total, ({ limit, offset }, direction) =>
      select(undefined, direction).limit(limit).offset(offset),
    ),
    read(answers) {
      const { rows, total: found } = pageFrom(answers as [{ total: number }[], unknown[], unknown[]])
      const pagination = { page: number, lastPage: Math.max(1, Math.ceil(found / PER_PAGE)) }
      if (number > pagination.lastPage) return null
      return { kind, [kind]: rows, pagination } as Extract<Page, { kind: Lists }>
    },
  }
}

function product(place: Place, slug: string): Reading {
  const where = and(eq(products.siteId, place.siteId), eq(products.status, "published"), named(products, slug))
  return {
    statements: [
      place.db
        .select({ ...productColumns, description: products.description })
        .from(products)
        .where(where),
      selectProducts(place)(sql`not ${named(products, slug)}`).limit(RELATED),
    ],
    read([found, related]) {
      const [shown] = found as Product[]
      return shown ? { kind: "product", product: shown, related: related as Product[] } : null
    },
  }
}

function gallery(place: Place, slug: string): Reading {
  const where = and(eq(galleries.siteId, place.siteId), eq(galleries.status, "published"), named(galleries, slug))
  const hung = sql`(select ${galleries.id} from ${galleries} where ${where})`
  return {
    statements: [
      place.db.select(galleryColumns).from(galleries).where(where),
      place.db
        .select({ image: pictures.image, caption: pictures.caption })
        .from(pictures)
        .where(and(eq(pictures.siteId, place.siteId), inArray(pictures.galleryId, hung)))
        .orderBy(pictures.position),
    ],
    read([found, shown]) {
      const [hall] = found as Gallery[]
      return hall ? { kind: "gallery", gallery: hall, pictures: shown as Picture[] } : null
    },
  }
}

function post(place: Place, slug: string): Reading {
  const where = and(eq(posts.siteId, place.siteId), eq(posts.status, "published"), named(posts, slug))
  const author = sql<string | null>`(select trim(${users.firstName} || ' ' || ${users.lastName}) from ${users}
    where ${users.id} = ${posts.authorId} and ${users.siteId} = ${place.siteId})`
  return {
    statements: [
      place.db
        .select({ ...postColumns, content: posts.content, author: author.as("author") })
        .from(posts)
        .where(where),
      selectPosts(place)(sql`not ${named(posts, slug)}`).limit(MORE_POSTS),
    ],
    read([found, more]) {
      const [shown] = found as Post[]
      return shown ? { kind: "post", post: shown, more: more as PostSummary[] } : null
    },
  }
}

function contentPage(place: Place, slug: string): Reading {
  return {
    statements: [
      place.db
        .select({
          slug: pages.slug,
          name: pages.name,
          description: pages.description,
          image: pages.image,
          content: pages.content,
        })
        .from(pages)
        .where(and(eq(pages.siteId, place.siteId), eq(pages.status, "published"), named(pages, slug))),
    ],
    read([found]) {
      const [shown] = found as ContentPage[]
      return shown ? { kind: "page", page: shown } : null
    },
  }
}

const selectLinks = ({ db, siteId }: Place) =>
  db
    .select({ slug: pages.slug, name: pages.name })
    .from(pages)
    .where(and(eq(pages.siteId, siteId), eq(pages.status, "published")))
    .orderBy(pages.id)
    .limit(MENU_PAGES)

const productColumns = {
  id: products.id,
  slug: products.slug,
  name: products.name,
  description: sql<null>`null`.as("description"),
  image: products.image,
  priceCents: products.priceCents,
  currency: products.currency,
}

const galleryColumns = {
  id: galleries.id,
  slug: galleries.slug,
  name: galleries.name,
  description: galleries.description,
  image: galleries.image,
}

const postColumns = {
  id: posts.id,
  slug: posts.slug,
  name: posts.name,
  description: posts.description,
  image: posts.image,
  publishedAt: posts.createdAt,
}

type Direction = "forward" | "backward"

/** Published things of one kind, the newest first. */
type Select = ReturnType<typeof selectProducts> | ReturnType<typeof selectGalleries> | ReturnType<typeof selectPosts>

const selectProducts =
  ({ db, siteId }: Place) =>
  (also?: SQL, direction: Direction = "forward") =>
    db
      .select(productColumns)
      .from(products)
      .where(and(eq(products.siteId, siteId), eq(products.status, "published"), also))
      .orderBy(towards(direction)(products.createdAt), towards(direction)(products.id))
      .$dynamic()

const selectGalleries =
  ({ db, siteId }: Place) =>
  (also?: SQL, direction: Direction = "forward") =>
    db
      .select(galleryColumns)
      .from(galleries)
      .where(and(eq(galleries.siteId, siteId), eq(galleries.status, "published"), also))
      .orderBy(towards(direction)(galleries.id))
      .$dynamic()

const selectPosts =
  ({ db, siteId }: Place) =>
  (also?: SQL, direction: Direction = "forward") =>
    db
      .select(postColumns)
      .from(posts)
      .where(and(eq(posts.siteId, siteId), eq(posts.status, "published"), also))
      .orderBy(towards(direction)(posts.createdAt), towards(direction)(posts.id))
      .$dynamic()

const towards = (direction: Direction) => (direction === "forward" ? desc : asc)
