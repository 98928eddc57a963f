import { Check, useCaller } from "../../../http/ui/index.ts";
import type { SetPassword } from "../../../identity/members/index.ts";

/** The passwords of mailboxes that a person has set, which end with their right. Owners may keep single ones of another person. */
export function PasswordChoice({ passwords, isSelf = false }: { passwords: readonly SetPassword[]; isSelf?: boolean }) {
  if (passwords.length === 0) return null;
  const mayKeep = useCaller().actor.role === "owner" && !isSelf;
  return (
    <fieldset>
      <legend>Passwords of mailboxes that end, with their sessions</legend>
      {passwords.map(({ id, address }) =>
        mayKeep ? (
          <>
            <input type="hidden" name="listed" value={id} />
            <Check name="end" value={id} label={address} checked />
          </>
        ) : (
          <p>{address}</p>
        ),
      )}
      {mayKeep ? (
        <p class="soft">
          This person set them and may know them. One that you uncheck goes on, and ends with your own right.
        </p>
      ) : null}
    </fieldset>
  );
}

/** Returns the ids of the mailboxes whose password the form keeps: those that it listed, without those that are chosen to end. */
export function keptBy(fields: URLSearchParams): string[] {
  const ended = new Set(fields.getAll("end"));
  return fields.getAll("listed").filter((id) => !ended.has(id));
}
