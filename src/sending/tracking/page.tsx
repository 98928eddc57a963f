import { Layout, useTexts } from "../../http/ui/index.ts";
import { toLocation } from "./location.ts";

/** The page of an expired link. It names the target and links to it (docs/contract/tracking.md#tracking-links). */
export function ExpiredPage({ url }: { url: string }) {
  const target = toLocation(url);
  const texts = useTexts();
  return (
    <Layout title={texts.expired}>
      <p>{texts.oldLink}</p>
      <p class="url">{target}</p>
      <p>
        <a class="button" href={target} rel="noreferrer nofollow">
          {texts.goOn(new URL(target).host)}
        </a>
      </p>
    </Layout>
  );
}
