import { PostButton, Time, useCaller } from "../../../http/ui/index.ts";
import type { WorkspaceRow } from "../../../identity/workspaces/index.ts";
import { pausedSources } from "../../../platform/bulk-pauses/rules.ts";

/** The mail that waits, since when and why, with a button for owners. Nothing while none does. */
export const PausedMail = ({ workspace }: { workspace: WorkspaceRow }) =>
  workspace.bulkPausedAt === null ? null : (
    <>
      <h2 id="paused-mail">Paused mail</h2>
      <p>
        Since <Time at={workspace.bulkPausedAt} as="whole" /> mail of these sources waits:{" "}
        <strong>{pausedSources(workspace.bulkPause).join(", ")}</strong>. Too much of the mail of one hour bounced or
        was marked as spam. The audit log and the notification have the figures. Remove addresses that do not exist, and
        people who did not ask for mail: mail that goes on like this is paused again.
      </p>
      {useCaller().actor.role === "owner" ? (
        <PostButton to="/app/settings/resume-bulk" label="Resume this mail" kind="quiet" />
      ) : (
        <p class="soft">An owner of the workspace can resume it.</p>
      )}
    </>
  );
