import type { Context } from "hono";
import { Hono } from "hono";
import { cancelEmail, listScheduledOfMailbox } from "../emails/scheduled/index.ts";
import { notFound } from "../errors.ts";
import type { AppEnv } from "../http/env.ts";
import { readForm } from "../http/fields.ts";
import { onceForForm } from "../http/idempotency.ts";
import { webmailFor } from "../http/mailbox-page-session.ts";
import { respondPage } from "../http/page.tsx";
import { parseFields, type Refusal, submitForm } from "../http/page-form.ts";
import {
  createDraft,
  DraftIn,
  getMessage,
  readContent,
  replaceDraft,
  SendIn,
  sendFromMailbox,
} from "../inbox/index.ts";
import { iso } from "../lib/time.ts";
import {
  type Answer,
  answerForm,
  type ComposeForm,
  draftForm,
  newForm,
  readComposeForm,
  toMessageInput,
} from "./compose-form.ts";
import { ComposePage } from "./compose-page.tsx";
import type { OpenPage } from "./layout.tsx";
import { openPage } from "./open-page.ts";
import { composePath, folderPath, scheduledPath } from "./paths.ts";
import { ScheduledPage } from "./scheduled-page.tsx";

/** Greatest body of the form, in bytes: a text of a million characters, percent-encoded. */
const MAX_FORM_BYTES = 3_000_000;
/** For how long sending can be undone. The API schedules from 60 seconds on. */
const UNDO_MS = 65_000;

const notices: Readonly<Record<string, string>> = {
  saved: "The draft is saved.",
  sent: "The message leaves in a minute. Until then you can stop it here.",
  stopped: "The message will not be sent. It is in Drafts.",
};

/** The pages that write messages, and those that wait to be sent. */
export const composePages = new Hono<AppEnv>()
  .get("/mail/compose/:mailbox_id", ...webmailFor("POST /v1/inbox/:mailbox_id/send"), async (c) => {
    const page = await openPage(c.get("caller"), c.req.param("mailbox_id"));
    return showForm(c, page, await firstForm(c, page));
  })
  .post("/mail/compose/:mailbox_id", ...webmailFor("POST /v1/inbox/:mailbox_id/send"), async (c) => {
    const page = await openPage(c.get("caller"), c.req.param("mailbox_id"));
    const fields = await readForm(c, MAX_FORM_BYTES);
    const form = readComposeForm(fields);
    return submitForm(
      c,
      () =>
        fields.get("action") === "draft" ? saveDraft(page, form) : send(c, page, form, fields.get("action") === "now"),
      (refusal) => showForm(c, page, form, refusal),
    );
  })
  .get("/mail/scheduled/:mailbox_id", ...webmailFor("GET /v1/inbox/:mailbox_id/scheduled"), (c) => showScheduled(c))
  .post("/mail/scheduled/:mailbox_id", ...webmailFor("POST /v1/inbox/:mailbox_id/send"), async (c) => {
    const { caller, mailbox } = await openPage(c.get("caller"), c.req.param("mailbox_id"));
    const id = (await readForm(c)).get("email_id");
    return submitForm(
      c,
      async () => {
        const own = await listScheduledOfMailbox(caller, mailbox.id);
        if (!own.some((email) => email.id === id)) throw notFound("Email");
        await cancelEmail(caller, id ?? "");
        return scheduledPath(mailbox.id, { done: "stopped" });
      },
      (refusal) => showScheduled(c, refusal),
    );
  });

/** Stores the form as a draft and returns the path of its page. */
async function saveDraft({ caller, mailbox }: OpenPage, form: ComposeForm): Promise<string> {
  const input = parseFields(DraftIn, toMessageInput(form));
  const { uid } =
    form.draft === ""
      ? await createDraft(caller, mailbox, input)
      : await replaceDraft(caller, mailbox, Number(form.draft), input);
  return composePath(mailbox.id, { draft: String(uid), done: "saved" });
}

/** Sends the form once. What can be undone is a draft until it leaves, so that stopping it loses nothing. */
async function send(
  c: Context<AppEnv>,
  { caller, mailbox }: OpenPage,
  form: ComposeForm,
  atOnce: boolean,
): Promise<string> {
  const input = toMessageInput(form);
  const at = atOnce ? {} : { send_at: iso(caller.now() + UNDO_MS) };
  const checked = parseFields(SendIn, { ...input, ...at });
  await onceForForm(c, form.idempotencyKey, JSON.stringify({ input, atOnce }), async (ctx) => {
    const known = form.draft === "" ? null : Number(form.draft);
    const draft = atOnce ? known : await asDraft({ ctx, mailbox, known, input });
    return sendFromMailbox(ctx, mailbox, { ...checked, draft_id: draft });
  });
  return atOnce ? folderPath(mailbox.id, "INBOX", { done: "sent" }) : scheduledPath(mailbox.id, { done: "sent" });
}

interface AsDraft {
  ctx: OpenPage["caller"];
  mailbox: OpenPage["mailbox"];
  known: number | null;
  input: ReturnType<typeof toMessageInput>;
}

async function asDraft({ ctx, mailbox, known, input }: AsDraft): Promise<number> {
  const draft = parseFields(DraftIn, input);
  const { uid } =
    known === null ? await createDraft(ctx, mailbox, draft) : await replaceDraft(ctx, mailbox, known, draft);
  return uid;
}

/** Returns the form as it is opened: empty, a draft, or an answer to the message of the query. */
async function firstForm(c: Context<AppEnv>, { caller, mailbox }: OpenPage): Promise<ComposeForm> {
  const { draft, reply, folder = "INBOX", uid = "", to = "" } = c.req.query();
  if (draft !== undefined) {
    const message = await getMessage(mailbox, "Drafts", draft);
    return draftForm(message, await readContent(caller, message, false));
  }
  if (!isAnswer(reply)) return newForm({ to });
  const message = await getMessage(mailbox, folder, uid);
  return answerForm(reply, message, await readContent(caller, message, false), mailbox.address);
}

const isAnswer = (text: string | undefined): text is Answer => text === "one" || text === "all" || text === "forward";

function showForm(c: Context<AppEnv>, page: OpenPage, form: ComposeForm, refusal?: Refusal) {
  const notice = refusal ? undefined : notices[c.req.query("done") ?? ""];
  return respondPage(c, <ComposePage {...{ page, form, refusal, notice }} />, { status: refusal?.status ?? 200 });
}

async function showScheduled(c: Context<AppEnv>, refusal?: Refusal) {
  const page = await openPage(c.get("caller"), c.req.param("mailbox_id"));
  const emails = await listScheduledOfMailbox(page.caller, page.mailbox.id);
  const notice = refusal ? undefined : notices[c.req.query("done") ?? ""];
  const shown = <ScheduledPage page={page} emails={emails} notice={notice} error={refusal?.message} />;
  return respondPage(c, shown, { status: refusal?.status ?? 200 });
}
