/** Patterns whose time grows faster than a text. Each reads a text that is short, or one on which it never fails. */
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import path from "node:path";
import { analyse } from "scslre";
import { describe, expect, it } from "vitest";
import { ROOT } from "../../dev/layout.ts";
import * as failurePhrases from "../../src/mail/reports/failure-phrases.ts";
import { OTHER_REASONS } from "../../src/mail/reports/other-reasons.ts";

const FOLDERS = ["src", "smtp-egress", "mail-gateway", "durable-objects"];
/** A literal where an expression may begin. A path in a template string looks like one, and is no harm. */
const LITERAL =
  /(?<=(?:^|[=(,:;!&|?{}[>]|\breturn)\s*)\/(?![/*])((?:[^/\\[\n]|\\.|\[(?:[^\]\\\n]|\\.)*\])+)\/([dgimsuvy]*)(?!\w)/gm;

/** By file and pattern, why it takes no long time. */
const BOUNDED: Readonly<Record<string, string>> = {
  "mail-gateway/config.ts \\/+$": "a setting of the operator",
  "mail-gateway/strict-server.ts :(.*)$": "never fails behind a colon",
  "smtp-egress/config.ts \\/+$": "a setting of the operator",
  "smtp-egress/results.ts [^\\s<>\"'()]+@[^\\s<>\"'()]+": "a reply of at most 512 characters",
  "src/audience/broadcasts/contents.ts (\\{\\{[\\s\\S]*?\\}\\}|\\{%[\\s\\S]*?%\\})": "a preheader",
  "src/audience/broadcasts/new-email.ts \\ufffd+$": "a subject of at most 998 bytes",
  "src/http/service-auth.ts ^Bearer +(.+)$": "never fails on a header, which has one line",
  "src/http/viewer.ts \\/+$": "a setting of the operator",
  "src/identity/workspaces/new-workspace.ts ^-+|-+$": "a name, without two hyphens beside each other",
  "src/lib/text-rules.ts [\\p{L}\\p{M}\\p{N}!#$%&*+/=?^_`{|}~.-]+$": "64 characters before an at sign",
  "src/mail/dkim/canonicalization.ts [ \\t]+$": "the name of a field, which has no space within it",
  "src/mail/dmarc/record.ts ^([A-Za-z0-9]+)\\s*=\\s*(.*)$": "never fails behind an equals sign",
  "src/mail/imap/header-fields.ts [^\\n]*\\n|[^\\n]+$": "never fails: a line has an end, or is the last",
  "src/mail/imap/folder-names.ts =+$": "base64, which ends with at most two of them",
  "src/mail/texts/charsets.ts ^[\"']+|[\"']+$": "40 characters of a charset",
  "src/mail/texts/text.ts <meta\\s[^>]{0,300}?charset\\s*=\\s*[\"']?\\s*([A-Za-z0-9._:+-]{1,40})": "4,096 bytes",
  "src/mail/spf/parse.ts ^([+?~-]?)([a-z][a-z0-9_.-]*)([:=/]?)(.*)$": "never fails behind a letter",
  "src/mailboxes/auto-replies/may-reply.ts \\+[^@]*(?=@)": "an address of an envelope",
  "src/mailboxes/inbox/archives/export.ts (\\w+), (\\d+) (\\w+) (\\d+) ([\\d:]+) GMT": "a date of the service",
  "src/mailboxes/inbox/archives/export.ts ^[. ]+|[. ]+$": "the name of a folder",
  "src/mailboxes/inbox/filter-style.ts ([\\w-]*)\\s*\\(": "a value of at most 500 characters",
  "src/mailboxes/inbox/sending/sender.ts \\+[^@]*(?=@)": "an address of a mailbox",
  "src/platform/settings/hostnames.ts \\/+$": "a setting of the operator",
  "src/platform/settings/settings.ts \\/+$": "a setting of the operator",
  "src/sending/delivery/prepare/simulator.ts \\+.*$": "the local part of an address",
  'src/web/reference/snippets.ts ^(\\s*)"([A-Za-z_]\\w*)":': "an example of the documentation",
};

const files = execFileSync("git", ["ls-files", ...FOLDERS], { cwd: ROOT })
  .toString()
  .split("\n")
  .filter((file) => /\.tsx?$/.test(file) && !/\.d\.ts$|\/generated\//.test(file));
const literals = files.flatMap((file) =>
  [...readFileSync(path.join(ROOT, file), "utf8").matchAll(LITERAL)].map(([, source = "", flags = ""]) => ({
    file,
    source,
    flags,
  })),
);
/** The tables of failures are text, so no literal of theirs is found. */
const phrases = [...Object.values(failurePhrases).flat(), ...OTHER_REASONS].map(({ pattern }) => ({
  file: "src/mail/reports",
  source: pattern.source,
  flags: pattern.flags,
}));

/** Returns whether a pattern takes more than linear time; false for what is no pattern. */
function isSuperLinear({ source, flags }: { source: string; flags: string }): boolean {
  try {
    return new RegExp(source, flags) && analyse({ source, flags }).reports.length > 0;
  } catch {
    return false;
  }
}

describe("the regular expressions of the service, the egress and the gateway", () => {
  it("are found by the search, and one with super-linear time is reported", () => {
    expect(literals.length).toBeGreaterThan(900);
    expect(isSuperLinear({ source: "^\\s*a*\\s*$", flags: "" })).toBe(true);
    expect(isSuperLinear({ source: "^a+$", flags: "" })).toBe(false);
  });

  it("take linear time, or a text that is short or on which they do not fail", () => {
    const found = [...literals, ...phrases].filter(isSuperLinear).map(({ file, source }) => `${file} ${source}`);
    expect([...new Set(found)].sort()).toEqual(Object.keys(BOUNDED).sort());
  });
});
