import { type AppContext, newRoutes } from "../../http/env.ts";
import { readBytes } from "../../http/fields.ts";
import { needs } from "../../http/needs.ts";
import { parseAddress } from "../../lib/addresses.ts";
import { invalidField, notFound } from "../../lib/errors.ts";
import { mailServers } from "../../platform/settings/mail-servers.ts";
import { toAutoconfig } from "./autoconfig.ts";
import { toAutodiscover } from "./autodiscover.ts";
import { PROFILE_PATH } from "./paths.ts";
import { toProfile } from "./profile.ts";

/** Bytes of a request of Autodiscover, and characters of an address in a query. */
const MAX_REQUEST = 16_384;
const MAX_ADDRESS = 400;

const XML = { "Content-Type": "application/xml; charset=utf-8" };

/** Returns the servers of mail programs. Throws 404 where the deployment offers none. */
function serversOf(c: AppContext) {
  const servers = mailServers(c.get("ctx").settings);
  if (servers.length === 0) throw notFound("Mail server");
  return servers;
}

/** Returns the address that a program asks about, also one whose `+` is not encoded, or null. Its mailbox is not looked up. */
function findAddress({ req }: AppContext) {
  const text = new URL(req.url.replaceAll("+", "%2B")).searchParams.get("emailaddress") ?? "";
  return text.length > MAX_ADDRESS ? null : parseAddress(text);
}

/** Responds for the domain of the address, and without one for that of the host, which some programs ask by itself. */
async function respondAutoconfig(c: AppContext) {
  const servers = serversOf(c);
  const domain = findAddress(c)?.domain ?? new URL(c.req.url).hostname.replace(/^auto(?:config|discover)\./, "");
  return c.body(toAutoconfig(domain, c.get("ctx").settings.serviceName, servers), 200, XML);
}

/** The calls by which mail programs set up an account by its address (docs/contract/imap.md#set-up). They need no credentials. */
export const mailProgramRoutes = newRoutes()
  .get("/mail/config-v1.1.xml", needs("public"), respondAutoconfig)
  .get("/.well-known/autoconfig/mail/config-v1.1.xml", needs("public"), respondAutoconfig)
  .post("/autodiscover/autodiscover.xml", needs("public"), async (c) => {
    const servers = serversOf(c);
    const request = new TextDecoder().decode(await readBytes(c, MAX_REQUEST));
    return c.body(toAutodiscover(request, servers), 200, XML);
  })
  .get(PROFILE_PATH, needs("public"), async (c) => {
    const { serviceName: name, publicUrl } = c.get("ctx").settings;
    const servers = serversOf(c);
    const address = findAddress(c)?.address;
    if (!address) throw invalidField("emailaddress", "emailaddress must be a valid email address");
    const profile = await toProfile({ address, name, host: new URL(publicUrl).hostname }, servers);
    if (profile === null) throw notFound("Mail server");
    return c.body(profile, 200, {
      "Content-Type": "application/x-apple-aspen-config; charset=utf-8",
      "Content-Disposition": 'attachment; filename="mail.mobileconfig"',
    });
  });
