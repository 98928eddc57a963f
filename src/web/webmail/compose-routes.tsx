import type { Context } from "hono";
import { Hono } from "hono";
import type { AppEnv } from "../../http/env.ts";
import { isForm, readForm } from "../../http/fields.ts";
import { readFormWithFiles } from "../../http/file-body.ts";
import { onceForForm } from "../../http/idempotency.ts";
import { webmailFor } from "../../http/mailbox-page-session.ts";
import { respondPage } from "../../http/page.tsx";
import { parseFields, type Refusal, submitForm } from "../../http/page-form.ts";
import { parseAddress } from "../../lib/addresses.ts";
import { inMiB } from "../../lib/bytes.ts";
import { AppError, notFound, tooLarge } from "../../lib/errors.ts";
import { iso } from "../../lib/time.ts";
import {
  createDraft,
  DraftIn,
  deleteDraft,
  getMessage,
  MAX_FILE_BYTES,
  readContent,
  replaceDraft,
  SendIn,
  sendFromMailbox,
} from "../../mailboxes/inbox/index.ts";
import { cancelEmail, listScheduledOfMailbox } from "../../sending/emails/scheduled/index.ts";
import { requireAllFiles, settleFiles, storeChosen } from "./compose-files.ts";
import {
  type ComposeForm,
  draftForm,
  newForm,
  type Reply,
  readComposeForm,
  replyForm,
  toAddresses,
  toMessageInput,
} from "./compose-form.ts";
import { ComposePage } from "./compose-page.tsx";
import type { OpenPage } from "./layout.tsx";
import { openPage } from "./open-page.ts";
import { composePath, folderPath, scheduledPath } from "./paths.ts";
import { ScheduledPage } from "./scheduled-page.tsx";

/** Greatest text of the form, in bytes: a million characters, percent-encoded. */
const MAX_TEXT_BYTES = 3_000_000;
/** Most parts of the form: its fields, at most 100 files that are stored, and those that are chosen. */
const MAX_PARTS = 250;
/** For how long sending can be undone. The API schedules from 60 seconds on. */
const UNDO_MS = 65_000;

const notices: Readonly<Record<string, string>> = {
  saved: "The draft is saved.",
  sent: "The message leaves in a minute.",
  stopped: "The message is not sent. It is in Drafts.",
  "stopped-draft": "The message is not sent. Change it, or send it again.",
};

/** The pages that write messages, and those that wait to be sent. */
export const composePages = new Hono<AppEnv>()
  .get("/mail/compose/:mailbox_id", ...webmailFor("POST /v1/inbox/:mailbox_id/send"), async (c) => {
    const page = await openPage(c.get("caller"), c.req.param("mailbox_id"));
    return showForm(c, page, await firstForm(c, page));
  })
  .post("/mail/compose/:mailbox_id", ...webmailFor("POST /v1/inbox/:mailbox_id/send"), async (c) => {
    const page = await openPage(c.get("caller"), c.req.param("mailbox_id"));
    const { form, action, isTooLarge } = await readCompose(c, page);
    const run = async () => {
      const settled = await settleFiles(page, form.files);
      form.files = settled.files;
      if (isTooLarge)
        throw tooLarge(`The files are larger than ${inMiB(MAX_FILE_BYTES)} together. They were not attached`);
      requireAllFiles(settled);
      if (action === "attach") return showForm(c, page, form);
      if (action === "autosave") return showForm(c, page, form, undefined, await saveComplete(page, form));
      return action === "draft" ? saveDraft(page, form) : send(c, page, form, action === "now");
    };
    return submitForm(c, run, (refusal) => showForm(c, page, form, refusal));
  })
  .get("/mail/scheduled/:mailbox_id", ...webmailFor("GET /v1/inbox/:mailbox_id/scheduled"), (c) => showScheduled(c))
  .post("/mail/scheduled/:mailbox_id", ...webmailFor("POST /v1/inbox/:mailbox_id/send"), async (c) => {
    const { caller, mailbox } = await openPage(c.get("caller"), c.req.param("mailbox_id"));
    const fields = await readForm(c);
    const id = fields.get("email_id");
    return submitForm(
      c,
      async () => {
        const own = await listScheduledOfMailbox(caller, mailbox.id);
        if (!own.some((email) => email.id === id)) throw notFound("Email");
        await cancelEmail(caller, id ?? "");
        const draft = fields.get("draft") ?? "";
        const isDraft = /^\d{1,10}$/.test(draft) && (await mailbox.store.find("Drafts", Number(draft))) !== null;
        return isDraft
          ? composePath(mailbox.id, { draft, done: "stopped-draft" })
          : scheduledPath(mailbox.id, { done: "stopped" });
      },
      (refusal) => showScheduled(c, refusal),
    );
  });

