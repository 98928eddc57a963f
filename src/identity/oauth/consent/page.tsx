import { scopes } from "../../../access/accounts/scopes.ts";
import { Form, Layout, Notice } from "../../../http/ui/index.ts";
import type { WorkspaceChoice } from "../approve.ts";
import type { AuthorizationRequest } from "../authorization-request.ts";

interface ConsentProps {
  request: AuthorizationRequest;
  email: string;
  workspaces: readonly WorkspaceChoice[];
  /** Id of the workspace that is chosen at first. */
  activeWorkspaceId: string;
  error: string | null;
}

/** The page on which a user allows or refuses a client. Its form posts to the URL of the page. */
export function ConsentPage({ request, email, workspaces, activeWorkspaceId, error }: ConsentProps) {
  const name = request.client.name ?? "A client without a name";
  const chosen = workspaces.some(({ id }) => id === activeWorkspaceId) ? activeWorkspaceId : workspaces[0]?.id;
  return (
    <Layout title={`Allow ${name}?`}>
      {error === null ? null : <Notice kind="bad">{error}</Notice>}
      <p>
        <strong>{name}</strong> asks to act for you, <strong>{email}</strong>. You will be sent to{" "}
        <strong>{destinationOf(request.redirectUri)}</strong>.
      </p>
      <Notice kind="warn">
        <strong>This client is not verified.</strong> It chose its own name. Allow it only if you have just started this
        connection in a program that you trust.
      </Notice>
      <Form>
        <fieldset>
          <legend>Workspace</legend>
          {workspaces.map((workspace) => (
            <label class="choice">
              <input type="radio" name="workspace" value={workspace.id} required checked={workspace.id === chosen} />
              <span>
                {workspace.name} (you are {workspace.role})
              </span>
            </label>
          ))}
        </fieldset>
        <fieldset>
          <legend>The client may</legend>
          {request.scopes.map((scope) => (
            <label class="choice">
              <input type="checkbox" name="scope" value={scope} checked />
              <span>{scopes[scope]}</span>
            </label>
          ))}
        </fieldset>
        <p>
          It never gets more than your role allows, and no API keys, passwords or other credentials. You can end this at
          any time on the page Connected programs.
        </p>
        <button type="submit" name="decision" value="allow">
          Allow
        </button>{" "}
        <button class="quiet" type="submit" name="decision" value="deny" formnovalidate>
          Refuse
        </button>
      </Form>
    </Layout>
  );
}

/** Returns the host or the app that a redirect URI leads to. */
function destinationOf(redirectUri: string): string {
  const { protocol, host } = new URL(redirectUri);
  return protocol === "https:" || protocol === "http:" ? host : `the app of ${protocol}`;
}

/** The page for a request whose client or redirect URI is not valid. */
export const RefusedPage = ({ reason }: { reason: string }) => (
  <Layout title="This connection cannot be made">
    <p>The request of the client is not valid: {reason}.</p>
    <p>Nothing was sent to the client. Close this page.</p>
  </Layout>
);
