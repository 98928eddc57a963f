/** The result of one check. */
export interface Finding {
  subject: string;
  /** `unchecked`: it could not be found out, or was not asked for. */
  state: "ok" | "wrong" | "unchecked";
  text: string;
  /** The step that makes it right. */
  advice?: string;
}

/** Returns a finding that all is well. */
export const ok = (subject: string, text: string): Finding => ({ subject, state: "ok", text });

/** Returns a finding that something is wrong. */
export const wrong = (subject: string, text: string, advice: string): Finding => ({
  subject,
  state: "wrong",
  text,
  advice,
});

/** Returns a finding that nothing is known. */
export const unchecked = (subject: string, text: string, advice?: string): Finding => ({
  subject,
  state: "unchecked",
  text,
  ...(advice === undefined ? {} : { advice }),
});

const MARKS = { ok: "ok     ", wrong: "WRONG  ", unchecked: "-      " } as const;

/** Returns the findings as text, with a last line that counts what is wrong. */
export function toReport(findings: readonly Finding[]): string {
  const lines = findings.flatMap(({ subject, state, text, advice }) => [
    `${MARKS[state]}${subject}: ${text}`,
    ...(advice === undefined ? [] : [`         To do: ${advice}`]),
  ]);
  const count = findings.filter(({ state }) => state === "wrong").length;
  const summary = count === 0 ? "Nothing is wrong." : `${count} of ${findings.length} checks found something wrong.`;
  return [...lines, "", summary].join("\n");
}
