import { vi } from "vitest";
import { type CapturedMail, captured, raw } from "./captured-mail.ts";

/** Signs a new address in by the link that it gets by mail. Returns an API key of its workspace. */
export async function signUp(local: CapturedMail & { base_url: string }, email: string): Promise<string> {
  const Origin = new URL(local.base_url).origin;
  const post = (path: string, body: object, headers: Record<string, string> = {}) =>
    fetch(new URL(path, Origin), {
      method: "POST",
      headers: { "Content-Type": "application/json", Origin, ...headers },
      body: JSON.stringify(body),
      redirect: "manual",
    });
  await post("/auth/magic-link", { email });
  const link = await vi.waitFor(
    async () => {
      const mail = (await captured(local)).find(({ to }) => to.includes(email));
      const text = mail ? (await raw(local, mail.id)).toString("latin1").replaceAll("=\r\n", "") : "";
      const [found] = /\/auth\/magic-link\/[\w-]+/.exec(text) ?? [];
      if (found === undefined) throw new Error(`no sign-in link was sent to ${email}`);
      return found;
    },
    { timeout: 60_000, interval: 50 },
  );
  const signedIn = await post(link, {});
  const cookies = signedIn.headers.getSetCookie().map((cookie) => cookie.split(";")[0]);
  const scopes = ["domains:view", "domains:manage"];
  const response = await post("/v1/api-keys/", { name: "First", scopes }, { Cookie: cookies.join("; ") });
  if (response.status !== 201) throw new Error(`${response.status}: ${await response.text()}`);
  return ((await response.json()) as { key: string }).key;
}
