import { linkUrl } from "../../domains/hosts/index.ts";
import { parseAddress } from "../../lib/addresses.ts";
import { AppError, requireFound } from "../../lib/errors.ts";
import { sealLinks } from "../../lib/sealed-links.ts";
import { DAY_MS } from "../../lib/time.ts";
import type { MailCtx, MailStatement, WakeUp } from "../../platform/context.ts";
import { ConcurrencyError, expectChanges, guardedBatch } from "../../platform/db/batch.ts";
import { mayExecute } from "../../platform/db/count-statements.ts";
import { consumeRows } from "../../platform/outbox/consume-rows.ts";
import { textsIn } from "../../platform/recipient-texts/index.ts";
import { countForReader } from "../../platform/service-mail/count-for-reader.ts";
import { sendBatch } from "../../sending/emails/index.ts";
import { type ContactMark, findMarks } from "../../sending/suppressions/index.ts";
import { composeHtml, composeText } from "../../sending/system-emails/index.ts";
import { wordsStatement } from "./evidence.ts";
import { LINK_MS, maySend, recentTimes } from "./rules.ts";
import { type ConfirmationSender, findConfirmationSender } from "./sender.ts";
import { newConfirmationToken, shortHash } from "./tokens.ts";
import { type ConfirmationTexts, type MailWords, mailWordsOf } from "./words.ts";

/** Mails of one page, which is one transaction. */
const MAILS_PER_PAGE = 100;
/** D1 statements of a page with its claim. */
const PAGE_STATEMENTS = 40;
/** A run starts no further page after so many milliseconds: half a lease. */
const RUN_MS = 60_000;
/** How long mails wait when the workspace cannot send them, in milliseconds. */
const WAIT_MS = 600_000;

interface ListRow extends ConfirmationTexts {
  n: number;
  id: string;
  workspace: number;
  confirm_mailbox_id: string | null;
}

const FIND_LIST = `
  SELECT n, id, workspace, name, confirm_mailbox_id, confirm_subject, confirm_text FROM contact_lists WHERE n = ?1`;

/**
 * Sends the confirmation mails that lists ask for, in pages. A page is one transaction with the record that its mails were sent, so that
 * each address gets one, whenever a run is killed. Throws when a page failed: the lease then expires, and the next sweep finds the row.
 */
export async function runConfirmations(ctx: MailCtx, wakeUps: readonly WakeUp[]): Promise<void> {
  const until = ctx.now() + RUN_MS;
  await consumeRows(
    ctx,
    wakeUps,
    async ({ ref }) => {
      const [list] = JSON.parse(ref) as [number];
      const result = await sendPages(ctx, list, until);
      if (result === "done") return "done";
      return result === "wait" ? { dueAt: ctx.now() + WAIT_MS } : { dueAt: ctx.now(), wakes: true };
    },
    () => ctx.now() < until && mayExecute(ctx, PAGE_STATEMENTS),
  );
}

/** Sends pages until none is left (`done`), the time is over (`more`) or the workspace cannot send (`wait`). */
async function sendPages(ctx: MailCtx, n: number, until: number): Promise<"done" | "more" | "wait"> {
  const list = await ctx.mail.findRow<ListRow>(FIND_LIST, n);
  if (!list) {
    const sql = "UPDATE confirmations SET requested_at = NULL WHERE list = ?1 AND requested_at IS NOT NULL";
    await ctx.mail.execute(sql, n);
    return "done";
  }
  const sender = await findConfirmationSender(ctx, list.workspace, list.confirm_mailbox_id);
  if (sender === null) return "done";
  do {
    const page = await findPage(ctx, n);
    if (page.length === 0) return "done";
    const isOld = page.every(({ requested_at }) => requested_at <= ctx.now() - LINK_MS);
    if (sender === "wait" && !isOld) return "wait";
    try {
      await sendPage(ctx, list, sender === "wait" ? null : sender, page);
    } catch (error) {
      // Another run sent it; the next page is read anew.
      if (error instanceof ConcurrencyError) continue;
      // A pause, the daily limit or a full database: tried again later.
      if (error instanceof AppError && [403, 429, 503].includes(error.status)) return "wait";
      throw error;
    }
  } while (ctx.now() < until && mayExecute(ctx, PAGE_STATEMENTS));
  return "more";
}

interface PageRow {
  email_key: string;
  requested_at: number;
  sent: string;
  language: string | null;
  of_person: string;
  /** When the person last submitted a form of the list, in ms since 1970; null: never. */
  asked_at: number | null;
  id: string | null;
  email: string | null;
  name: string | null;
  pending_since: number | null;
}

const FIND_PAGE = `
  SELECT k.email_key, k.requested_at, k.sent, k.language, c.id, c.email, c.name, c.pending_since,
         (SELECT json_group_array(t.value) FROM confirmations p, json_each(p.sent) t
           WHERE p.workspace = k.workspace AND p.email_key = k.email_key) AS of_person,
         (SELECT max(e.at) FROM consents e WHERE e.workspace = k.workspace AND e.email_key = k.email_key AND e.kind = 'requested'
             AND e.list_id = (SELECT id FROM contact_lists WHERE n = ?1)) AS asked_at
    FROM confirmations k
    LEFT JOIN contacts c ON c.workspace = k.workspace AND c.email_key = k.email_key AND c.list = k.list
   WHERE k.list = ?1 AND k.requested_at IS NOT NULL ORDER BY k.requested_at LIMIT ?2`;

