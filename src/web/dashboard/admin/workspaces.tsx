import type { CallerCtx } from "../../../access/caller.ts";
import { readPage, respondPage } from "../../../http/page.tsx";
import { button, page, pagesOf, question } from "../../../http/page-actions.tsx";
import { ActionLink, AppLayout, Empty, List, PostLink, Status, Time, useCaller } from "../../../http/ui/index.ts";
import {
  egressIssue,
  getAnyWorkspace,
  listAllWorkspaces,
  pauseWorkspace,
  type WorkspaceRow,
} from "../../../operations/admin/index.ts";

const PATH = "/app/admin/workspaces";

/** Workspaces of the platform: an administrator stops the mail of one. */
export const workspacePages = pagesOf(
  "workspace",
  page(PATH, "GET /v1/admin/workspaces", async (c) => {
    const { rows, next } = await readPage(c, { path: PATH, read: listAllWorkspaces, after: ({ id }) => id });
    return respondPage(c, <WorkspacesPage workspaces={rows} />, { next, nextLabel: "More" });
  }),
  question(`${PATH}/:workspace_id/pause`, "POST /v1/admin/workspaces/:workspace_id/pause", {
    of: getAnyWorkspace,
    title: ({ name }) => `Pause sending in ${name}?`,
    button: "Pause sending",
    text: "Calls that send are refused from the next request on, and queued emails wait. Its owners are told, and cannot resume it.",
    run: (caller, id) => pauseWorkspace(caller, id, true),
    done: { paused: "Sending is paused in the workspace. Its owners are told." },
  }),
  button(`${PATH}/:workspace_id/resume`, "POST /v1/admin/workspaces/:workspace_id/resume", {
    run: (caller, id) => pauseWorkspace(caller, id, false),
    done: { resumed: "The pause of the platform is ended." },
  }),
);

const WorkspacesPage = ({ workspaces }: { workspaces: readonly WorkspaceRow[] }) => (
  <AppLayout title="Workspaces">
    <List
      caption="Workspaces"
      columns={["Name", "Sending", "Mail databases", "Created", "Action"]}
      empty={<Empty action={{ href: PATH, label: "Show all workspaces" }}>There are no more workspaces.</Empty>}
      rows={workspaces.map((workspace) => [
        <>
          {workspace.name} <span class="soft">{workspace.slug}</span>
        </>,
        <>
          <Sending workspace={workspace} />
          <OwnEgress name={workspace.egress} settings={useCaller().settings} />
        </>,
        workspace.mailShards.join(", "),
        <Time at={workspace.createdAt} />,
        <Action workspace={workspace} />,
      ])}
    />
  </AppLayout>
);

const Sending = ({ workspace: { sendingPausedAt, pausedByPlatformAt, bulkPausedAt } }: { workspace: WorkspaceRow }) => (
  <>
    <Status word={sendingPausedAt === null ? "active" : "paused"} />
    {pausedByPlatformAt === null ? "" : " by the platform"}
    {bulkPausedAt === null ? "" : ", bulk mail stopped itself"}
  </>
);

/** The egress of its own, and why its mail waits when that cannot be used. */
function OwnEgress({ name, settings }: { name: string | null; settings: CallerCtx["settings"] }) {
  if (name === null) return null;
  const issue = egressIssue(settings, name);
  return (
    <div class="soft">
      By the egress {name}
      {issue === null ? "" : `: its mail waits, since ${issue}`}
    </div>
  );
}

function Action({ workspace: { id, name, pausedByPlatformAt } }: { workspace: WorkspaceRow }) {
  const path = `${PATH}/${id}`;
  return pausedByPlatformAt === null ? (
    <ActionLink to={`${path}/pause`} label="Pause" name={`Pause ${name}`} />
  ) : (
    <PostLink to={`${path}/resume`} label="End the pause" name={`End the pause of ${name}`} />
  );
}
