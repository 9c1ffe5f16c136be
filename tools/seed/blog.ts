// Seeds the blogs and pages of the platform and two stores.
import type { ApiError } from "../lib/api.ts"
import { acme } from "./blog/acme.ts"
import { bloom } from "./blog/bloom.ts"
import { central } from "./blog/central.ts"
import type { DemoSite } from "./blog/site.ts"
import { ignoreIfDone, type Section, type Seeder } from "./seeder.ts"

const DAY_MS = 86_400_000

/** Registers the platform's editor and saves the content. The authors of the stores are their owners. */
export const blog: Section = async (seeder) => {
  await register(seeder, central.author)
  for (const site of [central, acme, bloom]) await saveSite(seeder, site)
  return {}
}

async function register(seeder: Seeder, { email, name }: DemoSite["author"]): Promise<void> {
  const password = seeder.password(email)
  const isTaken = ({ fields }: ApiError) => Object.keys(fields).join() === "email"
  await ignoreIfDone(
    isTaken,
    seeder.content("POST", "/register", { name, email, password, password_confirmation: password }),
  )
}

/** Saves a site's categories, tags, posts and pages. Parent categories come first. */
async function saveSite(seeder: Seeder, { site, author, categories, tags, posts, pages }: DemoSite): Promise<void> {
  const byDepth = categories.toSorted((a, b) => Number("parent" in a) - Number("parent" in b))
  for (const category of byDepth) await seeder.operator("categories:save", { site, ...category })
  for (const tag of tags) await seeder.operator("tags:save", { site, ...tag })
  for (const { daysAgo, ...post } of posts) {
    const created_at = new Date(Date.now() - daysAgo * DAY_MS).toISOString()
    await seeder.operator("posts:save", { site, author: author.email, created_at, ...post })
  }
  for (const page of pages) await seeder.operator("pages:save", { site, ...page })
}
