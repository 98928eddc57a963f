import {
  AppLayout,
  ButtonLink,
  Empty,
  List,
  PostButton,
  PreviewFrame,
  Time,
  useScope,
} from "../../../http/ui/index.ts";
import type { MailboxRow } from "../../../mailboxes/mailboxes/index.ts";
import type { TemplateOut } from "../../../sending/templates/index.ts";
import { type BlocksChange, EditorChoice } from "../blocks/index.ts";
import { PicturesLink } from "../picture-upload.tsx";
import type { Samples } from "../sample-values.ts";
import { Editor } from "./editor.tsx";
import type { TemplateForm } from "./form.ts";
import { Preview, TestDialog } from "./preview.tsx";

const mayManage = () => useScope("templates:manage");

/** The templates of the workspace. */
export const TemplatesPage = ({ templates }: { templates: readonly TemplateOut[] }) => (
  <AppLayout
    title="Templates"
    actions={
      <>
        <PicturesLink />
        {mayManage() ? <ButtonLink to="/app/templates/new" label="New template" icon="plus" /> : null}
      </>
    }
  >
    <List
      caption="Templates"
      columns={["Name", "Subject", "Placeholders", "Changed"]}
      empty={
        <Empty
          drawing="template"
          action={mayManage() ? { href: "/app/templates/new", label: "Write a template" } : undefined}
          command={{
            path: "/v1/templates/",
            body: { name: "Receipt", subject: "Your receipt", text_body: "Thank you, {{name}}." },
          }}
        >
          No template yet. A template has placeholders such as {"{{name}}"} that each email fills in.
        </Empty>
      }
      rows={templates.map(({ id, name, subject, variables, updated_at }) => [
        <a href={`/app/templates/${id}`}>{name}</a>,
        subject ?? "",
        variables.join(", "),
        <Time at={updated_at} />,
      ])}
    />
  </AppLayout>
);

interface TemplatePageProps {
  /** Null: a new one. */
  template: TemplateOut | null;
  /** As it was filled in, without the change of blocks. */
  form: TemplateForm;
  samples?: Samples;
  /** Address of the contact of the preview, and whether there is one with it. */
  contact?: string;
  hasContact?: boolean;
  senders?: readonly MailboxRow[];
  change?: BlocksChange | undefined;
}

/** One template: its form, and a preview with sample values. */
export function TemplatePage(props: TemplatePageProps) {
  const { template, form, samples = new Map(), contact = "", hasContact = true, senders = [], change } = props;
  const path = template === null ? "/app/templates/new" : `/app/templates/${template.id}`;
  return (
    <AppLayout
      title={template?.name ?? "New template"}
      actions={
        template === null ? (
          <PicturesLink />
        ) : (
          <>
            <PicturesLink />
            <TestDialog path={path} template={template} samples={samples} senders={senders} />
            {useScope("emails:send") ? (
              <ButtonLink to={`/app/emails/new?template=${template.id}`} label="Write an email" kind="quiet" />
            ) : null}
            {mayManage() ? (
              <>
                <PostButton to={`${path}/duplicate`} label="Duplicate" kind="quiet" once />
                <ButtonLink to={`${path}/delete`} label="Delete" kind="danger" />
              </>
            ) : null}
          </>
        )
      }
    >
      {mayManage() ? (
        <EditorChoice stored={template} blocks={form.blocks} to={(editor) => `${path}?editor=${editor}`} />
      ) : null}
      <div class="beside">
        {mayManage() ? <Editor path={path} form={form} samples={samples} contact={contact} change={change} /> : null}
        <aside aria-label="Preview">
          {template === null ? (
            <PreviewFrame />
          ) : (
            <Preview path={path} template={template} samples={samples} contact={contact} hasContact={hasContact} />
          )}
        </aside>
      </div>
    </AppLayout>
  );
}
