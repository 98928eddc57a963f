import type { Context } from "hono";
import { Hono } from "hono";
import { continueSession } from "../../../http/continue-session.ts";
import type { AppEnv } from "../../../http/env.ts";
import { readForm } from "../../../http/fields.ts";
import { respondPage } from "../../../http/page.tsx";
import { type Refusal, submitForm } from "../../../http/page-form.ts";
import { pageFor } from "../../../http/page-right.ts";
import { ButtonLink, Field, Form, Layout } from "../../../http/ui/index.ts";
import { deleteWorkspace } from "../../../identity/workspaces/index.ts";
import { invalidField } from "../../../lib/errors.ts";

const DELETE = "DELETE /v1/workspaces/:workspace_id";

/** The page that deletes the workspace, after its name is typed. */
export const deleteWorkspacePages = new Hono<AppEnv>()
  .get("/app/settings/delete", ...pageFor(DELETE), (c) => showForm(c))
  .post("/app/settings/delete", ...pageFor(DELETE), async (c) => {
    const { workspace } = c.get("caller");
    const name = (await readForm(c)).get("name") ?? "";
    return submitForm(
      c,
      async () => {
        if (name.trim() !== workspace.name.trim()) throw invalidField("name", `Type ${workspace.name} to delete it`);
        await deleteWorkspace(c.get("caller"), workspace.id);
        return (await continueSession(c)) ? "/app" : "/auth/sign-in";
      },
      (refusal) => showForm(c, refusal),
    );
  });

function showForm(c: Context<AppEnv>, refusal?: Refusal) {
  const caller = c.get("caller");
  const { name } = caller.workspace;
  const page = (
    <Layout title={`Delete ${name}?`} caller={caller} at="/app/settings">
      <p>
        Its domains, mailboxes and all mail in them, contacts, emails and results are deleted. Its API keys stop working
        at once, and queued emails are not sent. This cannot be undone.
      </p>
      <Form class="form" action="/app/settings/delete" refusal={refusal}>
        <Field name="name" label={`To go on, type the name of the workspace: ${name}`} errors={refusal?.errors} />
        <div class="actions">
          <button class="danger final" type="submit">
            Delete workspace
          </button>
          <ButtonLink to="/app/settings" label="Cancel" kind="quiet" />
        </div>
      </Form>
    </Layout>
  );
  return respondPage(c, page, { status: refusal?.status ?? 200 });
}
