import { type AppContext, newRoutes } from "../../http/env.ts";
import { isForm } from "../../http/fields.ts";
import { readFormWithFiles } from "../../http/file-body.ts";
import { webmailFor } from "../../http/mailbox-page-session.ts";
import { respondPage } from "../../http/page.tsx";
import { attempt, onceForForm, parseFields, readForm, submitForm } from "../../http/page-routes.ts";
import { readTime } from "../../http/time-field.ts";
import { parseAddress } from "../../lib/addresses.ts";
import { inMiB } from "../../lib/bytes.ts";
import { type AppError, conflict, invalidField, notFound, nullIfMissing, tooLarge } from "../../lib/errors.ts";
import { iso } from "../../lib/time.ts";
import {
  createDraft,
  DraftIn,
  deleteDraft,
  MAX_FILE_BYTES,
  MAX_WRITTEN_HTML,
  replaceDraft,
  SendIn,
  sendFromMailbox,
} from "../../mailboxes/inbox/index.ts";
import { cancelEmail, listScheduledOfMailbox } from "../../sending/emails/scheduled/index.ts";
import { requireAllFiles, settleFiles, storeChosen } from "./compose-files.ts";
import { type ComposeForm, readComposeForm, toAddresses, toMessageInput } from "./compose-form.ts";
import { ComposePage } from "./compose-page.tsx";
import { insertReply } from "./insert-reply.ts";
import type { OpenPage } from "./layout.tsx";
import { isAnswered, type Offered, openForm } from "./open-form.ts";
import { openPage } from "./open-page.tsx";
import { backPath, composePath, scheduledPath } from "./paths.ts";
import { ScheduledPage } from "./scheduled-page.tsx";
import { toSentQuery } from "./sent.ts";

/** Greatest text of the form, in bytes: a million characters, percent-encoded. */
const MAX_TEXT_BYTES = 3_000_000;
/** Most parts of the form: its fields, at most 100 files that are stored, and those that are chosen. */
const MAX_PARTS = 250;
/** For how long sending can be undone. The API schedules from 60 seconds on. */
const UNDO_MS = 65_000;

const notices: Readonly<Record<string, string>> = {
  saved: "The draft is saved.",
  "saved-new": "The draft was sent, changed or deleted elsewhere. This is a new one.",
  stopped: "The message is not sent. It is in Drafts.",
  later: "The message leaves at its time.",
  "stopped-draft": "The message is not sent. Change it, or send it again.",
};

/** The pages that write messages, and those that wait to be sent. */
export const composePages = newRoutes()
  .get("/mail/compose/:mailbox_id", ...webmailFor("POST /v1/inbox/:mailbox_id/send"), async (c) => {
    const page = await openPage(c);
    const draft = c.req.query("draft") ?? "";
    const waiting = await findWaiting(page, draft);
    if (waiting) return c.redirect(scheduledPath(page.mailbox.id, { email: waiting, draft }), 303);
    const { form, ...offered } = await openForm(page, c.req.query());
    return showForm(c, page, form, { offered });
  })
  .post("/mail/compose/:mailbox_id", ...webmailFor("POST /v1/inbox/:mailbox_id/send"), async (c) => {
    const page = await openPage(c);
    const { form, action, savedReply, refused } = await readCompose(c, page);
    const run = async () => {
      const settled = await settleFiles(page, form.files);
      form.files = settled.files;
      if (refused) throw refused;
      requireAllFiles(settled);
      if (action === "attach" || action?.startsWith("remove:")) return showForm(c, page, form);
      if (action === "insert") {
        await insertReply(page, form, savedReply);
        return showForm(c, page, form);
      }
      // The script takes no addresses over from the reply to a draft that it has saved.
      if (action === "autosave") {
        const offered = { known: [], savedReplies: [] };
        return showForm(c, page, form, { offered, saved: await saveComplete(page, form) });
      }
      return action === "draft" ? saveDraft(page, form) : send(c, page, form, action);
    };
    return attempt(c, () => showForm(c, page, form), run);
  })
  .get("/mail/scheduled/:mailbox_id", ...webmailFor("GET /v1/inbox/:mailbox_id/scheduled"), showScheduled)
  .post("/mail/scheduled/:mailbox_id", ...webmailFor("POST /v1/inbox/:mailbox_id/send"), (c) =>
    submitForm(c, showScheduled, async (fields) => {
      const { caller, mailbox } = await openPage(c);
      const id = fields.get("email_id");
      const own = await listScheduledOfMailbox(caller, mailbox.id);
      if (!own.some((email) => email.id === id)) throw notFound("Email");
      await cancelEmail(caller, id ?? "");
      const draft = fields.get("draft") ?? "";
      const isDraft = /^\d{1,10}$/.test(draft) && (await mailbox.store.find("Drafts", Number(draft))) !== null;
      if (isDraft) await mailbox.store.claimDraft(Number(draft), null, id);
      return isDraft
        ? composePath(mailbox.id, { draft, done: "stopped-draft", back: fields.get("back") ?? "" })
        : scheduledPath(mailbox.id, { done: "stopped" });
    }),
  );

