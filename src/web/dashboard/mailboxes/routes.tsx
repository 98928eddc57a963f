import type { Context } from "hono";
import { Hono } from "hono";
import { listDomains } from "../../../domains/domains/index.ts";
import type { AppEnv } from "../../../http/env.ts";
import { readForm } from "../../../http/fields.ts";
import { onceForForm } from "../../../http/idempotency.ts";
import { respondPage } from "../../../http/page.tsx";
import { parseFields, type Refusal, submitForm } from "../../../http/page-form.ts";
import { pageFor } from "../../../http/page-right.ts";
import { ConfirmPage } from "../../../http/ui/index.ts";
import { listMembers } from "../../../identity/members/index.ts";
import { requireVersion } from "../../../lib/form-version.ts";
import {
  AssigneesIn,
  assignMailbox,
  createMailbox,
  deleteMailbox,
  getMailbox,
  listMailboxes,
  MailboxIn,
  MailboxPatch,
  mayManage,
  PasswordIn,
  setMailboxPassword,
  toMailbox,
  updateMailbox,
} from "../../../mailboxes/mailboxes/index.ts";
import { MailboxPage } from "./detail.tsx";
import { MailboxesPage } from "./list.tsx";
import { type MailboxForm, readMailboxForm, toMailboxForm, toMailboxRequest, valuesOf } from "./settings-form.ts";

const PAGE_SIZE = 100;
/** Most domains and members in the choices of forms. */
const MAX_CHOICES = 200;
const DELETE = "DELETE /v1/mailboxes/:mailbox_id";

const notices: Readonly<Record<string, string>> = {
  created: "The mailbox is created.",
  saved: "The settings are saved.",
  assigned: "The assigned members are saved.",
  password: "The password is set.",
  deleted: "The mailbox is deleted.",
};

export const mailboxPages = new Hono<AppEnv>()
  .get("/app/mailboxes", ...pageFor("GET /v1/mailboxes/"), (c) => showList(c))
  .post("/app/mailboxes", ...pageFor("POST /v1/mailboxes/"), async (c) => {
    const fields = await readForm(c);
    const field = (name: string) => fields.get(name) ?? "";
    const request = {
      local_part: field("local_part"),
      domain_id: field("domain_id"),
      display_name: field("display_name"),
    };
    const form = { ...request, idempotencyKey: field("idempotency_key") };
    return submitForm(
      c,
      async () => {
        const input = parseFields(MailboxIn, request);
        const run = onceForForm(c, form.idempotencyKey, JSON.stringify(request), (ctx) => createMailbox(ctx, input));
        return `/app/mailboxes/${(await run).id}?done=created`;
      },
      (refusal) => showList(c, { form, refusal }),
    );
  })
  .get("/app/mailboxes/:mailbox_id", ...pageFor("GET /v1/mailboxes/:mailbox_id"), (c) => showMailbox(c))
  .post("/app/mailboxes/:mailbox_id", ...pageFor("PATCH /v1/mailboxes/:mailbox_id"), async (c) => {
    const form = readMailboxForm(await readForm(c));
    const caller = c.get("caller");
    const isManager = mayManage(caller.actor);
    const save = async (id: string) => {
      const patch = parseFields(MailboxPatch, toMailboxRequest(form, isManager));
      const stored = toMailboxForm(toMailbox(await getMailbox(caller, id)), isManager);
      requireVersion(form.version, valuesOf(stored, isManager), valuesOf(form, isManager));
      await updateMailbox(caller, id, patch);
    };
    return change(c, "saved", save, form);
  })
  .post("/app/mailboxes/:mailbox_id/password", ...pageFor("PUT /v1/mailboxes/:mailbox_id/password"), async (c) => {
    const { password } = Object.fromEntries(await readForm(c));
    return change(c, "password", (id) =>
      setMailboxPassword(c.get("caller"), id, parseFields(PasswordIn, { password: password ?? "" }).password),
    );
  })
  .post("/app/mailboxes/:mailbox_id/assignees", ...pageFor("PUT /v1/mailboxes/:mailbox_id/assignees"), async (c) => {
    const user_ids = (await readForm(c)).getAll("user_id");
    return change(c, "assigned", (id) => assignMailbox(c.get("caller"), id, parseFields(AssigneesIn, { user_ids })));
  })
  .get("/app/mailboxes/:mailbox_id/delete", ...pageFor(DELETE), async (c) => {
    const caller = c.get("caller");
    const { id, address } = await getMailbox(caller, c.req.param("mailbox_id"));
    return respondPage(
      c,
      <ConfirmPage
        title={`Delete ${address}?`}
        caller={caller}
        button="Delete mailbox"
        back={`/app/mailboxes/${id}`}
        at="/app/mailboxes"
      >
        All mail in it is deleted, and nothing can be sent from it. This cannot be undone.
      </ConfirmPage>,
    );
  })
  .post("/app/mailboxes/:mailbox_id/delete", ...pageFor(DELETE), async (c) => {
    await deleteMailbox(c.get("caller"), c.req.param("mailbox_id"));
    return c.redirect("/app/mailboxes?done=deleted", 303);
  });

