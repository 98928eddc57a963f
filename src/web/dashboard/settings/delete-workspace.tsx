import { continueSession } from "../../../http/continue-session.ts";
import { type AppContext, newRoutes } from "../../../http/env.ts";
import { respondPage } from "../../../http/page.tsx";
import { pageFor, submitForm } from "../../../http/page-routes.ts";
import { AppLayout, ButtonLink, Field, Form, Submit } from "../../../http/ui/index.ts";
import { deleteWorkspace } from "../../../identity/workspaces/index.ts";
import { invalidField } from "../../../lib/errors.ts";

const DELETE = "DELETE /v1/workspaces/:workspace_id";

/** The page that deletes the workspace, after its name is typed. */
export const deleteWorkspacePages = newRoutes()
  .get("/app/settings/delete", ...pageFor(DELETE), showForm)
  .post("/app/settings/delete", ...pageFor(DELETE), (c) =>
    submitForm(c, showForm, async (fields) => {
      const { workspace } = c.get("caller");
      if (fields.get("name")?.trim() !== workspace.name.trim())
        throw invalidField("name", `Type ${workspace.name} to delete it`);
      await deleteWorkspace(c.get("caller"), workspace.id);
      return (await continueSession(c)) ? "/app" : "/auth/sign-in";
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
