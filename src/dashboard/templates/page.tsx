import type { CallerCtx } from "../../context.ts";
import type { Refusal } from "../../http/page-form.ts";
import type { MailboxRow } from "../../mailboxes/index.ts";
import type { TemplateOut } from "../../templates/index.ts";
import { Empty, FaultSummary, Field, Layout, List, Notice, Pager, TextArea, Time } from "../../ui/index.ts";
import { pageUser } from "../page-user.ts";
import { Preview, type Samples } from "./preview.tsx";

interface PageProps {
  caller: CallerCtx;
  notice?: string | undefined;
}

const mayManage = (caller: CallerCtx) => caller.actor.scopes.has("templates:manage");

/** The templates of the workspace. */
export const TemplatesPage = ({
  caller,
  templates,
  next,
  notice,
}: PageProps & { templates: readonly TemplateOut[]; next: string | null }) => (
  <Layout
    title="Templates"
    user={pageUser(caller)}
    at="/app/templates"
    actions={
      mayManage(caller) ? (
        <a class="button" href="/app/templates/new">
          New template
        </a>
      ) : null
    }
  >
    {notice === undefined ? null : <Notice kind="good">{notice}</Notice>}
    {templates.length === 0 ? (
      <Empty action={mayManage(caller) ? { href: "/app/templates/new", label: "Write a template" } : undefined}>
        No template yet. A template has placeholders such as {"{{name}}"} that each email fills in.
      </Empty>
    ) : (
      <List
        caption="Templates"
        columns={["Name", "Subject", "Placeholders", "Changed"]}
        rows={templates.map(({ id, name, subject, variables, updated_at }) => [
          <a href={`/app/templates/${id}`}>{name}</a>,
          subject ?? "",
          variables.join(", "),
          <Time at={updated_at} />,
        ])}
      />
    )}
    <Pager next={next} />
  </Layout>
);

/** The fields of the form of a template, as they were filled in. */
export interface TemplateForm {
  name: string;
  subject: string;
  html_body: string;
  text_body: string;
  idempotencyKey: string;
}

interface TemplatePageProps extends PageProps {
  /** Null: a new one. */
  template: TemplateOut | null;
  form: TemplateForm;
  samples: Samples;
  senders: readonly MailboxRow[];
  refusal?: Refusal | undefined;
}

/** One template: its form, and a preview with sample values. */
export function TemplatePage({ caller, template, form, samples, senders, notice, refusal }: TemplatePageProps) {
  const path = template === null ? "/app/templates/new" : `/app/templates/${template.id}`;
  return (
    <Layout
      title={template?.name ?? "New template"}
      user={pageUser(caller)}
      at="/app/templates"
      actions={template && mayManage(caller) ? <Actions path={path} /> : null}
    >
      {notice === undefined ? null : <Notice kind="good">{notice}</Notice>}
      {mayManage(caller) ? <Form path={path} form={form} refusal={refusal} /> : null}
      {template === null ? null : <Preview {...{ caller, path, template, samples, senders, refusal }} />}
    </Layout>
  );
}

const Actions = ({ path }: { path: string }) => (
  <>
    <form method="post" action={`${path}/duplicate`}>
      <input type="hidden" name="idempotency_key" value={crypto.randomUUID()} />
      <button class="quiet" type="submit">
        Duplicate
      </button>
    </form>
    <a class="button danger" href={`${path}/delete`}>
      Delete
    </a>
  </>
);

const Form = ({ path, form, refusal }: { path: string; form: TemplateForm; refusal: Refusal | undefined }) => (
  <form method="post" action={path}>
    <FaultSummary refusal={refusal} />
    <input type="hidden" name="idempotency_key" value={form.idempotencyKey} />
    <div class="columns">
      <Field name="name" label="Name" value={form.name} faults={refusal?.faults} />
      <Field name="subject" label="Subject" required={false} value={form.subject} faults={refusal?.faults} />
    </div>
    <TextArea
      name="html_body"
      label="HTML"
      required={false}
      rows={14}
      code
      hint="Placeholders such as {{name}} are filled in by each email."
      value={form.html_body}
      faults={refusal?.faults}
    />
    <TextArea name="text_body" label="Text" required={false} value={form.text_body} faults={refusal?.faults} />
    <button type="submit">Save</button>
  </form>
);
