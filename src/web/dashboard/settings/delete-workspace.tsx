import { continueSession } from "../../../http/continue-session.ts";
import type { AppContext } from "../../../http/env.ts";
import { respondPage } from "../../../http/page.tsx";
import { change, page, pagesOf } from "../../../http/page-actions.tsx";
import { AppLayout, ButtonLink, Field, Form, Submit } from "../../../http/ui/index.ts";
import { deleteWorkspace } from "../../../identity/workspaces/index.ts";
import { invalidField } from "../../../lib/errors.ts";

const DELETE = "DELETE /v1/workspaces/:workspace_id";

/** The page that deletes the workspace, after its name is typed. */
export const deleteWorkspacePages = pagesOf(
  "workspace",
  page("/app/settings/delete", DELETE, showForm),
  change("/app/settings/delete", DELETE, {
    read: (fields, c) => {
      const { name } = c.get("caller").workspace;
      if (fields.get("name")?.trim() !== name.trim()) throw invalidField("name", `Type ${name} to delete it`);
    },
    run: (caller) => deleteWorkspace(caller, caller.workspace.id),
    to: async (_, c) => c.redirect((await continueSession(c)) ? "/app" : "/auth/sign-in", 303),
  }),
);

function showForm(c: AppContext) {
  const { name } = c.get("caller").workspace;
  return respondPage(
    c,
    <AppLayout title={`Delete ${name}?`}>
      <p>
        Its domains, mailboxes and all mail in them, contacts, emails and results are deleted. Its API keys stop working
        at once, and queued emails are not sent. This cannot be undone.
      </p>
      <Form class="form" action="/app/settings/delete">
        <Field name="name" label={`To go on, type the name of the workspace: ${name}`} />
        <div class="actions">
          <Submit label="Delete workspace" kind="danger final" />
          <ButtonLink to="/app/settings" label="Cancel" kind="quiet" />
        </div>
      </Form>
    </AppLayout>,
  );
}
