import { env } from "cloudflare:workers";

/** Returns all objects of the bucket below a prefix. The bucket is shared with the other files, and a page has 1,000. */
export async function storedObjects(prefix = ""): Promise<R2Object[]> {
  const objects: R2Object[] = [];
  for (
    let page = await env.CONTENT.list({ prefix });
    ;
    page = await env.CONTENT.list({ prefix, cursor: page.cursor })
  ) {
    objects.push(...page.objects);
    if (!page.truncated) return objects;
  }
}
