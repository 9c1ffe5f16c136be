// Every table of a site database. A table that is missing here is not emptied when its site is deleted.
export * from "./apps"
export * from "./counters"
export * from "./media"
export * from "./pages"
export * from "./posts"
export * from "./settings"
export * from "./tokens"
export * from "./users"
