import type { CallerCtx } from "../../../access/caller.ts";
import { Empty, Layout, List, Pager, PostButton, Status, Time } from "../../../http/ui/index.ts";
import { egressIssue, type WorkspaceRow } from "../../../operations/admin/index.ts";

interface WorkspacesPageProps {
  caller: CallerCtx;
  workspaces: readonly WorkspaceRow[];
  next: string | null;
  notice?: string | undefined;
}

/** The workspaces of the platform, and who paused their mail. */
export const WorkspacesPage = ({ caller, workspaces, next, notice }: WorkspacesPageProps) => (
  <Layout title="Workspaces" caller={caller} at="/app/admin/workspaces" notice={notice}>
    {workspaces.length === 0 ? (
      <Empty action={{ href: "/app/admin/workspaces", label: "Show all workspaces" }}>
        There are no more workspaces.
      </Empty>
    ) : (
      <List
        caption="Workspaces"
        columns={["Name", "Sending", "Mail databases", "Created", "Action"]}
        rows={workspaces.map((workspace) => [
          <>
            {workspace.name} <span class="soft">{workspace.slug}</span>
          </>,
          <>
            <Sending workspace={workspace} />
            <OwnEgress name={workspace.egress} settings={caller.settings} />
          </>,
          workspace.mailShards.join(", "),
          <Time at={workspace.createdAt} />,
          <Action workspace={workspace} />,
        ])}
      />
    )}
    <Pager next={next} label="More" />
  </Layout>
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
    <a class="action" href={`${path}/pause`} aria-label={`Pause ${name}`}>
      Pause
    </a>
  ) : (
    <PostButton to={`${path}/resume`} label="End the pause" kind="link" name={`End the pause of ${name}`} />
  );
}
