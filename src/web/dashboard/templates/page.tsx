import type { CallerCtx } from "../../../access/caller.ts";
import type { Refusal } from "../../../http/page-form.ts";
import {
  ButtonLink,
  Chips,
  Empty,
  Layout,
  List,
  Notice,
  Pager,
  PostButton,
  PreviewFrame,
  Time,
} from "../../../http/ui/index.ts";
import type { MailboxRow } from "../../../mailboxes/mailboxes/index.ts";
import { languageOf, readBlocks, renderBlocks, type TemplateOut } from "../../../sending/templates/index.ts";
import { curlLine } from "../curl-line.ts";
import type { Samples } from "../sample-values.ts";
import { Editor } from "./editor.tsx";
import type { BlocksChange, TemplateForm } from "./form.ts";
import { isRefusedTest, Preview, TestDialog } from "./preview.tsx";

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
    caller={caller}
    at="/app/templates"
    actions={mayManage(caller) ? <ButtonLink to="/app/templates/new" label="New template" /> : null}
    notice={notice}
  >
    {templates.length === 0 ? (
      <Empty
        drawing="template"
        action={mayManage(caller) ? { href: "/app/templates/new", label: "Write a template" } : undefined}
        command={curlLine(caller, "/v1/templates/", {
          name: "Receipt",
          subject: "Your receipt",
          text_body: "Thank you, {{name}}.",
        })}
      >
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

interface TemplatePageProps extends PageProps {
  /** Null: a new one. */
  template: TemplateOut | null;
  form: TemplateForm;
  samples: Samples;
  /** Address of the contact of the preview, and whether there is one with it. */
  contact: string;
  hasContact: boolean;
  senders: readonly MailboxRow[];
  /** The change of blocks that was made and is not saved yet. */
  change?: BlocksChange | undefined;
  refusal?: Refusal | undefined;
}

/** One template: its form, and a preview with sample values. */
export function TemplatePage(props: TemplatePageProps) {
  const { caller, template, form, samples, contact, hasContact, senders, change, notice } = props;
  const isTest = isRefusedTest(props.refusal);
  const refusal = isTest ? undefined : props.refusal;
  const path = template === null ? "/app/templates/new" : `/app/templates/${template.id}`;
  const isOfBlocks = form.blocks !== null;
  return (
    <Layout
      title={template?.name ?? "New template"}
      caller={caller}
      at="/app/templates"
      actions={
        template === null ? null : (
          <>
            <TestDialog
              {...{ caller, path, template, samples, senders }}
              refusal={isTest ? props.refusal : undefined}
            />
            {caller.actor.scopes.has("emails:send") ? (
              <ButtonLink to={`/app/emails/new?template=${template.id}`} label="Write an email" kind="quiet" />
            ) : null}
            {mayManage(caller) ? <Actions path={path} isOfBlocks={isOfBlocks} /> : null}
          </>
        )
      }
      notice={notice}
    >
      {template === null ? <EditorChoice isOfBlocks={isOfBlocks} /> : <ForeignChange template={template} />}
      <div class="beside">
        {mayManage(caller) ? <Editor {...{ path, form, samples, contact, change, refusal }} /> : null}
        <aside aria-label="Preview">
          {template === null ? (
            <PreviewFrame />
          ) : (
            <Preview {...{ caller, path, template, samples, contact, hasContact }} />
          )}
        </aside>
      </div>
    </Layout>
  );
}

const EditorChoice = ({ isOfBlocks }: { isOfBlocks: boolean }) => (
  <Chips
    label="How to write it"
    choices={[
      { href: "/app/templates/new?editor=blocks", label: "Blocks", isChosen: isOfBlocks },
      { href: "/app/templates/new", label: "HTML", isChosen: !isOfBlocks },
    ]}
  />
);

/** Says that saving replaces HTML or text that the blocks do not make now: the API has set it, or an earlier version made it. */
function ForeignChange({ template }: { template: TemplateOut }) {
  const blocks = readBlocks(template.blocks_json);
  if (blocks === null) return null;
  const { html, text } = renderBlocks(blocks, languageOf(blocks, template.language));
  if (html === template.html_body && text === template.text_body) return null;
  return (
    <Notice kind="warn">
      The HTML or text of this template differs from its blocks. Saving the blocks replaces both.
    </Notice>
  );
}

const Actions = ({ path, isOfBlocks }: { path: string; isOfBlocks: boolean }) => (
  <>
    {isOfBlocks ? <ButtonLink to={`${path}/to-html`} label="Edit as HTML" kind="quiet" /> : null}
    <PostButton
      to={`${path}/duplicate`}
      label="Duplicate"
      kind="quiet"
      fields={{ idempotency_key: crypto.randomUUID() }}
    />
    <ButtonLink to={`${path}/delete`} label="Delete" kind="danger" />
  </>
);
