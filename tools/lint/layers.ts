// Checks imports against allow-lists, on resolved modules: static, dynamic and type imports, `import *` and
// `export … from`. Three tables: what each folder may import, what each kind of file may import, and which modules have
// a limited set of importers. A justified exception is marked on the line before the import: `// lint: <reason>`.
//
// dependency-cruiser and eslint-plugin-boundaries were considered. The first reads TypeScript through the compiler API
// that TypeScript 7 no longer has, the second needs ESLint; Biome's noRestrictedImports has deny-lists only and does
// not resolve modules. The parser and the resolver are those of Oxc.
import { isMarked } from "./code-rule.ts"
import { COMPUTED, type Import, type SourceFile, type Violation } from "./source.ts"

/** What a folder, or a file, may import. Its own folder is always allowed. */
interface Layer {
  /** Folders, files without extension, or globs: `*` is one segment. `$1` is the segment that matched the key's `*`. */
  imports: readonly string[]
  /** Allowed as type imports only. */
  types?: readonly string[]
  packages?: readonly string[]
}

const FOUNDATION = ["src/core", "src/db", "src/lib", "src/env"]

/** What apps may use of the content API: authorization, request and response helpers, and fields. */
const CONTENT_PORTS = [
  "src/content/user",
  "src/content/envelope",
  "src/content/mount-apps",
  "src/content/rate-limits",
  "src/content/response-schemas",
  "src/content/types",
  "src/content/pagination",
  "src/content/site",
  "src/content/staff/rules",
  "src/content/staff/write",
  "src/content/search/service",
  "src/content/shop/confirmed-contact",
  "src/content/shop/settings",
  "src/content/mails/outbox",
  "src/content/blog/changes",
  "src/content/blog/fields",
  "src/content/case-folding",
]

/** What apps may use of the storefront: the interface of its parts, and components. */
const STOREFRONT_PORTS = [
  "src/storefront/part",
  "src/storefront/components",
  "src/storefront/paths",
  "src/storefront/view",
  "src/storefront/list",
  "src/storefront/list-query",
  "src/storefront/crawlers/queries",
  "src/storefront/crawlers/sitemap",
  "src/storefront/data",
  "src/storefront/document",
  "src/storefront/text",
  "src/storefront/art",
  "src/storefront/cart-cookie",
  "src/storefront/visitor/page",
  "src/storefront/visitor/session",
]

/** What owners' billing may use of the control plane. */
const BILLING_PORTS = [
  "src/platform/coupons/discounts",
  "src/platform/invoices",
  "src/platform/orders",
  "src/platform/payments",
  "src/platform/plans",
  "src/platform/stores/queries",
  "src/platform/stores/schemas",
  "src/platform/subscriptions",
  "src/platform/support/service",
  "src/platform/tax",
  "src/platform/usage",
]

const APP: Layer = {
  imports: [
    "src/apps/definition",
    "src/apps/authorization",
    "src/apps/slug-candidates",
    ...FOUNDATION,
    ...CONTENT_PORTS,
    ...STOREFRONT_PORTS,
  ],
  packages: ["hono", "zod", "drizzle-orm"],
}

/** Interfaces for operators call the services of all surfaces. */
const ALL_SERVICES = ["src/platform", "src/content", "src/license", "src/webhooks"]

