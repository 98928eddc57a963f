import type { BroadcastOut } from "../../../audience/broadcasts/index.ts";
import { ButtonLink, Code, PostButton } from "../../../http/ui/index.ts";
import { may } from "./rights.ts";

/** The public page of a broadcast, and its switch. */
export const WebVersion = ({ broadcast: { id, web_version_url: url } }: { broadcast: BroadcastOut }) => (
  <>
    <h2>Web version</h2>
    {url === null ? (
      <p>
        A public page with the content, as a stranger sees it. {"{{web_version_url}}"} in the content gives its address.
      </p>
    ) : (
      <Code label="Address of the web version" text={url} />
    )}
    <div class="actions">
      {url === null ? null : <ButtonLink to={url} label="Open" kind="quiet" />}
      {may("manage") ? (
        <PostButton
          to={`/app/broadcasts/${id}/${url === null ? "show-on-web" : "take-from-web"}`}
          label={url === null ? "Show on the web" : "Take back"}
          kind="quiet"
        />
      ) : null}
    </div>
  </>
);
