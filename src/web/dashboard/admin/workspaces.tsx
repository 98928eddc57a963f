import type { CallerCtx } from "../../../access/caller.ts";
import { ActionLink, AppLayout, Empty, List, PostButton, Status, Time, useCaller } from "../../../http/ui/index.ts";
import { egressIssue, type WorkspaceRow } from "../../../operations/admin/index.ts";

/** The workspaces of the platform, and who paused their mail. */
export const WorkspacesPage = ({ workspaces }: { workspaces: readonly WorkspaceRow[] }) => (
  <AppLayout title="Workspaces">
    <List
      caption="Workspaces"
      columns={["Name", "Sending", "Mail databases", "Created", "Action"]}
      empty={
        <Empty action={{ href: "/app/admin/workspaces", label: "Show all workspaces" }}>
          There are no more workspaces.
        </Empty>
      }
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

function Sending({ workspace: { sendingPausedAt, pausedByPlatformAt, bulkPausedAt } }: { workspace: WorkspaceRow }) {
  return (
    <>
      <Status word={sendingPausedAt === null ? "active" : "paused"} />
      {pausedByPlatformAt === null ? "" : " by the platform"}
      {bulkPausedAt === null ? "" : ", bulk mail stopped itself"}
    </>
  );
}

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
  const path = `/app/admin/workspaces/${id}`;
  return pausedByPlatformAt === null ? (
    <ActionLink to={`${path}/pause`} label="Pause" name={`Pause ${name}`} />
  ) : (
    <PostButton to={`${path}/resume`} label="End the pause" kind="link" name={`End the pause of ${name}`} />
  );
}
