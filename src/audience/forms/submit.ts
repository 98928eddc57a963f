import { type Address, parseAddress } from "../../lib/addresses.ts";
import { onError, tooManyRequests, unprocessable, type ValidationError } from "../../lib/errors.ts";
import { ipNetwork } from "../../lib/ip-addresses.ts";
import { nameIssue, UNPRINTABLE } from "../../lib/text-rules.ts";
import { HOUR_MS } from "../../lib/time.ts";
import { BudgetSpentError } from "../../platform/budgets/spent.ts";
import type { Ctx, MailCtx } from "../../platform/context.ts";
import { hasRoom } from "../../platform/db/has-room.ts";
import { onShardOf } from "../../platform/jobs/shards.ts";
import { requireAll } from "../../platform/rate-limits/exact.ts";
import type { RecipientTexts } from "../../platform/recipient-texts/en.ts";
import { textsIn } from "../../platform/recipient-texts/index.ts";
import { copyToNewContacts } from "../../sending/suppressions/index.ts";
import { evidenceStatement, type RequestSource, requestStatements, wordsStatement } from "../consent/index.ts";
import { type FormRow, findForm } from "./queries.ts";
import { type FormField, type FormWords, HONEYPOT, limits, submissionPolicies } from "./rules.ts";
import { readFormToken } from "./token.ts";

/** A form that takes submissions, with the mail database of its workspace. */
export interface OpenForm {
  ctx: MailCtx;
  form: FormRow;
  fields: FormField[];
}

/** Where a submission comes from, and the language of its page. */
type FormSource = RequestSource & { language: string };

/** Returns the form of a token, or null when it is unknown, deleted or not active. */
export async function findOpenForm(ctx: Ctx, token: string): Promise<OpenForm | null> {
  const reference = await readFormToken(ctx.settings.masterKeys, token);
  if (!reference) return null;
  const mailCtx = await onShardOf(ctx, reference.workspace);
  const form = mailCtx && (await findForm(mailCtx, reference.workspace, reference.id));
  if (!mailCtx || !form || form.isActive === 0) return null;
  return { ctx: mailCtx, form, fields: JSON.parse(form.fields) as FormField[] };
}

// Of an address that the list has already only RETURN changes anything, so a form tells nothing about the contacts and changes none.
const INSERT = `
  INSERT OR IGNORE INTO contacts (workspace, list, id, email, email_key, name, metadata, created_at, pending_since)
  SELECT ?1, n, ?3, ?4, ?5, ?6, ?7, ?8, ?8 FROM contact_lists WHERE n = ?2 AND workspace = ?1 AND ${hasRoom("contacts", "?1")}`;

// An unsubscribed person has left the list, and comes back by confirming.
const RETURN = `
  UPDATE contacts SET pending_since = ?4
   WHERE workspace = ?1 AND email_key = ?2 AND list = ?3 AND pending_since IS NULL AND suppressed = 'unsubscribe'`;

const COUNT = "UPDATE contact_lists SET contact_count = contact_count + changes() WHERE n = ?1";

const FIND_ID = "SELECT id FROM contacts WHERE workspace = ?1 AND email_key = ?2 AND list = ?3";

/**
 * Takes a submission (docs/contract/consent.md#forms): adds a contact that is pending until it confirms, and asks for the mail. A contact
 * that is there already stays as it is; one that is pending gets the mail again, within its limits, and one that has unsubscribed is pending
 * again. Does the same, as far as the visitor sees, for every address. Throws 429 beyond the limits of the form or of contacts, 422 for a field. Makes at
 * most four D1 calls.
 */
export async function submitForm(open: OpenForm, values: URLSearchParams, source: FormSource): Promise<void> {
  const { ctx, form } = open;
  const texts = textsIn(source.language);
  await countSubmission(ctx, form, source.ip, texts);
  // A program filled in what people do not see.
  if ((values.get(HONEYPOT) ?? "") !== "") return;
  const { address, name, metadata } = readValues(open, values, texts);
  const db = ctx.mail;
  const newId = ctx.newId();
  const adding = db.batch([
    db.prepare(INSERT).bind(form.workspace, form.list, newId, address.address, address.key, name, metadata, ctx.now()),
    db.prepare(COUNT).bind(form.list),
    db.prepare(RETURN).bind(form.workspace, address.key, form.list, ctx.now()),
  ]);
  const [inserted] = await adding.catch(
    onError(BudgetSpentError, () => {
      throw tooManyRequests(texts.tooOften, HOUR_MS / 1000);
    }),
  );
  if ((inserted?.meta.changes ?? 0) > 0) await copyToNewContacts(ctx, form.workspace, [address.key]);
  const id = await db.findValue<string>(FIND_ID, form.workspace, address.key, form.list);
  if (id === null) return;
  const words: FormWords = { kind: "form", title: form.title, text: form.text, button: form.button };
  const { version, statement } = await wordsStatement(ctx, form.workspace, words);
  const { statements, wakeUp } = requestStatements(ctx, { n: form.list }, [JSON.stringify([{ id }])], source.language);
  const evidence = evidenceStatement(ctx, form.workspace, "pending", {
    id: ctx.newId(),
    kind: "requested",
    emailKey: address.key,
    at: ctx.now(),
    listId: form.listId,
    listName: form.listName,
    ip: source.ip,
    userAgent: source.userAgent,
    words: version,
    source: null,
    userId: null,
  });
  await db.batch([statement, evidence, ...statements]);
  await ctx.wake([wakeUp]);
}

/** Counts a submission against the limits of its form. Throws 429. */
function countSubmission(ctx: Ctx, { id }: FormRow, ip: string | null, { tooOften }: RecipientTexts): Promise<void> {
  const ofNetwork = [submissionPolicies.network, `${id} ${ipNetwork(ip ?? "unknown")}`] as const;
  return requireAll(ctx, [ofNetwork, [submissionPolicies.form, id]], tooOften);
}

/** Returns the values of a submission. Throws 422 that names each field. */
function readValues({ fields }: OpenForm, values: URLSearchParams, texts: RecipientTexts) {
  const errors: ValidationError[] = [];
  const refuse = (field: string, msg: string) => errors.push({ loc: ["body", field], msg, type: "value_error" });
  const address: Address | null = parseAddress((values.get("email") ?? "").trim());
  if (!address) refuse("email", texts.invalidAddress);
  const read = Object.fromEntries(
    fields.flatMap(({ name, label, required }) => {
      const value = (values.get(name) ?? "").trim();
      const issue = name === "name" ? nameIssue(value) : null;
      if (value.length > limits.valueCharacters || UNPRINTABLE.test(value) || issue !== null)
        refuse(name, texts.notAllowed(label, limits.valueCharacters));
      else if (value === "" && required) refuse(name, texts.missing(label));
      return value === "" ? [] : [[name, value]];
    }),
  ) as Record<string, string>;
  if (errors.length > 0 || !address) throw unprocessable(errors);
  const { name = null, ...metadata } = read;
  return { address, name, metadata: Object.keys(metadata).length > 0 ? JSON.stringify(metadata) : null };
}
