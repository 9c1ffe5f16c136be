// The pages of every store that depend on the visitor: the search and the customer's account.
import { accountPages } from "./account/pages"
import type { VisitorPage } from "./page"
import { searchPage } from "./search/page"

export const ownPages: readonly VisitorPage[] = [searchPage, ...accountPages]
