import { runDurableObjectAlarm } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { vi } from "vitest";
import { REMOVAL_DELAY_MS } from "../../../../src/mailboxes/mailbox-store/rules.ts";
import type { TestWorkspace } from "../../../support/workspace.ts";

/** Deletes the objects that no message of a mailbox has any more, as soon as they may be deleted. */
export const deleteObjects = async ({ mailboxId }: TestWorkspace) => {
  vi.setSystemTime(Date.now() + REMOVAL_DELAY_MS + 1);
  await runDurableObjectAlarm(env.MAILBOX.getByName(mailboxId));
};