/** Returns the id of the email that waits to be sent from a draft, or null. */
async function findWaiting({ caller, mailbox }: OpenPage, draft: string): Promise<string | null> {
  const [claim] = /^\d{1,10}$/.test(draft) ? await mailbox.store.findClaims([Number(draft)]) : [];
  if (!claim) return null;
  const waiting = await listScheduledOfMailbox(caller, mailbox.id);
  return waiting.find(({ id }) => id === claim.email)?.id ?? null;
}

/** Reads the form of a message, and stores the files that were chosen in it. `refused` says what of it is too large. */
async function readCompose(c: AppContext, page: OpenPage) {
  const read = (fields: URLSearchParams) => ({
    form: { ...readComposeForm(fields), sendAt: readTime(fields, "send_at") },
    action: fields.get("action"),
    savedReply: fields.get("saved_reply") ?? "",
  });
  if (isForm(c)) {
    const fields = read(await readForm(c, MAX_TEXT_BYTES));
    return { ...fields, refused: tooLargeError(fields.form, {}) };
  }
  const limits = { maxBytes: MAX_FILE_BYTES, maxTextBytes: MAX_TEXT_BYTES, maxParts: MAX_PARTS };
  return readFormWithFiles(c, limits, async ({ fields, files, ...parts }) => {
    const { form, ...others } = read(fields);
    form.files.push(...(await storeChosen(page, files)));
    return { form, ...others, refused: tooLargeError(form, parts) };
  });
}

/** Returns why a form that is shown again as far as it is kept can neither be stored nor sent, or null. */
function tooLargeError(
  { isTooLong }: ComposeForm,
  { isTooLarge, isTextTooLarge }: { isTooLarge?: boolean; isTextTooLarge?: boolean },
): AppError | null {
  if (isTooLarge)
    return tooLarge(`The files are larger than ${inMiB(MAX_FILE_BYTES)} together. They were not attached`);
  const lost = "Nothing was saved or sent";
  if (isTextTooLarge)
    return tooLarge(`The text is longer than ${count(MAX_TEXT_BYTES)} bytes. ${lost}, and its end is cut`);
  if (!isTooLong) return null;
  const most = `the limit is ${count(MAX_WRITTEN_HTML)} characters. ${lost}; it is below without formatting`;
  return tooLarge(`The text with its formatting is too long; ${most}`);
}

const count = (value: number) => value.toLocaleString("en");

/** Stores the form as a draft and returns the path of its page. */
async function saveDraft(page: OpenPage, form: ComposeForm): Promise<string> {
  let done = "saved";
  await storeDraft(page, form, (error) => {
    done = "saved-new";
    return nullIfMissing(error);
  });
  return composePath(page.mailbox.id, { draft: form.draft, done, back: form.back });
}

/** Stores the form as a draft without the addresses that are not complete yet. Returns what to say about it. */
async function saveComplete(page: OpenPage, form: ComposeForm): Promise<string> {
  const fields = { to: complete(form.to), cc: complete(form.cc), bcc: complete(form.bcc) };
  const isComplete = (["to", "cc", "bcc"] as const).every((name) => fields[name].isComplete);
  const texts = { to: fields.to.text, cc: fields.cc.text, bcc: fields.bcc.text };
  form.draft = String(await storeDraft(page, { ...form, ...texts }));
  return isComplete ? "Draft saved." : "Draft saved without the addresses that are not complete.";
}

function complete(text: string): { text: string; isComplete: boolean } {
  const addresses = toAddresses(text);
  const known = addresses.filter((address) => parseAddress(address) !== null);
  return { text: known.join(", "), isComplete: known.length === addresses.length };
}

