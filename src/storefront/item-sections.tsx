// Adds the sections of the enabled apps to the pages of another app's items.
import type { AppDefinition } from "../apps/definition"
import { availableApps } from "../apps/registry"
import { memoize } from "../lib/memo"
import type { ItemExtension, ItemSection, Page, PageLoader, SiteScope } from "./part"

/** Imports the section of an app, once per isolate. */
const loadSection = memoize((app: AppDefinition) => app.itemSection?.load())

/**
 * Imports the sections that apps add to the items of a part.
 * @param apps slugs of the enabled apps
 */
export async function loadItemSections(apps: readonly string[], part: string): Promise<ItemSection[]> {
  const extending = availableApps.filter(({ slug, itemSection }) => apps.includes(slug) && itemSection?.part === part)
  return (await Promise.all(extending.map(loadSection))).filter((section) => section !== undefined)
}

/** Loads the page of an item with the sections. */
export function withSections(
  page: PageLoader<Page>,
  sections: readonly ItemSection[],
  scope: SiteScope,
  slug: string,
): PageLoader<Page> {
  if (!sections.length) return page
  const loaders = sections.map((section) => section(scope, slug))
  return {
    reads: [...page.reads, ...loaders.flatMap(({ reads }) => reads)],
    load(results) {
      const loaded = page.load(results)
      const rest = results.slice(page.reads.length)
      const extensions = loaders.map(({ reads, load }) => load(rest.splice(0, reads.length)))
      return (
        loaded &&
        extend(
          loaded,
          extensions.filter((extension) => extension !== null),
        )
      )
    },
  }
}

const extend =
  (page: Page, extensions: readonly ItemExtension[]): Page =>
  (view) => {
    const content = page(view)
    const structuredData = Object.assign({}, ...extensions.map((extension) => extension.structuredData))
    return {
      ...content,
      meta: { ...content.meta, structuredData: { ...content.meta.structuredData, ...structuredData } },
      body: (
        <>
          {content.body}
          {extensions.map(({ body }) => body(view))}
        </>
      ),
    }
  }