async function findPage(ctx: MailCtx, list: number): Promise<PageRow[]> {
  return await ctx.mail.listRows<PageRow>(FIND_PAGE, list, MAILS_PER_PAGE);
}

const FINISH = `
  WITH j AS MATERIALIZED (SELECT value->>'key' AS key, value->>'sent' AS sent, value->>'lastAt' AS last_at FROM json_each(?3))
  UPDATE confirmations SET requested_at = NULL, sent = j.sent, last_at = coalesce(j.last_at, confirmations.last_at) FROM j
   WHERE confirmations.workspace = ?1 AND confirmations.list = ?2 AND confirmations.email_key = j.key
     AND confirmations.requested_at IS NOT NULL`;

type Addressee = PageRow & { id: string; email: string };

/** Sends the mails of a page to those who still wait for one, and takes the others off. */
async function sendPage(
  ctx: MailCtx,
  list: ListRow,
  sender: ConfirmationSender | null,
  page: readonly PageRow[],
): Promise<void> {
  const now = ctx.now();
  const keys = page.map(({ email_key: key }) => key);
  const marks = await findMarks(ctx, list.workspace, keys);
  const byEmail = new Map(marks.map((mark) => [mark.email, mark]));
  const due = page.flatMap((row): Addressee[] => {
    const { id, email } = row;
    if (sender === null || id === null || email === null || row.pending_since === null) return [];
    if (row.requested_at <= now - LINK_MS || isStopped(row, byEmail.get(row.email_key), now) || !parseAddress(email))
      return [];
    return maySend(timesOf(row.sent), timesOf(row.of_person), now) ? [{ ...row, id, email }] : [];
  });
  const counted = await Promise.all(due.map(({ email }) => countForReader(ctx, email)));
  const chosen = due.filter((_, index) => counted[index] !== null);
  const mailed = new Set(chosen.map(({ email_key: key }) => key));
  const records = page.map(({ email_key: key, sent }) => {
    const times = recentTimes(timesOf(sent), now);
    return mailed.has(key)
      ? { key, sent: JSON.stringify([...times, now]), lastAt: now }
      : { key, sent: JSON.stringify(times) };
  });
  const finish: MailStatement[] = [
    ctx.mail.prepare(FINISH).bind(list.workspace, list.n, JSON.stringify(records)),
    expectChanges(ctx.mail, records.length),
  ];
  if (chosen.length === 0 || sender === null) {
    await guardedBatch(ctx.mail, finish);
    return;
  }
  const wordsOf = new Map(
    await Promise.all(
      [...new Set(chosen.map(({ language }) => language ?? "en"))].map(async (language) => {
        const words = mailWordsOf(list, sender.brand.name, language);
        return [language, { words, ...(await wordsStatement(ctx, list.workspace, words)) }] as const;
      }),
    ),
  );
  const items = chosen.map((row) =>
    toItem(ctx, list, sender, row, requireFound(wordsOf.get(row.language ?? "en"), "Words")),
  );
  const extra = [...finish, ...[...wordsOf.values()].map(({ statement }) => statement)];
  await sendBatch(sender.caller, await Promise.all(items), false, undefined, { source: "system", extra }).catch(
    async (error) => {
      await Promise.all(counted.map((mail) => mail?.giveBack()));
      throw error;
    },
  );
}

/**
 * Returns whether an entry of the suppression list stops the mail: each does, except that who unsubscribed and submitted a form after that
 * gets one mail a day, by which they come back.
 */
function isStopped(
  { asked_at: askedAt, of_person: times }: PageRow,
  mark: ContactMark | undefined,
  now: number,
): boolean {
  if (!mark || mark.reason === null) return false;
  if (mark.reason !== "unsubscribe" || askedAt === null || askedAt < (mark.unsubscribedAt ?? 0)) return true;
  return timesOf(times).some((time) => time > now - DAY_MS);
}

const timesOf = (json: string) => JSON.parse(json) as number[];

/** Returns the mail to one address. Its link is stored encrypted, since members of the workspace can read sent emails. */
async function toItem(
  ctx: MailCtx,
  list: ListRow,
  { address, name, linkHost, brand }: ConfirmationSender,
  { id, email, email_key: key }: Addressee,
  { words, version }: { words: MailWords; version: string },
) {
  const { masterKeys } = ctx.settings;
  const base = linkUrl(ctx.settings, linkHost);
  const token = await newConfirmationToken(masterKeys, {
    workspace: list.workspace,
    list: list.n,
    contactId: id,
    expiresAt: ctx.now() + LINK_MS,
    address: await shortHash(key),
    words: version,
  });
  const parts = [
    words.text,
    { ask: textsIn(words.language ?? null).confirmAsk, label: words.button, url: `${base}/c/${token}` },
  ];
  const seal = (content: string) => sealLinks(masterKeys, content, base);
  const html = composeHtml(
    { subject: words.subject, parts },
    { brand, origin: ctx.settings.publicUrl, language: words.language ?? "en" },
  );
  return {
    input: {
      from_: { email: address, name },
      to: [{ email }],
      subject: words.subject,
      text: await seal(composeText({ parts: brand.address ? [...parts, brand.address] : parts })),
      html: await seal(html),
      tracking: { opens: false, clicks: false },
    },
  };
}
