import { Layout } from "../../http/ui/index.ts";
import { toLocation } from "./location.ts";

/** Returns the page of an expired link. It names the target and links to it (docs/contract/tracking.md#tracking-links). */
export function expiredPage(url: string) {
  const target = toLocation(url);
  return (
    <Layout title="This link has expired">
      <p>The email with this link is no longer stored here. The link leads to:</p>
      <p class="url">{target}</p>
      <p>
        <a class="button" href={target} rel="noreferrer nofollow">
          Continue to {new URL(target).host}
        </a>
      </p>
    </Layout>
  );
}

/** Returns the page of a link whose target is blocked. It does not name the target. */
export function blockedPage() {
  return (
    <Layout title="This link is blocked">
      <p>This service does not forward to the website behind this link.</p>
    </Layout>
  );
}
