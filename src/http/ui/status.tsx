type Kind = "good" | "bad" | "warn" | "info" | "plan";

const WORDS: Readonly<Record<Kind, readonly string[]>> = {
  good: ["delivered", "verified", "active", "completed", "accepted", "on", "unchanged", "pass", "done", "stored", "ok"],
  bad: [
    ...["bounced", "failed", "rejected", "missing", "mismatch", "expired", "complained", "reversed", "restricted"],
    ...["fail", "suppressed", "permerror", "error"],
  ],
  warn: ["deferred", "retrying", "pending", "paused", "unconfirmed", "softfail", "temperror", "due", "warning"],
  info: ["sending", "sent", "claimed", "running", "opened", "clicked"],
  plan: ["scheduled"],
};

const KINDS = new Map(
  Object.entries(WORDS).flatMap(([kind, words]) => words.map((word): [string, string] => [word, kind])),
);

/** A status as a dot and a word, in the colour of the API's `word`. Unknown ones, such as `queued`, are grey. */
export const Status = ({ word, label }: { word: string; label?: string }) => (
  <span class={`status ${KINDS.get(word) ?? ""}`.trim()}>{label ?? toSentence(word)}</span>
);

/** Returns a name of the API as a person writes it: `no_mailbox` is "No mailbox". */
export const toSentence = (word: string) => word.charAt(0).toUpperCase() + word.slice(1).replaceAll("_", " ");
