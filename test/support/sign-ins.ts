import { FORM_PAGE } from "../../src/http/ui/index.ts";
import { createMagicLink } from "../../src/identity/sign-ins/index.ts";
import { STEP_MS, totpCode } from "../../src/identity/sign-ins/second-factor/totp-code.ts";
import { openLinks } from "../../src/lib/sealed-links.ts";
import { fromBase32 } from "./base32.ts";
import { database } from "./databases.ts";
import { cookiesOf, formPageOf } from "./sessions.ts";
import { apiOn, type TestWorkspace, testContext, until } from "./workspace.ts";

/** Returns functions that call the Worker as a page of its own origin does, with some settings and an ip. */
export function browser(settings: Record<string, unknown> = {}, ip = randomIp()) {
  const jar: Record<string, string> = {};
  const api = apiOn(settings, null);
  const call = async (
    method: string,
    path: string,
    form?: Record<string, string>,
    headers: Record<string, string> = {},
  ) => {
    const cookie = Object.entries(jar).map(([name, value]) => `${name}=${value}`);
    const page = formPageOf(path, jar.session);
    const fields = page === null ? form : { [FORM_PAGE]: page, ...form };
    const response = await api.call(method, path, form && `${new URLSearchParams(fields)}`, {
      "Sec-Fetch-Site": "same-origin",
      "CF-Connecting-IP": ip,
      ...(cookie.length > 0 ? { Cookie: cookie.join("; ") } : {}),
      ...(form ? { "Content-Type": "application/x-www-form-urlencoded" } : {}),
      ...headers,
    });
    for (const [name, value] of Object.entries(cookiesOf(response))) {
      if (value === "") delete jar[name];
      else jar[name] = value;
    }
    return response;
  };
  return {
    jar,
    get: (path: string, headers?: Record<string, string>) => call("GET", path, undefined, headers),
    post: (path: string, form: Record<string, string> = {}, headers?: Record<string, string>) =>
      call("POST", path, form, headers),
  };
}

export const randomIp = () => `10.${[0, 0, 0].map(() => Math.floor(Math.random() * 256)).join(".")}`;

/** Returns the path of a new sign-in link of an address. */
export async function aMagicLink(email: string, now = Date.now()): Promise<string> {
  return new URL(
    await createMagicLink(
      testContext({}, () => now),
      { email, next: "/app" },
    ),
  ).pathname;
}

/** Returns the texts of the emails that the service itself has sent from a workspace, oldest first. */
export async function systemEmails({ workspaceNumber }: TestWorkspace, count: number): Promise<string[]> {
  const read = async () => {
    const results = await database.rows<{ content: string }>(
      "SELECT content FROM emails WHERE workspace = ?1 AND source = 'system' ORDER BY id",
      [workspaceNumber],
    );
    return Promise.all(results.map(({ content }) => openLinks(testContext().settings.masterKeys, content)));
  };
  return until(read, (found) => found.length >= count);
}

/** Returns the TOTP code of a base32 secret, `steps` time steps from now. */
export const codeOf = (secret: string, steps = 0) =>
  totpCode(fromBase32(secret), Math.floor(Date.now() / STEP_MS) + steps);
