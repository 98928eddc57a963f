import type { CallerCtx } from "../../access/caller.ts";
import type { Evidence } from "../consent/index.ts";
import type { ListRow } from "./queries.ts";
import type { ContactIn } from "./schema.ts";

/** Returns the evidence of a caller's statement that a person has agreed. */
export function consentEvidence(
  ctx: CallerCtx,
  list: Pick<ListRow, "id" | "name">,
  emailKey: string,
  { source, given_at: givenAt }: NonNullable<ContactIn["consent"]>,
): Evidence {
  return {
    id: ctx.newId(),
    kind: "stated",
    emailKey,
    at: givenAt ?? ctx.now(),
    listId: list.id,
    listName: list.name,
    ip: ctx.clientIp,
    userAgent: null,
    words: null,
    source,
    userId: ctx.actor.userId,
  };
}
