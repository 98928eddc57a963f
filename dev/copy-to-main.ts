/** Tables of the main database that an older version kept beside the mail tables, in the order of their references. */
const TABLES = [
  "users",
  "workspaces",
  "memberships",
  "api_keys",
  "sessions",
  "refresh_tokens",
  "notifications",
  "saved_searches",
  "domains",
  "dkim_keys",
  "mailboxes",
  "mailbox_assignees",
  "suppressions",
  "domain_failures",
  "blocked_hosts",
  "dead_letters",
  "templates",
];

/** Rows of one read and one batch. A template has up to 1.9 MB. */
const rowsPerStep = (table: string) => (table === "templates" ? 10 : 500);

/**
 * Copies the tables of the main database from a mail database of a version that had one database for all, and marks the
 * copy as complete. Safe to interrupt and repeat: rows that are there are kept. Run it while the service is stopped.
 * `report` gets the number of rows of each table.
 */
export async function copyToMain(
  mail: D1Database,
  main: D1Database,
  report: (table: string, rows: number) => void = () => {},
): Promise<void> {
  if ((await mail.prepare("SELECT 1 FROM workspaces LIMIT 1").first()) === null) return;
  for (const table of TABLES) report(table, await copyTable(mail, main, table));
  await copyLastNumber(mail, main);
  // The older version has no such column. The migration of the main database that fills it ran before the copy.
  await main
    .prepare(
      "UPDATE suppressions SET unsubscribed_at = created_at WHERE reason = 'unsubscribe' AND unsubscribed_at IS NULL",
    )
    .run();
  await main
    .prepare("INSERT OR REPLACE INTO mail_shards (number, workspaces) SELECT 0, count(*) FROM workspaces")
    .run();
  await mail.prepare("INSERT OR REPLACE INTO main_copy (id, copied_at) VALUES (1, ?1)").bind(Date.now()).run();
}

async function copyTable(mail: D1Database, main: D1Database, table: string): Promise<number> {
  let rows = 0;
  const { results: columns } = await mail
    .prepare("SELECT name, pk FROM pragma_table_info(?1)")
    .bind(table)
    .all<{ name: string; pk: number }>();
  const names = columns.map(({ name }) => name);
  const key = columns.filter(({ pk }) => pk > 0).map(({ name }) => name);
  const insert = `INSERT OR IGNORE INTO ${table} (${names.join()}) VALUES (${names.map((_, at) => `?${at + 1}`).join()})`;
  const after = `WHERE (${key.join()}) > (${key.map(() => "?").join()})`;
  for (let last: Record<string, unknown> | undefined, more = true; more; ) {
    const { results } = await mail
      .prepare(`SELECT ${names.join()} FROM ${table} ${last ? after : ""} ORDER BY ${key.join()} LIMIT ?`)
      .bind(...(last ? key.map((name) => last?.[name]) : []), rowsPerStep(table))
      .all<Record<string, unknown>>();
    if (results.length > 0)
      await main.batch(results.map((row) => main.prepare(insert).bind(...names.map((name) => row[name]))));
    rows += results.length;
    last = results.at(-1);
    more = results.length === rowsPerStep(table);
  }
  return rows;
}

/** Keeps the numbers of deleted workspaces from being used again. */
async function copyLastNumber(mail: D1Database, main: D1Database): Promise<void> {
  const last = await mail.prepare("SELECT seq FROM sqlite_sequence WHERE name = 'workspaces'").first<number>("seq");
  const known = await main.prepare("SELECT seq FROM sqlite_sequence WHERE name = 'workspaces'").first<number>("seq");
  if (last === null || (known ?? 0) >= last) return;
  await main.batch([
    main
      .prepare("INSERT INTO workspaces (number, id, name, slug, created_at) VALUES (?1, 'last', 'last', 'last', 0)")
      .bind(last),
    main.prepare("DELETE FROM workspaces WHERE number = ?1 AND id = 'last'").bind(last),
  ]);
}
