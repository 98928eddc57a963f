import { defineConfig } from "drizzle-kit";

const kind = process.env.DATABASE_KIND === "mail" ? "mail" : "main";

/** For `drizzle-kit studio` and comparisons: DATABASE_KIND=main or mail. The SQL in migrations/ is written by hand. */
export default defineConfig({
  dialect: "sqlite",
  driver: "d1-http",
  schema: `./src/platform/db/schema/${kind}/index.ts`,
  out: `./migrations/${kind}`,
});
