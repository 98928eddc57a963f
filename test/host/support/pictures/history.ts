/** Rows of the past, which no call can make: counts of thirty days, the results of a broadcast, and what the service reports. */
import type { Seed } from "../../../../dev/seed.ts";
import { seedWorkspace } from "../../../../dev/seed-workspace.ts";
import { zeroCounts } from "../../../../src/audience/broadcasts/counts.ts";
import { uuidv7 as newId } from "../../../../src/lib/ids.ts";
import { createContext } from "../../../../src/platform/context.ts";

/** The account to which a domain is transferred. */
export const PARTNER = "grace@example.org";

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const HOURS = 29 * 24;
const DOMAINS: readonly (readonly [name: string, share: number])[] = [
  ["gmail.test", 0.46],
  ["outlook.test", 0.27],
  ["example.org", 0.17],
  ["university.example", 0.1],
];

/** Writes the past of the seeded workspace. The Worker must not run. */
export async function insertHistory(env: Env, seed: Seed): Promise<void> {
  const mail = (env as unknown as Record<string, D1Database>)[`MAIL_${seed.mailShard}`] as D1Database;
  const now = Date.now();
  const partner = { name: "Grace's Bindery", email: PARTNER, domain: "bindery.test", mailboxLocalPart: "grace" };
  await seedWorkspace(createContext(env, "seed"), partner);
  await mail.batch([...countStatements(mail, seed, now), ...broadcastStatements(mail, seed, now)]);
  await env.DB.batch([
    env.DB.prepare("UPDATE workspaces SET name = 'Example Shop' WHERE number = ?1").bind(seed.workspaceNumber),
    env.DB.prepare("UPDATE users SET name = 'Ada Okafor' WHERE id = ?1").bind(seed.userId),
    ...notificationStatements(env.DB, seed, now),
    env.DB.prepare("INSERT INTO dead_letters (id, queue, body, recorded_at) VALUES (?1, 'work-dead', ?2, ?3)").bind(
      newId(now),
      JSON.stringify({ type: "webhooks.deliver.v1", shard: 0 }),
      now - 3 * HOUR_MS,
    ),
  ]);
}

/** Returns statements for the counts of each hour, with more mail in the hours of the day than at night. */
function countStatements(mail: D1Database, { workspaceNumber }: Seed, now: number): D1PreparedStatement[] {
  const last = Math.floor(now / HOUR_MS) - 1;
  const rows = Array.from({ length: HOURS }, (_, index) => last - HOURS + 1 + index).flatMap((hour) => {
    const day = Math.floor(hour / 24);
    const volume = [4, 9, 11, 10, 12, 9, 3][day % 7] ?? 0;
    const byHour = Math.max(0, Math.sin((((hour % 24) - 5) / 16) * Math.PI));
    const failing = day % 9 === 4 ? 0.12 : 0.015;
    return DOMAINS.map(([domain, share]) => {
      const sent = Math.round(volume * byHour * share * 3);
      const bounced = Math.round(sent * failing);
      const delivered = sent - bounced;
      return [
        workspaceNumber,
        hour,
        domain,
        sent,
        delivered,
        bounced,
        Math.round(delivered * 0.42),
        Math.round(delivered * 0.11),
      ];
    });
  });
  return [
    mail
      .prepare(
        `INSERT INTO rollups_hourly (workspace, hour, domain, sent, delivered, bounced, opens, clicks, emails_sent, emails_delivered, emails_bounced, emails_opened, emails_clicked)
         SELECT value->>0, value->>1, value->>2, value->>3, value->>4, value->>5, value->>6, value->>7, value->>3, value->>4, value->>5, value->>6, value->>7
           FROM json_each(?1) WHERE value->>3 > 0`,
      )
      .bind(JSON.stringify(rows)),
  ];
}