/** Every folder, and files with their own rules. The longest matching key wins. */
const LAYERS: Record<string, Layer> = {
  "src/lib": { imports: [], packages: ["itty-durable", "node:crypto", "node:buffer", "node:zlib"] },
  durable: { imports: ["src/lib"] },
  "src/bindings": { imports: [], types: ["src/env", "src/core/queue/messages"] },
  "src/env": { imports: ["src/bindings", "src/lib"], packages: ["zod"] },
  "src/db": { imports: ["src/lib", "src/bindings"], types: ["src/env"], packages: ["drizzle-orm"] },
  "src/core": {
    imports: [...FOUNDATION, "src/bindings"],
    types: ["durable"],
    packages: ["hono", "zod", "drizzle-orm", "@hono/zod-validator", "node:crypto"],
  },
  "src/themes": { imports: ["src/lib"] },
  "src/themes/*": {
    imports: ["src/themes/base", "src/themes/theme", "src/themes/css", "src/themes/fonts", "src/themes/tokens"],
  },
  "src/themes/catalog": { imports: ["src/themes/*"] },
  "src/themes/accent": { imports: ["src/themes/theme", "src/lib"] },
  "src/themes/assets": { imports: ["src/themes", "src/lib"] },
  "src/mails": { imports: FOUNDATION, packages: ["drizzle-orm"] },
  "src/webhooks/shop-examples": {
    imports: [...FOUNDATION],
    types: [
      "src/apps/contact/schemas",
      "src/apps/ecommerce/customers/schemas",
      "src/apps/ecommerce/orders/schemas",
      "src/apps/ecommerce/products/schemas",
      "src/apps/reviews/schemas",
      "src/content/blog/pages/schemas",
      "src/content/blog/posts/schemas",
      "src/content/shop/schemas",
    ],
    packages: ["zod"],
  },
  "src/webhooks": {
    imports: [...FOUNDATION, "src/mails", "src/apps/registry"],
    types: ["durable"],
    packages: ["hono", "zod", "drizzle-orm"],
  },
  "src/webhooks/examples": {
    imports: ["src/webhooks", "src/apps/registry", "src/core", "src/lib"],
    types: ["src/platform/*/schemas", "src/license/*/schemas"],
    packages: ["zod"],
  },
  "src/webhooks/failure-counter": {
    imports: ["src/bindings", "src/core", "src/db", "src/lib", "src/webhooks"],
    types: ["durable"],
    packages: ["drizzle-orm"],
  },
  "src/platform": {
    imports: [
      ...FOUNDATION,
      "src/mails",
      "src/themes",
      "src/apps/registry",
      "src/apps/definition",
      "src/webhooks/receiving-condition",
      "src/webhooks/idle",
      "src/webhooks/dns-outage",
      "src/webhooks/lateness",
      "src/webhooks/histogram",
    ],
    packages: ["hono", "zod", "drizzle-orm"],
  },
  "src/platform/app": {
    imports: [
      "src/platform",
      "src/core",
      "src/webhooks/*/routes",
      "src/webhooks/*/service",
      "src/webhooks/endpoints/list",
    ],
    packages: ["hono"],
  },
  "src/content": { imports: FOUNDATION, packages: ["hono", "zod", "drizzle-orm", "jose"] },
  "src/content/app": {
    imports: ["src/content", "src/core", "src/lib", "src/apps/registry"],
    types: ["src/apps/definition", "src/env"],
    packages: ["hono"],
  },
  "src/content/accounts": {
    imports: [...FOUNDATION, "src/content", "src/apps/registry"],
    types: ["src/apps/definition"],
    packages: ["hono", "zod", "drizzle-orm"],
  },
  "src/content/billing": { imports: [...FOUNDATION, "src/content", ...BILLING_PORTS], packages: ["hono", "zod"] },
  "src/content/shop": {
    imports: [...FOUNDATION, "src/content", "src/platform/stores/update"],
    packages: ["hono", "zod", "drizzle-orm"],
  },
  "src/content/webhooks": { imports: [...FOUNDATION, "src/content", "src/webhooks"], packages: ["hono", "zod"] },
  "src/license": { imports: FOUNDATION, packages: ["hono", "zod", "drizzle-orm", "jose"] },
  "src/apps": {
    imports: ["src/db", "src/core"],
    types: ["src/content", "src/storefront/part", "src/lib"],
    packages: ["drizzle-orm"],
  },
  "src/apps/registry": { imports: ["src/apps/*/manifest", "src/apps/definition"] },
  "src/apps/*": APP,
  "src/apps/reviews": { ...APP, imports: [...APP.imports, "src/apps/ecommerce/manifest", "src/apps/ecommerce/tables"] },
  "src/storefront": {
    imports: [...FOUNDATION, "src/themes", "src/apps/registry"],
    types: ["src/apps/definition"],
    packages: ["hono", "drizzle-orm"],
  },
  "src/storefront/routes": { imports: ["src/storefront", "src/core", "src/content/envelope"] },
  "src/storefront/visitor": {
    imports: [
      ...FOUNDATION,
      "src/storefront",
      "src/apps/registry",
      "src/content/accounts",
      "src/content/envelope",
      "src/content/rate-limits",
      "src/content/search",
      "src/content/site",
      "src/content/user",
    ],
    packages: ["hono"],
  },
  "src/mcp": {
    imports: [
      "src/core/http",
      "src/core/write/events",
      "src/docs/openapi",
      "src/env",
      "src/lib",
      "src/platform/app",
      "src/platform/keys/scopes",
    ],
    packages: ["hono"],
  },
  "src/operator": { imports: [...FOUNDATION, ...ALL_SERVICES], packages: ["hono", "zod", "drizzle-orm"] },
  "src/console": {
    imports: [
      ...FOUNDATION,
      ...ALL_SERVICES,
      "src/apps",
      "src/page-kit",
      "src/shop-kit",
      "src/themes/catalog",
      "src/storefront/service",
      "src/jobs/cron",
    ],
    packages: ["hono", "zod", "uqr"],
  },
  "src/admin": {
    imports: [
      ...FOUNDATION,
      "src/apps",
      "src/content",
      "src/page-kit",
      "src/shop-kit",
      "src/platform",
      "src/storefront/paths",
      "src/storefront/service",
      "src/storefront/shop-appearance",
      "src/themes/catalog",
      "src/storefront/text",
      "src/webhooks",
    ],
    packages: ["hono", "zod", "uqr"],
  },
  "src/page-kit": { imports: ["src/core", "src/lib"], packages: ["hono", "zod"] },
  "src/shop-kit": { imports: ["src/core", "src/lib", "src/page-kit"], types: ["src/apps"], packages: ["hono"] },
  "src/console/search": { imports: ["src/console", ...FOUNDATION, ...ALL_SERVICES], packages: ["drizzle-orm"] },
  "src/page-kit/client": { imports: ["src/storefront/text"] },
  "src/docs": { imports: ["src/core", "src/lib", "src/env"], packages: ["hono"] },
  "src/pages/kit": {
    imports: ["src/core", "src/lib"],
    types: ["src/env", "src/platform/plans/schemas"],
    packages: ["hono"],
  },
  "src/pages/platform": {
    imports: [
      "src/core",
      "src/lib",
      "src/env",
      "src/pages/kit",
      "src/platform/signups",
      "src/platform/envelope",
      "src/platform/plans/schemas",
      "src/platform/status",
      "src/platform/stores/schemas",
      "src/platform/themes/rules",
      "src/themes/catalog",
    ],
    packages: ["hono", "zod", "node:crypto"],
  },
  "src/pages/account": {
    imports: [
      "src/core",
      "src/lib",
      "src/pages/kit",
      "src/content/accounts",
      "src/content/envelope",
      "src/content/mails/account",
      "src/content/rate-limits",
      "src/content/shop/contact-email",
      "src/content/site",
      "src/content/staff",
    ],
    packages: ["hono", "zod"],
  },
  "src/pages/billing": {
    imports: [
      "src/core",
      "src/lib",
      "src/env",
      "src/pages/kit",
      "src/content/accounts",
      "src/content/billing",
      "src/content/envelope",
      "src/content/site",
      "src/content/staff/rules",
      "src/content/user",
      ...BILLING_PORTS,
    ],
    packages: ["hono"],
  },
  "src/jobs": { imports: [...FOUNDATION, ...ALL_SERVICES, "src/mails", "src/apps/registry"] },
  "src/health": { imports: ["src/core", "src/db/probe", "src/env", "src/lib", "src/deep-health"], packages: ["hono"] },
  "src/deep-health": { imports: ["src/core", "src/db/probe", "src/env", "src/lib", "src/platform/metrics"] },
  "src/surfaces": {
    imports: [
      "src/*/app",
      "src/*/routes",
      "src/pages/*/routes",
      "src/platform/payments/routes",
      "src/content/media/serving",
      "src/license/wordpress/downloads",
      "src/health",
    ],
    types: ["src/env"],
  },
  "src/app": { imports: ["src/surfaces", "src/core"], types: ["src/env"] },
  "src/index": { imports: ["src/app", "src/jobs", "durable"], types: ["src/bindings"] },
  "src/client": { imports: [] },
  test: {
    imports: ["src", "durable", "test", "scripts", "tools", "bench", "examples", "openapi", "docs", "*"],
    packages: ["*"],
  },
  scripts: {
    imports: ["tools", "bench", "src/client", "src/core/auth/hash-password-name", "test/lint"],
    packages: ["*"],
  },
  tools: { imports: ["src/client"], packages: ["*"] },
  "tools/lib/static-files": {
    imports: [
      "tools/lib",
      "src/admin/strings",
      "src/content/mails/account-strings",
      "src/core/i18n/string-templates",
      "src/docs/openapi-3-0",
      "src/docs/postman",
      "src/mails/strings",
      "src/pages/*/translations",
      "src/pages/platform/front-translations",
      "src/pages/platform/status-translations",
    ],
    types: ["src/core/i18n/locale"],
    packages: ["*"],
  },
  "tools/cli": {
    imports: ["tools", "src/client", "src/core/write/event-filter", "src/webhooks/thin-payload"],
    packages: ["*"],
  },
  "tools/faults": { imports: ["src", "durable", "tools/lib"], packages: ["*"] },
  "tools/openapi": { imports: ["src", "tools/lib", "tools/cli/operations", "tools/cli/commands"], packages: ["*"] },
  "tools/migrations": { imports: ["src/apps", "tools/lib"], packages: ["*"] },
  "tools/deploy": { imports: ["tools", "src"], packages: ["*"] },
  bench: { imports: ["tools", "src/client", "src/core/write/event-filter", "test/support"], packages: ["*"] },
  "vitest.config": { imports: ["tools/local/scratch", "tools/lib/static-files", "test/support"], packages: ["*"] },
  "vitest.browser.config": { imports: [], packages: ["*"] },
  "drizzle.central.config": { imports: [], packages: ["drizzle-kit"] },
  "drizzle.sites.config": { imports: [], packages: ["drizzle-kit"] },
  examples: { imports: ["src/client"], packages: ["*"] },
}

