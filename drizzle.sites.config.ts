// drizzle-kit: the site databases, `SITES_1` and every further one.
import { defineConfig } from "drizzle-kit"

export default defineConfig({
  dialect: "sqlite",
  schema: "./src/{db/schema/sites/*,apps/*/tables}.ts",
  out: "./migrations/sites",
})