/** Returns statements for two sent broadcasts; the older one compared two subjects. */
function broadcastStatements(mail: D1Database, seed: Seed, now: number): D1PreparedStatement[] {
  const [a, b] = [newId(now), newId(now + 1)];
  const arms = (...sizes: number[]) =>
    sizes.map((size, index) => ({ variant: sizes.length === 1 ? 0 : index + 1, size, upTo: 1 }));
  const fanOut = (wave: object, eligible: number, sizes: number[]) => ({
    ...{ list: 1, lastContact: 1, sender: {}, cursor: null, isComplete: true, wave },
    split: { isSample: sizes.length > 1, arms: arms(...sizes), eligible },
  });
  const sample = [
    { ...zeroCounts, n: 1, queued: 480, attempted: 480, delivered: 471, bounced: 9, opened: 156, clicked: 31 },
    { ...zeroCounts, n: 2, queued: 480, attempted: 480, delivered: 474, bounced: 6, opened: 218, clicked: 58 },
  ];
  const broadcasts = [
    {
      ...{ n: 1, at: now - 12 * DAY_MS, name: "Autumn sale", subject: "Every book 20 % off", pct: 20, winner: b },
      fan_out: { ...fanOut({ kind: "remainder", variant: 2 }, 4_800, [480, 480]), sample },
    },
    {
      ...{ n: 2, at: now - 5 * DAY_MS, name: "New opening hours", subject: "We open at eight now" },
      fan_out: fanOut({ kind: "first" }, 4_788, [4_788]),
    },
  ];
  const ids = broadcasts.map(({ at }) => newId(at));
  const variants = [
    { n: 1, id: a, label: "A", subject: "Every book 20 % off" },
    { n: 2, id: b, label: "B", subject: "{{name}}, your autumn reading is 20 % off" },
  ];
  const counts = [
    [1, 1, 480, 471, 9, 156, 31],
    [1, 2, 4_320, 4_266, 54, 1_962, 518],
    [2, 0, 4_788, 4_741, 47, 1_803, 212],
  ];
  const clicks = [
    ["https://shop.example/autumn", 402],
    ["https://shop.example/books/new-this-month", 121],
    ["https://shop.example/opening-hours", 26],
  ];
  const html = "<h1>Autumn sale</h1><p>Hello {{name}}, every book is 20 % off until Sunday.</p>";
  const insert = (sql: string, rows: readonly unknown[], ...further: unknown[]) =>
    mail.prepare(sql).bind(seed.workspaceNumber, JSON.stringify(rows), ...further);
  return [
    insert(
      `INSERT INTO broadcasts (n, workspace, id, status, user_id, name, subject, from_address, from_domain, sent_at, ab_test_pct,
         ab_winner_variant_id, ab_promoted_at, fan_out, size, created_at, updated_at, html_body)
       SELECT value->>'n', ?1, value->>'id', 'sent', ?3, value->>'name', value->>'subject', ?4, 'example.test', value->>'at', value->>'pct',
         value->>'winner', iif(value->>'winner' IS NULL, NULL, value->>'at'), value->'fan_out', 900, value->>'at', value->>'at', ?5
         FROM json_each(?2)`,
      broadcasts.map((broadcast, index) => ({ ...broadcast, id: ids[index] })),
      ...[seed.userId, `Example Shop <${seed.mailbox}>`, html],
    ),
    insert(
      `INSERT INTO broadcast_variants (n, workspace, broadcast, id, label, subject, weight, created_at)
       SELECT value->>'n', ?1, 1, value->>'id', value->>'label', value->>'subject', 1, 0 FROM json_each(?2)`,
      variants,
    ),
    insert(
      `INSERT INTO broadcast_counts (broadcast, variant, workspace, queued, attempted, delivered, bounced, failed, opened, clicked)
       SELECT value->>0, value->>1, ?1, value->>2, value->>2, value->>3, value->>4, 0, value->>5, value->>6 FROM json_each(?2)`,
      counts,
    ),
    insert(
      "INSERT INTO broadcast_clicks (broadcast, url, workspace, clicks) SELECT 1, value->>0, ?1, value->>1 FROM json_each(?2)",
      clicks,
    ),
  ];
}

function notificationStatements(db: D1Database, seed: Seed, now: number): D1PreparedStatement[] {
  const rows = [
    {
      ...{ category: "alerts", severity: "error", title: "old-shop.test can no longer send", href: "/domains" },
      ...{ body: "The SPF record is missing. Mail from this domain is held.", hours: 2 },
    },
    {
      ...{ category: "sends", severity: "success", title: "The broadcast “Autumn sale” is sent", href: "/broadcasts" },
      ...{ body: "4,737 of 4,800 emails were delivered.", hours: 26 },
    },
    {
      ...{ category: "team", severity: "info", title: "Grace Hopper joined the workspace", href: "/team" },
      ...{ body: "She has the role admin.", hours: 50 },
    },
  ].map((row) => ({ ...row, at: now - row.hours * HOUR_MS, id: newId(now - row.hours * HOUR_MS) }));
  return [
    db
      .prepare(
        `INSERT INTO notifications (id, workspace, user_id, category, severity, title, body, href, created_at)
         SELECT value->>'id', ?1, ?2, value->>'category', value->>'severity', value->>'title', value->>'body', value->>'href', value->>'at'
           FROM json_each(?3)`,
      )
      .bind(seed.workspaceNumber, seed.userId, JSON.stringify(rows)),
  ];
}
