// Directus with one publicly readable collection.
import { callApi } from "../../tools/lib/api.ts"
import type { Peer } from "./peer.ts"

const TOKEN = "bench-token"
const COLUMN = { meta: {}, schema: {} }

const POSTS = {
  collection: "posts",
  schema: {},
  meta: {},
  fields: [
    { field: "id", type: "integer", meta: {}, schema: { is_primary_key: true, has_auto_increment: true } },
    { field: "name", type: "string", ...COLUMN },
    { field: "slug", type: "string", ...COLUMN },
    { field: "content", type: "text", ...COLUMN },
  ],
}

export const directus: Peer = {
  name: "Directus",
  package: "directus",
  dependencies: { directus: "12.3.1" },
  files: () => ({}),
  database: "data.db",
  commands: [
    ["node_modules/directus/cli.js", "bootstrap"],
    ["node_modules/directus/cli.js", "start"],
  ],
  env: {
    SECRET: "bench",
    DB_CLIENT: "sqlite3",
    DB_FILENAME: "./data.db",
    ADMIN_EMAIL: "bench@example.com",
    ADMIN_PASSWORD: "benchmark-1",
    ADMIN_TOKEN: TOKEN,
    TELEMETRY: "false",
    HOST: "127.0.0.1",
    LOG_LEVEL: "error",
  },
  health: "/server/ping",
  seed: async (base, posts) => {
    await callApi(base, TOKEN, "POST", "/collections", POSTS)
    await callApi(base, TOKEN, "POST", "/items/posts", posts)
    const policies = await callApi<{ id: string; name: string }[]>(base, TOKEN, "GET", "/policies?fields=id,name")
    const policy = policies.find(({ name }) => name === "$t:public_label")?.id
    const readable = { policy, collection: "posts", action: "read", fields: ["*"], permissions: {} }
    await callApi(base, TOKEN, "POST", "/permissions", readable)
  },
  list: "/items/posts?limit=25&meta=total_count",
  single: ({ id }) => `/items/posts/${id}`,
}