/**
 * Stores the form as its draft and returns its UID. `onGone` gets the error of one that is gone: null stores a new draft. By default that is
 * a 409, since the new one would be sent beside the other.
 */
async function storeDraft(
  { caller, mailbox }: OpenPage,
  form: ComposeForm,
  onGone: (error: unknown) => null = (error) => nullIfMissing(error) ?? refuseGone(form),
): Promise<number> {
  const input = parseFields(DraftIn, toMessageInput(form));
  const known = form.draft === "" ? null : await replaceDraft(caller, mailbox, Number(form.draft), input).catch(onGone);
  const { uid } = known ?? (await createDraft(caller, mailbox, input));
  form.draft = String(uid);
  return uid;
}

/** Throws 409 for a draft that another window or person has sent, changed or deleted. The form, saved or sent again, is a new message. */
function refuseGone(form: ComposeForm): never {
  form.draft = "";
  throw conflict("The draft was sent, changed or deleted elsewhere. Save or send again to make this a new message");
}

/** Sends the form once: `now`, `later` at its time, or else after the time in which it can be undone. It is a draft until then. */
async function send(c: AppContext, page: OpenPage, form: ComposeForm, action: string | null): Promise<string> {
  const { caller, mailbox } = page;
  const input = toMessageInput(form);
  const until = caller.now() + UNDO_MS;
  const atOnce = action === "now";
  const isLater = action === "later";
  if (isLater && form.sendAt === "") throw invalidField("send_at", "Choose a time");
  const at = atOnce ? {} : { send_at: isLater ? form.sendAt : iso(until) };
  const checked = parseFields(SendIn, { ...input, ...at });
  // A form that is submitted twice uploads its files twice, under other ids.
  const files = form.files.map(({ name, size }) => [name, size]);
  const fingerprint = JSON.stringify({ input: { ...input, file_ids: files }, atOnce, ...(isLater ? at : {}) });
  const { id } = await onceForForm(
    c,
    async (ctx) => {
      if (!form.isAnswered && (await isAnswered(page, form.inReplyTo))) askAboutAnswer(form);
      const isNew = form.draft === "";
      if (!atOnce) await storeDraft(page, form);
      else if (!isNew && !(await mailbox.store.find("Drafts", Number(form.draft)))) refuseGone(form);
      try {
        return await sendFromMailbox(ctx, mailbox, {
          ...checked,
          draft_id: form.draft === "" ? null : Number(form.draft),
        });
      } catch (error) {
        if (isNew && form.draft !== "") await dropDraft(page, form);
        throw error;
      }
    },
    fingerprint,
    form.idempotencyKey,
  );
  if (isLater) return scheduledPath(mailbox.id, { done: "later" });
  const undo = atOnce ? null : { email: id, draft: form.draft, until };
  return backPath(mailbox.id, form.back, toSentQuery({ undo }));
}

/** Throws 409 for a reply to a message that somebody has answered since it was opened. The form, sent again, is sent. */
function askAboutAnswer(form: ComposeForm): never {
  form.isAnswered = true;
  throw conflict(
    "This message was answered since you opened it. Read the answer in its conversation, or send again to send yours too",
  );
}

/** Deletes the draft that was made for a message which was not sent. Its text is in the form. */
async function dropDraft({ caller, mailbox }: OpenPage, form: ComposeForm): Promise<void> {
  await deleteDraft(caller, mailbox, Number(form.draft)).catch(() => null);
  form.draft = "";
}

interface Shown {
  /** Read when it is not given. */
  offered?: Offered;
  saved?: string;
}

async function showForm(c: AppContext, page: OpenPage, form: ComposeForm, { offered, saved }: Shown = {}) {
  const { known, savedReplies } = offered ?? (await readOffered(page));
  const shown = <ComposePage page={page} form={form} known={known} savedReplies={savedReplies} saved={saved} />;
  return respondPage(c, shown, { notices });
}

async function readOffered({ mailbox }: OpenPage): Promise<Offered> {
  const { addresses, savedReplies } = await mailbox.store.forWriting();
  return { known: addresses, savedReplies };
}

async function showScheduled(c: AppContext) {
  const page = await openPage(c);
  const emails = await listScheduledOfMailbox(page.caller, page.mailbox.id);
  const { email = "", draft = "" } = c.req.query();
  const sending = email === "" ? null : { email, draft };
  return respondPage(c, <ScheduledPage page={page} emails={emails} sending={sending} />, { notices });
}