/** Reads the form of a message, and stores the files that were chosen in it. */
async function readCompose(c: Context<AppEnv>, page: OpenPage) {
  const read = (fields: URLSearchParams) => ({ form: readComposeForm(fields), action: fields.get("action") });
  if (isForm(c)) return { ...read(await readForm(c, MAX_TEXT_BYTES)), isTooLarge: false };
  const limits = { maxBytes: MAX_FILE_BYTES, maxTextBytes: MAX_TEXT_BYTES, maxParts: MAX_PARTS };
  return readFormWithFiles(c, limits, async ({ fields, files, isTooLarge }) => {
    const { form, action } = read(fields);
    form.files.push(...(await storeChosen(page, files)));
    return { form, action, isTooLarge };
  });
}

/** Stores the form as a draft and returns the path of its page. */
async function saveDraft(page: OpenPage, form: ComposeForm): Promise<string> {
  await storeDraft(page, form);
  return composePath(page.mailbox.id, { draft: form.draft, done: "saved" });
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

/** Stores the form as its draft, or as a new one when that was changed or deleted meanwhile. Returns its UID, also in the form. */
async function storeDraft({ caller, mailbox }: OpenPage, form: ComposeForm): Promise<number> {
  const input = parseFields(DraftIn, toMessageInput(form));
  const known = form.draft === "" ? null : await replaceDraft(caller, mailbox, Number(form.draft), input).catch(orNull);
  const { uid } = known ?? (await createDraft(caller, mailbox, input));
  form.draft = String(uid);
  return uid;
}

function orNull(error: unknown): null {
  if (error instanceof AppError && error.status === 404) return null;
  throw error;
}

/** Sends the form once. What can be undone is a draft until it leaves, so that stopping it loses nothing. */
async function send(c: Context<AppEnv>, page: OpenPage, form: ComposeForm, atOnce: boolean): Promise<string> {
  const { caller, mailbox } = page;
  const input = toMessageInput(form);
  const at = atOnce ? {} : { send_at: iso(caller.now() + UNDO_MS) };
  const checked = parseFields(SendIn, { ...input, ...at });
  // A form that is submitted twice uploads its files twice, under other ids.
  const files = form.files.map(({ name, size }) => [name, size]);
  const fingerprint = JSON.stringify({ input: { ...input, file_ids: files }, atOnce });
  const { id } = await onceForForm(c, form.idempotencyKey, fingerprint, async (ctx) => {
    const isNew = form.draft === "";
    if (!atOnce) await storeDraft(page, form);
    try {
      return await sendFromMailbox(ctx, mailbox, {
        ...checked,
        draft_id: form.draft === "" ? null : Number(form.draft),
      });
    } catch (error) {
      if (isNew && form.draft !== "") await dropDraft(page, form);
      throw error;
    }
  });
  if (atOnce) return folderPath(mailbox.id, "INBOX", { done: "sent" });
  return scheduledPath(mailbox.id, { done: "sent", email: id, draft: form.draft });
}

/** Deletes the draft that was made for a message which was not sent. Its text is in the form. */
async function dropDraft({ caller, mailbox }: OpenPage, form: ComposeForm): Promise<void> {
  await deleteDraft(caller, mailbox, Number(form.draft)).catch(() => null);
  form.draft = "";
}

/** Returns the form as it is opened: empty, a draft, or a reply to the message of the query. */
async function firstForm(c: Context<AppEnv>, { caller, mailbox }: OpenPage): Promise<ComposeForm> {
  const { draft, reply, folder = "INBOX", uid = "", to = "" } = c.req.query();
  if (draft !== undefined) {
    const message = await getMessage(mailbox, "Drafts", draft);
    return draftForm(message, await readContent(caller, message, false));
  }
  if (!isReply(reply)) return newForm({ to });
  const message = await getMessage(mailbox, folder, uid);
  return replyForm(reply, message, await readContent(caller, message, false), mailbox.address);
}

const isReply = (text: string | undefined): text is Reply => text === "one" || text === "all" || text === "forward";

async function showForm(c: Context<AppEnv>, page: OpenPage, form: ComposeForm, refusal?: Refusal, saved?: string) {
  const notice = refusal ? undefined : notices[c.req.query("done") ?? ""];
  // The script takes no addresses over from the reply to a draft that it has saved.
  const known = saved === undefined ? await page.mailbox.store.addresses("") : [];
  return respondPage(c, <ComposePage {...{ page, form, known, refusal, notice, saved }} />, {
    status: refusal?.status ?? 200,
  });
}

async function showScheduled(c: Context<AppEnv>, refusal?: Refusal) {
  const page = await openPage(c.get("caller"), c.req.param("mailbox_id"));
  const emails = await listScheduledOfMailbox(page.caller, page.mailbox.id);
  const notice = refusal ? undefined : notices[c.req.query("done") ?? ""];
  const { email, draft } = c.req.query();
  const sent = emails.find(({ id }) => id === email);
  const shown = <ScheduledPage {...{ page, emails, notice, sent, draft }} error={refusal?.message} />;
  return respondPage(c, shown, { status: refusal?.status ?? 200 });
}
