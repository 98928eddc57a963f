import { requireScopes } from "../../../access/caller.ts";
import { switchWorkspace } from "../../../access/sessions/switch-workspace.ts";
import { setTokenCookie } from "../../../http/cookies.ts";
import type { AppContext } from "../../../http/env.ts";
import { inputOf } from "../../../http/form-input.ts";
import { respondPage } from "../../../http/page.tsx";
import { creation, page, pagesOf } from "../../../http/page-actions.tsx";
import { AppLayout, ErrorSummary, Field, Form, Submit } from "../../../http/ui/index.ts";
import { createWorkspace, WorkspaceIn } from "../../../identity/workspaces/index.ts";

const CREATE = "POST /v1/workspaces/";
const PATH = "/app/workspaces/new";

/** The page that creates a workspace and goes on in it. */
export const newWorkspacePages = pagesOf(
  "workspace",
  page(PATH, CREATE, showForm),
  creation(PATH, CREATE, {
    read: inputOf(WorkspaceIn),
    run: createWorkspace,
    to: async ({ id }, c) => {
      const caller = c.get("caller");
      if (caller.actor.kind !== "session") throw new Error("a page is for a session");
      const access = await switchWorkspace({ ...caller, actor: caller.actor }, id);
      setTokenCookie(c, "session", access.token, access.expiresAt);
      return "/app";
    },
  }),
);

function showForm(c: AppContext) {
  requireScopes(c.get("caller").actor, "team:manage");
  return respondPage(
    c,
    <AppLayout title="New workspace">
      <ErrorSummary />
      <p>
        It has its own domains, mailboxes, contacts and team. You are its owner, and others see it once you invite them.
      </p>
      <Form class="form" action={PATH} once>
        <Field name="name" label="Name of the workspace" maxlength={100} />
        <Submit label="Create workspace" />
      </Form>
    </AppLayout>,
  );
}
