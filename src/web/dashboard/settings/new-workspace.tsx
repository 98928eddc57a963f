import { switchWorkspace } from "../../../access/sessions/switch-workspace.ts";
import { setTokenCookie } from "../../../http/cookies.ts";
import { type AppContext, newRoutes } from "../../../http/env.ts";
import { respondPage } from "../../../http/page.tsx";
import { onceForForm, pageFor, parseFields, submitForm } from "../../../http/page-routes.ts";
import { AppLayout, ErrorSummary, Field, Form, Submit } from "../../../http/ui/index.ts";
import { createWorkspace, WorkspaceIn } from "../../../identity/workspaces/index.ts";
import { forbidden } from "../../../lib/errors.ts";

const CREATE = "POST /v1/workspaces/";
const PATH = "/app/workspaces/new";

/** The page that creates a workspace and goes on in it. */
export const newWorkspacePages = newRoutes()
  .get(PATH, ...pageFor(CREATE), showForm)
  .post(PATH, ...pageFor(CREATE), (c) =>
    submitForm(c, showForm, async (fields) => {
      const input = parseFields(WorkspaceIn, { name: fields.get("name") ?? "" });
      const { id } = await onceForForm(c, input.name, (ctx) => createWorkspace(ctx, input));
      const caller = c.get("caller");
      if (caller.actor.kind !== "session") throw new Error("a page is for a session");
      const access = await switchWorkspace({ ...caller, actor: caller.actor }, id);
      setTokenCookie(c, "session", access.token, access.expiresAt);
      return "/app";
    }),
  );

function showForm(c: AppContext) {
  if (!c.get("caller").actor.scopes.has("team:manage")) throw forbidden("Missing scope: team:manage");
  return respondPage(
    c,
    <AppLayout title="New workspace">
      <ErrorSummary />
      <p>It has its own domains, mailboxes, contacts and team. You are its owner, and nobody else sees it.</p>
      <Form class="form" action={PATH} once>
        <Field name="name" label="Name of the workspace" maxlength={100} />
        <Submit label="Create workspace" />
      </Form>
    </AppLayout>,
  );
}
