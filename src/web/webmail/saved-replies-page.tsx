import { fieldsOf } from "../../http/form-fields.tsx";
import { ButtonLink, Form, Submit, useViewer } from "../../http/ui/index.ts";
import { SavedReplyIn } from "../../mailboxes/inbox/index.ts";
import type { SavedReply } from "../../mailboxes/mailbox-store/index.ts";
import { type OpenPage, WebmailLayout } from "./layout.tsx";
import { settingsPath } from "./paths.ts";
import { SettingsLayout } from "./settings-layout.tsx";

/** The hidden field with the id of the saved reply that a form changes. */
const ROW = "reply_id";

const { Field, TextArea } = fieldsOf(SavedReplyIn);

/** The page that creates, changes and deletes the saved replies of a mailbox. */
export function SavedRepliesPage({ page, replies }: { page: OpenPage; replies: readonly SavedReply[] }) {
  const path = settingsPath(page.mailbox.id, "saved-replies");
  const refused = useViewer().submitted?.fields?.get(ROW) ?? undefined;
  return (
    <SettingsLayout page={page} at="saved-replies" row={refused}>
      <p class="hint">
        Everyone who may open this mailbox can insert them into a message. <code>{"{{name}}"}</code> becomes the name of
        the person you write to, and other placeholders the fields of the contact.
      </p>
      {replies.map((reply) => (
        <details open={reply.id === refused}>
          <summary>{reply.name}</summary>
          <Form class="form" action={path} row={{ name: ROW, value: reply.id }}>
            <Fields reply={reply} />
            <div class="actions">
              <Submit label="Save" action="update" />
              <Submit
                label="Delete"
                kind="danger"
                action="delete"
                name={`Delete ${reply.name}`}
                ask={`Delete the saved reply ${reply.name}?`}
                confirmed="Delete saved reply"
                isUnchecked
              />
            </div>
          </Form>
        </details>
      ))}
      <Form class="form" action={path} row={{ name: ROW, value: "new" }}>
        <h3>New saved reply</h3>
        <Fields reply={{ id: "", name: "", text: "" }} />
        <Submit label="Create saved reply" action="create" />
      </Form>
    </SettingsLayout>
  );
}

const Fields = ({ reply: { name, text } }: { reply: SavedReply }) => (
  <>
    <Field name="name" label="Name" value={name} />
    <TextArea name="text" label="Text" value={text} rows={6} />
  </>
);

/** The page that asks before a saved reply is deleted. With the script, a dialog asks instead. */
export const DeleteSavedReplyPage = ({ page, reply }: { page: OpenPage; reply: SavedReply }) => (
  <WebmailLayout {...page} title={`Delete ${reply.name}?`} current="settings">
    <h1>Delete {reply.name}?</h1>
    <p>Messages that were written with it stay as they are.</p>
    <Form class="actions" fields={{ confirmed: "yes", reply_id: reply.id }}>
      <Submit label="Delete saved reply" kind="danger" action="delete" />
      <ButtonLink to={settingsPath(page.mailbox.id, "saved-replies")} label="Cancel" kind="quiet" />
    </Form>
  </WebmailLayout>
);
