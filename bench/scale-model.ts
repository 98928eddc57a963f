/**
 * Models databases, storage and cost of a deployment: `npm run scale-model -- [emails a month] [days kept]`. Sizes of rows
 * and costs of a send are measured (docs/performance.md); prices are those of bench/prices.ts. Without arguments it
 * prints the table of docs/performance.md.
 */

/** Bytes of a settled email in its mail database, indexes and search included, by recipients (measured). */
const SINGLE_BYTES = 1_024;
const BATCH_BYTES = 786;
const BYTES_PER_FURTHER_RECIPIENT = 347;
/** Largest size to which a mail database is filled, and the limit of D1, in bytes. */
const FILLED_BYTES = 7e9;
/** Dollars a gigabyte and month of D1, and 1,000 emails without their storage: accept, delivery, content in R2. */
const D1_DOLLARS = 0.75;
const SEND_DOLLARS = { single: 0.016, batch: 0.0044 };
/** Milliseconds of one sweep of an idle mail database. */
const SWEEP_MS = 8;

export interface Load {
  emailsPerMonth: number;
  daysKept: number;
  recipients: number;
  /** From 0 to 1. */
  batchShare: number;
}

export interface Model {
  databases: number;
  gigabytes: number;
  storageDollarsPerThousand: number;
  dollarsPerThousand: number;
  cronMsPerMinute: number;
}

/** Returns what a steady load needs once emails expire as fast as new ones come. */
export function model({ emailsPerMonth, daysKept, recipients, batchShare }: Load): Model {
  const further = (recipients - 1) * BYTES_PER_FURTHER_RECIPIENT;
  const bytes = batchShare * BATCH_BYTES + (1 - batchShare) * SINGLE_BYTES + further;
  const gigabytes = (emailsPerMonth * (daysKept / 30) * bytes) / 1e9;
  const databases = Math.max(1, Math.ceil((gigabytes * 1e9) / FILLED_BYTES));
  const storage = ((gigabytes * D1_DOLLARS) / emailsPerMonth) * 1_000;
  const send = batchShare * SEND_DOLLARS.batch + (1 - batchShare) * SEND_DOLLARS.single;
  return {
    databases,
    gigabytes,
    storageDollarsPerThousand: storage,
    dollarsPerThousand: storage + send,
    cronMsPerMinute: databases * SWEEP_MS,
  };
}

function row(load: Load): string {
  const result = model(load);
  const cells = [
    load.emailsPerMonth.toLocaleString("en"),
    String(load.daysKept),
    `${result.gigabytes.toFixed(1)} GB`,
    String(result.databases),
    `$${result.storageDollarsPerThousand.toFixed(4)}`,
    `$${result.dollarsPerThousand.toFixed(4)}`,
    `${(result.cronMsPerMinute / 1000).toFixed(1)} s`,
  ];
  return `| ${cells.join(" | ")} |`;
}

if (process.argv[1]?.endsWith("scale-model.ts")) {
  const [emails, days] = process.argv.slice(2).map(Number);
  const months = emails ? [emails] : [1_000_000, 10_000_000, 100_000_000];
  const kept = days ? [days] : [30, 90, 365];
  console.log(
    "| emails a month | days kept | mail data | mail databases | D1 storage of 1,000 | total of 1,000 | cron a minute |",
  );
  console.log("|---|---|---|---|---|---|---|");
  for (const emailsPerMonth of months)
    for (const daysKept of kept) console.log(row({ emailsPerMonth, daysKept, recipients: 1, batchShare: 0.7 }));
}
