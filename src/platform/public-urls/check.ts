import type { Ctx } from "../context.ts";
import { resolve } from "../dns/resolve.ts";
import { isPublicAddress } from "./addresses.ts";
import { type ParsedUrl, parsePublicUrl } from "./parse.ts";

/**
 * Checks that a URL is https to a host whose addresses are all public, as the configured resolver knows them now. Must run
 * before each request, since the response of DNS may change. Returns the URL, or a sentence that says what is wrong.
 */
export async function checkPublicUrl(
  ctx: Pick<Ctx, "settings" | "log">,
  text: string,
): Promise<ParsedUrl | { problem: string }> {
  const { webhookAllowInsecure, publicUrl } = ctx.settings;
  const ownHost = new URL(publicUrl).hostname;
  const parsed = parsePublicUrl(text, { allowLoopback: webhookAllowInsecure, ownHost });
  if ("problem" in parsed) return parsed;
  if (parsed.url.protocol === "http:") ctx.log("public-url.insecure", { host: parsed.url.host });
  if (parsed.name === null) return parsed;
  const problem = await findProblem(ctx, parsed.name);
  return problem === null ? parsed : { problem };
}

async function findProblem(ctx: Pick<Ctx, "settings">, name: string): Promise<string | null> {
  const responses = await Promise.all([resolve(ctx, name, "A"), resolve(ctx, name, "AAAA")]);
  const addresses = responses.flatMap((response) => (response.status === "ok" ? response.values : []));
  if (addresses.some((address) => !isPublicAddress(address))) return "the host has an address that is not public";
  // An address that is not known may be a private one.
  if (responses.some(({ status }) => status === "temperror")) return "the host could not be looked up";
  return addresses.length > 0 ? null : "the host has no address";
}