/** A kind of file, recognized by its name, and what it may import of the project in addition to types. */
interface Role {
  rule: string
  about: (path: string, imports: readonly Import[]) => boolean
  allows: (target: string, names: readonly string[]) => boolean
}

const baseName = (path: string): string =>
  (path.split("/").at(-1) ?? "").replace(/\.(tsx?|json|md)$/, "").replace(/\.docs$/, "")

const isRules = (path: string): boolean =>
  path.startsWith("src/") &&
  (/\/rules\//.test(path) ||
    ["rules", "actions", "transition", "periods", "schedule", "discounts", "quote"].includes(baseName(path)))

/** Files that contain values and pure functions only. */
const PURE = [
  "constants",
  "billing-providers",
  "event-types",
  "registry",
  "catalog",
  "reserved",
  "schemas",
  "tables",
  "types",
  "slugs",
  "reasons",
  "ids",
]

const isNamed =
  (...names: string[]) =>
  (path: string) =>
    path.startsWith("src/") && names.includes(baseName(path))
const isHtml = (path: string) => path.endsWith(".tsx")

const CORE_VALUES =
  /^src\/core\/(http\/(refusal|store-access|validation|pagination|field-docs)|list\/|i18n\/locale|write\/event-(types|log))/

/** Whether a file has routes, whatever its name. */
const createsRouter = (imports: readonly Import[]) =>
  imports.some(({ target, names }) => target === "src/core/http/router.ts" && names.includes("createRouter"))

