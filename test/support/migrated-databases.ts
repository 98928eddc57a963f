import { env } from "cloudflare:workers";

// All statements of all migrations in one batch for each database: a batch per file would take several times as long.
const migrate = (db: D1Database, statements: readonly string[]) =>
  db.batch(statements.map((statement) => db.prepare(statement)));

/** Resolves when the databases of this isolate have their tables. */
export const migrated = Promise.all([
  migrate(env.DB, env.TEST_MIGRATIONS.main),
  migrate(env.MAIL_0, env.TEST_MIGRATIONS.mail),
  migrate(env.MAIL_1, env.TEST_MIGRATIONS.mail),
]);
