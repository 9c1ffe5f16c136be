// Strapi without its admin panel and with only the required middleware.
import type { Peer } from "./peer.ts"

const module = (value: unknown) => `module.exports = ${JSON.stringify(value)}\n`
const core = (kind: string, options = {}) =>
  `module.exports = require("@strapi/strapi").factories.createCore${kind}("api::post.post", ${JSON.stringify(options)})\n`

const POST = {
  kind: "collectionType",
  collectionName: "posts",
  info: { singularName: "post", pluralName: "posts", displayName: "Post" },
  options: { draftAndPublish: true },
  attributes: { name: { type: "string" }, slug: { type: "string" }, content: { type: "text" } },
}

const MIDDLEWARES = ["errors", "security", "cors", "query", "body", "favicon", "public"]

export const strapi: Peer = {
  name: "Strapi",
  package: "@strapi/strapi",
  dependencies: {
    "@strapi/strapi": "5.54.0",
    "better-sqlite3": "12.11.1",
    react: "18.3.1",
    "react-dom": "18.3.1",
    "react-router-dom": "6.30.6",
    "styled-components": "6.6.0",
  },
  files: (posts) => ({
    "public/uploads/.gitkeep": "",
    "config/server.js": `module.exports = ({ env }) => ({ host: "127.0.0.1", port: env.int("PORT"), app: { keys: ["a", "b"] } })\n`,
    "config/database.js": module({
      connection: { client: "sqlite", connection: { filename: "data.db" }, useNullAsDefault: true },
    }),
    "config/admin.js": module({
      auth: { secret: "bench" },
      apiToken: { salt: "bench" },
      transfer: { token: { salt: "bench" } },
      secrets: { encryptionKey: "0123456789abcdef0123456789abcdef" },
      serveAdminPanel: false,
    }),
    "config/api.js": module({ rest: { defaultLimit: 25, maxLimit: 100 } }),
    "config/middlewares.js": module(MIDDLEWARES.map((name) => `strapi::${name}`)),
    "src/api/post/content-types/post/schema.json": JSON.stringify(POST),
    "src/api/post/controllers/post.js": core("Controller"),
    "src/api/post/services/post.js": core("Service"),
    "src/api/post/routes/post.js": core("Router", { config: { find: { auth: false }, findOne: { auth: false } } }),
    "src/index.js": `module.exports = {
  async bootstrap({ strapi }) {
    for (const data of ${JSON.stringify(posts)}) await strapi.documents("api::post.post").create({ data, status: "published" })
  },
}
`,
  }),
  database: "data.db",
  commands: [["node_modules/@strapi/strapi/bin/strapi.js", "start"]],
  env: { STRAPI_TELEMETRY_DISABLED: "true" },
  health: "/api/posts",
  list: "/api/posts?pagination[pageSize]=25",
  single: ({ documentId }) => `/api/posts/${documentId}`,
}