const ROLES: Role[] = [
  {
    rule: "rules are pure: they receive the state, the input and the time",
    about: isRules,
    allows: (target) =>
      (/^src\/(lib|themes)\//.test(target) &&
        !/^src\/lib\/(clock|random|ulid|dns|deadline|durable)\.ts$/.test(target)) ||
      /^src\/core\/http\/(refusal|store-access|validation)\.ts$/.test(target) ||
      isRules(target) ||
      PURE.includes(baseName(target)),
  },
  {
    rule: "queries read: they import the database, lib, rules and schemas, never a service",
    about: isNamed("queries"),
    allows: (target) =>
      /^(src\/(lib|db)\/|drizzle-orm)/.test(target) ||
      CORE_VALUES.test(target) ||
      isRules(target) ||
      ["queries", "refusals", "fields", "files", "listing", "user", "tables", ...PURE].includes(baseName(target)),
  },
  {
    rule: "schemas describe input and output: they import no service and no query",
    about: isNamed("schemas"),
    allows: (target) =>
      /^src\/lib\//.test(target) ||
      /^src\/db\/(schema\/|encrypted-columns)/.test(target) ||
      target === "src/env.ts" ||
      CORE_VALUES.test(target) ||
      isRules(target) ||
      [
        "fields",
        "files",
        "listing",
        "pagination",
        "cursor",
        "case-folding",
        "response-schemas",
        "receiving-condition",
        "filter",
        "headers",
        "error-hints",
        ...PURE,
      ].includes(baseName(target)),
  },
  {
    rule: "routes and pages call services, never a writer",
    about: (path, imports) =>
      isNamed("routes")(path) || createsRouter(imports) || /^src\/(console|admin|pages|storefront)\//.test(path),
    allows: (target, names) =>
      !/^src\/core\/write\/(site-)?commit\.ts$/.test(target) || names.every((name) => name === "dryRun"),
  },
  {
    rule: "routes, jobs and the console call services, never the database",
    about: (path, imports) =>
      (isNamed("routes")(path) || createsRouter(imports) || /^src\/(jobs|console|admin)\//.test(path)) &&
      !path.startsWith("src/console/search/"),
    allows: (target) => !/^(src\/db\/|drizzle-orm)/.test(target) && baseName(target) !== "queries",
  },
]

/** Gates, caches, and work that outlasts its request: everything else uses `ctx.now`. */
const CLOCK_READERS = [
  "durable/rate-limit-bucket",
  "src/admin/gate",
  "src/admin/view",
  "src/console/gate",
  "src/console/kit/page",
  "src/console/pages/tail",
  "src/content/gate",
  "src/content/push",
  "src/content/user",
  "src/core",
  "src/db/read-retry",
  "src/health",
  "src/jobs/cron",
  "src/license/gate",
  "src/license/settings",
  "src/pages/account/routes",
  "src/pages/billing/routes",
  "src/platform/backups",
  "src/platform/domains/hostnames",
  "src/platform/gate",
  "src/platform/payments/routes",
  "src/platform/site-migration/copy",
  "src/platform/site-migration/service",
  "src/platform/stores/delete-site-rows",
  "src/webhooks/attempt",
  "src/webhooks/endpoints/schemas",
  "src/webhooks/failure-counter",
  "src/webhooks/first-attempts",
  "src/webhooks/recovery/service",
  "src/webhooks/reserve",
  "src/webhooks/send",
  "src/webhooks/sweep",
  "src/webhooks/test-event",
]

/** Modules that work on any table: lists, copies of rows, and the declarations of apps. */
const TABLE_READERS = [
  "src/db",
  "src/apps/*/tables",
  "src/apps/definition",
  "src/core/list/stream",
  "src/core/queue/delete-expired",
  "src/storefront/crawlers/queries",
  "src/webhooks/rehoming/copy",
]

/** Modules with statements that the builders cannot express. */
const SQL_WRITERS = [
  "src/content/user",
  "src/core/archive/write",
  "src/core/queue/delete-expired",
  "src/core/write",
  "src/db",
  "src/platform/audit/archive",
  "src/platform/backfills/compress-events",
  "src/platform/site-migration",
  "src/platform/stores/delete-site-rows",
  "src/platform/system/app-key",
  "src/webhooks/first-attempts/settle-group",
  "src/webhooks/receiver-cursor/report",
  "src/webhooks/rehoming/copy",
  "src/webhooks/sweep/prune",
]

/** A module, or some of its exports, that only some files may import as values; with `types`, also as types. */
interface Limit {
  module: string
  names?: readonly string[]
  types?: true
  importers: readonly string[]
  rule: string
}

const LIMITED: Limit[] = [
  {
    module: "drizzle-orm/sqlite-core",
    names: ["sqliteTable", "sqliteTableCreator"],
    importers: ["src/db/schema/central", "src/db/schema/site-table"],
    rule: "tables of a site database are declared with siteTable",
  },
  {
    module: "src/core/mail/send",
    names: ["sendMail"],
    importers: ["src/core/mail"],
    rule: "mails go to an outbox, which sends them with retries",
  },
  {
    module: "src/core/queue/send",
    importers: [
      "src/content/push",
      "src/core/mail/attempts",
      "src/core/queue",
      "src/core/write/event-router",
      "src/platform/metrics/measure",
      "src/webhooks",
    ],
    rule: "jobs are sent by core/queue/leased-jobs; only deliveries and push have their own queues",
  },
  {
    module: "src/platform/payments/stripe",
    importers: ["src/platform/payments"],
    rule: "only the folder of a card provider names it",
  },
  {
    module: "drizzle-orm/sqlite-core",
    names: ["SQLiteTable", "SQLiteTableWithColumns", "AnySQLiteTable", "sqliteView"],
    types: true,
    importers: TABLE_READERS,
    rule: "a table keeps its own type, which says whether its rows belong to a site",
  },
  {
    module: "drizzle-orm",
    names: ["Table", "AnyTable"],
    types: true,
    importers: TABLE_READERS,
    rule: "a table keeps its own type, which says whether its rows belong to a site",
  },
  {
    module: "src/db/schema/site-table",
    names: ["CentralTable", "siteTable"],
    types: true,
    importers: TABLE_READERS,
    rule: "a table keeps its own type, which says whether its rows belong to a site",
  },
  {
    module: "src/db/write",
    names: ["writeSql"],
    importers: SQL_WRITERS,
    rule: "writes are built: insert, update, remove, or those of inSite",
  },
  {
    module: "src/lib/clock",
    importers: CLOCK_READERS,
    rule: "the time is ctx.now; work that outlasts its request reads lib/clock",
  },
  {
    module: "src/lib/random",
    importers: [
      "src/core/auth/form-drafts",
      "src/lib",
      "src/core/mail/attempts",
      "src/core/write",
      "src/db",
      "src/license/encryption",
      "src/license/licenses/service",
      "src/license/versions/service",
      "src/platform/operators/sessions",
      "src/webhooks/failure-counter",
      "src/webhooks/first-attempts",
      "src/platform/domains/hostnames",
      "src/webhooks/reserve",
    ],
    rule: "randomness is for keys, ids, leases and jitter",
  },
  {
    module: "src/core/outbound/fetch",
    names: ["safeUrl"],
    importers: ["src/webhooks/send", "src/content/push/access-tokens"],
    rule: "a URL that a user typed is checked before every request",
  },
  {
    module: "src/core/outbound/fetch",
    names: ["serviceUrl"],
    importers: [
      "src/core/outbound",
      "src/content/push/send",
      "src/license/marketplace",
      "src/platform/alerts",
      "src/platform/domains",
      "src/platform/payments",
    ],
    rule: "only the clients of configured services call them",
  },
  {
    module: "src/core/http/surface",
    names: ["publicAccess"],
    importers: ["src/content/media/serving", "src/docs/routes", "src/storefront/routes"],
    rule: "only files, the documentation and the storefront are open to everyone",
  },
  {
    module: "hono/html",
    names: ["raw"],
    importers: [
      "src/core/html/document",
      "src/page-kit/context",
      "src/console/pages/account",
      "src/admin/pages/security",
      "src/pages/kit/page",
      "src/storefront/document",
      "src/storefront/text/rich-text",
    ],
    rule: "text is escaped: only these files write HTML that is already safe",
  },
  {
    module: "src/bindings",
    importers: [
      "src/env",
      "src/db/client",
      "src/db/probe",
      "src/core/queue/send",
      "src/core/storage/backups",
      "src/core/storage/media",
      "src/core/storage/updates",
      "src/core/storage/archive",
      "src/core/storage/static-files",
      "src/core/mail/send",
      "src/core/metrics/analytics",
      "src/core/http/rate-limit",
      "src/webhooks/failure-counter",
    ],
    rule: "a binding is read by the module that owns it",
  },
  {
    module: "src/db/execute",
    importers: ["src/core/write/commit", "src/core/write/site-commit"],
    rule: "only core/write executes writes",
  },
  {
    module: "src/db/site-scope",
    names: ["acrossSites"],
    importers: [
      "src/apps/ecommerce/orders/expire",
      "src/content/accounts/find-everywhere",
      "src/content/mails/outbox",
      "src/content/media/sweep",
      "src/content/notifications/deliver",
      "src/content/notifications/find",
      "src/core/write/site-commit",
      "src/platform/backups",
      "src/platform/metrics/measure",
      "src/platform/site-migration/id-ranges",
      "src/platform/system/app-key",
      "src/platform/usage/collect",
    ],
    rule: "only maintenance works across sites",
  },
  { module: "src/db/connection", importers: ["src/db"], rule: "databases are used through db/client" },
  {
    module: "src/db/write",
    names: ["buildInsert", "buildUpdate", "buildRemove", "buildInsertSelect"],
    importers: ["src/db/site-scope"],
    rule: "writes to a site database are built with inSite",
  },
  {
    module: "src/lib/isolate-state",
    names: ["resetIsolateState"],
    importers: [],
    rule: "only tests reset the state of the isolate",
  },
  {
    module: "src/lib/password",
    importers: ["src/core/auth/password-hashing"],
    rule: "only core/auth/password-hashing hashes passwords",
  },
  {
    module: "src/core/storage/updates",
    importers: ["src/license"],
    rule: "update files belong to the license manager",
  },
  {
    module: "src/core/storage/media",
    importers: [
      "src/content/media",
      "src/content/accounts",
      "src/platform/backups",
      "src/platform/exports",
      "src/platform/stores",
    ],
    rule: "media objects belong to the media library",
  },
  {
    module: "src/core/storage/backups",
    importers: ["src/platform/backups", "src/platform/exports"],
    rule: "only src/platform/backups and src/platform/exports use the bucket of backups",
  },
  {
    module: "src/core/storage/archive",
    importers: ["src/core/archive"],
    rule: "only src/core/archive reads and writes archives",
  },
  {
    module: "drizzle-orm",
    names: ["like", "ilike", "notLike", "notIlike", "getOperators", "operators", "StringChunk"],
    importers: [],
    rule: "LIKE and GLOB have a constant pattern: D1 allows 50 bytes; search with instr()",
  },
  {
    module: "node:crypto",
    importers: [
      "src/lib/hash",
      "src/lib/password",
      "src/core/html",
      "src/core/cache/rendering",
      "src/pages/platform/theme-picture",
    ],
    rule: "lib/random, lib/hash and lib/password wrap node:crypto",
  },
  {
    module: "hono",
    names: ["Hono"],
    importers: [
      "src/core/http/router",
      "src/core/http/surface",
      "src/health",
      "src/console/pages/login",
      "src/console/pages/invitation",
    ],
    rule: "routers are created with createRouter, whose routes are described",
  },
  {
    module: "hono/http-exception",
    importers: ["src/core/http/surface"],
    rule: "errors are Refusals with a code",
  },
  { module: "drizzle-orm/d1", importers: ["src/db"], rule: "only db connects to databases" },
  { module: "cloudflare:workers", importers: [], rule: "bindings come with the request, not from a global" },
]

/** Modules whose exports other rules recognize by name. */
const KEEP_NAMES = [
  "drizzle-orm",
  "src/bindings",
  "src/core/outbound/fetch",
  "src/core/write/commit",
  "src/db/schema/site-table",
  "src/db/site-scope",
  "src/db/write",
  "src/lib/assert-never",
]

/** Files that may use Hono: routers, middleware, responses and pages. */
const mayUseHono = (path: string): boolean =>
  isHtml(path) ||
  /(^|\/)(routes|app|gate|envelope|types|page|pages|layout|serving|http|surface|route|health)\.ts$/.test(path) ||
  /\/(gate|pages|components|console|admin|page-kit|shop-kit|docs)\//.test(path) ||
  HONO_FILES.has(path)

const HONO_FILES = new Set([
  "src/core/http/router.ts",
  "src/content/user.ts",
  "src/content/mount-apps.ts",
  "src/content/blog/caching.ts",
  "src/license/body.ts",
  "src/license/request.ts",
  "src/pages/billing/session.ts",
  "src/platform/root.ts",
  "src/content/editor.ts",
  "src/content/blog/unpublished.ts",
  "src/content/locale.ts",
  "src/content/cors.ts",
  "src/license/legacy/refusals.ts",
  "src/core/http/precondition.ts",
  "src/core/http/body.ts",
])

/** Hono's HTML templates, which are allowed everywhere. */
const TEMPLATES = ["hono/html", "hono/jsx", "hono/jsx/jsx-runtime"]

/** Whether roles say something about a module. */
const isQueryable = (target: string) => isOurs(target) || target.startsWith("drizzle-orm")

const isOurs = (target: string) => /^(src|durable|test|scripts|tools|bench|examples|openapi|docs)\//.test(target)
const withoutExtension = (path: string) => path.replace(/\.(tsx?|mjs|json)$/, "")

/** Whether a path is the module or is below the folder that a pattern names. */
function matches(path: string, pattern: string): RegExpExecArray | null {
  const source = pattern.replace(/[.+^${}()|[\]\\]/g, "\\$&").replaceAll("*", "([^/]+)")
  return new RegExp(`^${source}(/|$)`).exec(withoutExtension(path))
}

/** Returns the layer of a file: its most specific key and the segment that the key's `*` matched; null for none. */
function layerOf(path: string): { key: string; segment: string; layer: Layer } | null {
  const [key] = Object.keys(LAYERS)
    .filter((candidate) => matches(path, candidate))
    .sort((a, b) => b.split("/").length - a.split("/").length || Number(a.includes("*")) - Number(b.includes("*")))
  const layer = key === undefined ? undefined : LAYERS[key]
  if (key === undefined || !layer) return null
  return { key, segment: matches(path, key)?.[1] ?? "", layer }
}

const isPackageAllowed = (target: string, packages: readonly string[]) =>
  packages.some((name) => name === "*" || target === name || target.startsWith(`${name}/`))

/** Checks an import against the layer of its file. */
function layerError({ path }: SourceFile, { target, isType }: Import): string | null {
  const found = layerOf(path)
  if (!found) return "the folder has no entry in tools/lint/layers.ts"
  const hint = "tools/lint/layers.ts lists what it may import"
  const { key, segment, layer } = found
  if (!isOurs(target)) {
    if (target === "vitest" || !path.startsWith("src/") || TEMPLATES.includes(target)) {
      if (isPackageAllowed(target, layer.packages ?? []) || TEMPLATES.includes(target)) return null
    }
    return isPackageAllowed(target, layer.packages ?? []) ? null : `${key} does not use this package; ${hint}`
  }
  const own = key.replace("*", segment)
  const allowed = [own, ...layer.imports, ...(isType ? (layer.types ?? []) : [])]
  return allowed.some((pattern) => matches(target, pattern.replace("$1", segment)))
    ? null
    : `${key} does not import this; ${hint}`
}

/** Finds the imports of a file that its folder, its kind or the imported module does not allow. */
export function findImportViolations(file: SourceFile): Violation[] {
  const lines = file.text.split("\n")
  const isWorkerCode = /^(src|durable)\//.test(file.path)
  return file.imports.flatMap((found) => {
    const { target, names, isRenamed, isType, isReexport, line } = found
    if (isMarked(lines, line)) return []
    const errors = [layerError(file, found)]
    if (isRenamed && KEEP_NAMES.some((module) => matches(target, module)) && isWorkerCode)
      errors.push("lint rules know the exports of this module by their names")
    if (target === COMPUTED && isWorkerCode) errors.push("the path of a dynamic import is a literal")
    if (isWorkerCode) {
      for (const { module, names: limited, types, importers, rule } of LIMITED) {
        if (isType && !types) continue
        // A namespace contains every name.
        if (!matches(target, module) || (limited && !names.some((name) => name === "*" || limited.includes(name))))
          continue
        if (!importers.some((one) => matches(file.path, one))) errors.push(rule)
      }
      if (/^hono(\/|$)/.test(target) && !TEMPLATES.includes(target) && !mayUseHono(file.path))
        errors.push("only routers, middleware, responses and pages use Hono")
      if (isRules(file.path) && /^src\/(core\/context|db\/client|bindings)\.ts$/.test(target))
        errors.push("rules are pure: they receive values, not a context or a database")
      if (!isType) {
        for (const { rule, about, allows } of ROLES) {
          if (about(file.path, file.imports) && isQueryable(target) && !allows(target, names)) errors.push(rule)
        }
        if (baseName(target) === "routes" && isOurs(target) && !mayMountRoutes(file.path, target))
          errors.push("only app.ts, a manifest or surfaces.ts mounts routes")
      }
      if (isReexport && !isType && !REEXPORTERS.test(file.path))
        errors.push("a module is imported from where it is, not through a re-export")
    }
    return errors.flatMap((rule) => (rule ? [{ file: file.path, line, rule, found: target }] : []))
  })
}

/** Entry points and lists of modules. */
const REEXPORTERS = /^src\/(index|client\/.*|db\/schema\/sites\/index|.*\/index)\.ts$/

const mayMountRoutes = (path: string, target: string): boolean =>
  /(^|\/)(app|surfaces|index|manifest)\.tsx?$/.test(path) ||
  path.startsWith("src/docs/") ||
  target.slice(0, target.lastIndexOf("/")) === path.slice(0, path.lastIndexOf("/"))