function change(
  c: Context<AppEnv>,
  done: string,
  run: (id: string) => Promise<unknown>,
  form?: MailboxForm,
): Promise<Response> {
  const id = c.req.param("mailbox_id") ?? "";
  return submitForm(
    c,
    async () => {
      await run(id);
      return `/app/mailboxes/${id}?done=${done}`;
    },
    (refusal) => showMailbox(c, { refusal, form }),
  );
}

async function showMailbox(
  c: Context<AppEnv>,
  { refusal, form }: { refusal?: Refusal; form?: MailboxForm | undefined } = {},
) {
  const caller = c.get("caller");
  const mayAssign = mayManage(caller.actor) && caller.actor.scopes.has("team:view");
  const [row, members] = await Promise.all([
    getMailbox(caller, c.req.param("mailbox_id") ?? ""),
    mayAssign ? listMembers(caller, { limit: MAX_CHOICES }) : [],
  ]);
  const notice = refusal ? undefined : notices[c.req.query("done") ?? ""];
  const mailbox = toMailbox(row);
  const shown = form ?? toMailboxForm(mailbox, mayManage(caller.actor));
  const page = <MailboxPage {...{ caller, mailbox, members, notice, refusal }} form={shown} />;
  return respondPage(c, page, { status: refusal?.status ?? 200 });
}

interface SubmittedForm {
  form: { local_part: string; domain_id: string; display_name: string; idempotencyKey: string };
  refusal: Refusal;
}

async function showList(c: Context<AppEnv>, submitted?: SubmittedForm) {
  const caller = c.get("caller");
  const after = c.req.query("after");
  const [found, domains] = await Promise.all([
    listMailboxes(caller, { ...(after ? { after } : {}), offset: 0, limit: PAGE_SIZE + 1 }),
    caller.actor.scopes.has("domains:view") ? listDomains(caller, { offset: 0, limit: MAX_CHOICES }) : [],
  ]);
  const mailboxes = found.slice(0, PAGE_SIZE).map(toMailbox);
  const last = found.length > PAGE_SIZE ? mailboxes.at(-1) : undefined;
  const page = (
    <MailboxesPage
      caller={caller}
      mailboxes={mailboxes}
      domains={domains.map(({ domain }) => domain).filter(({ isSandbox }) => !isSandbox)}
      form={submitted?.form ?? { local_part: "", domain_id: "", display_name: "", idempotencyKey: crypto.randomUUID() }}
      next={last === undefined ? null : `/app/mailboxes?${new URLSearchParams({ after: last.address })}`}
      notice={submitted ? undefined : notices[c.req.query("done") ?? ""]}
      refusal={submitted?.refusal}
    />
  );
  return respondPage(c, page, { status: submitted?.refusal.status ?? 200 });
}
