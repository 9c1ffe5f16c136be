// Sitemap of the content pages.
import { createSitemapLoader } from "../crawlers/sitemap"
import { PAGES } from "../paths"
import { selectPagesForSitemap } from "./queries"

export const contentPagesSitemap = createSitemapLoader(PAGES, "pages", selectPagesForSitemap)
