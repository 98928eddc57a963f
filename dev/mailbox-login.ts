import { randomBytes } from "node:crypto";
import path from "node:path";
import { apiUrl, type Layout } from "./layout.ts";
import type { Seed } from "./seed.ts";
import { readJson, writeDurably } from "./state/files.ts";

/** The login of the seeded mailbox to webmail. */
export interface MailboxLogin {
  /** Page of webmail with the address filled in. */
  sign_in_url: string;
  email: string;
  password: string;
}

/**
 * Returns the login of the seeded mailbox, and sets its password at the first start. Returns null when the password of the
 * first start no longer signs in, because it was changed.
 */
export async function mailboxLogin(layout: Layout, seed: Seed): Promise<MailboxLogin | null> {
  const file = path.join(layout.stateDir, "mailbox.json");
  let stored = await readJson<{ password: string }>(file);
  if (!stored) {
    stored = { password: randomBytes(18).toString("base64url") };
    await writeDurably(file, JSON.stringify(stored), 0o600);
    await setPassword(layout, seed, stored.password);
  } else if (!(await signsIn(layout, seed.mailbox, stored.password))) return null;
  const url = new URL("/mail/sign-in", apiUrl(layout));
  url.searchParams.set("email", seed.mailbox);
  return { sign_in_url: url.href, email: seed.mailbox, password: stored.password };
}

async function setPassword(layout: Layout, seed: Seed, password: string): Promise<void> {
  const response = await fetch(`${apiUrl(layout)}/mailboxes/${seed.mailboxId}/password`, {
    method: "PUT",
    headers: { Authorization: `Bearer ${seed.apiKey}`, "Content-Type": "application/json" },
    body: JSON.stringify({ password }),
  });
  if (!response.ok) throw new Error(`the password of ${seed.mailbox} could not be set: ${await response.text()}`);
}

/** Returns whether a password signs in. The session that this makes is ended. */
async function signsIn(layout: Layout, email: string, password: string): Promise<boolean> {
  const post = (operation: string, fields: object) =>
    fetch(`${apiUrl(layout)}/webmail/${operation}`, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify(fields),
    });
  const response = await post("login", { email, password });
  if (!response.ok) return false;
  const { refresh_token } = (await response.json()) as { refresh_token: string };
  await post("logout", { refresh_token });
  return true;
}
