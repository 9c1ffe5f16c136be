// drizzle-kit: the central database, `DB`.
import { defineConfig } from "drizzle-kit"

export default defineConfig({
  dialect: "sqlite",
  schema: "./src/db/schema/central/*.ts",
  out: "./migrations/central",
})
