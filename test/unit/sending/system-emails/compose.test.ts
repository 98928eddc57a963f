import { expect, it } from "vitest";
import { composeHtml, composeText } from "../../../../src/sending/system-emails/compose.ts";

/** The emails of the service itself as text and HTML. */

const step = {
  ask: "To accept, open this link:",
  label: "Join <Shop>",
  url: "https://mail.example/invitations/a?b=1&c=2",
};
const email = { subject: "Invitation to <Shop>", parts: ['Ada invites you to "Shop".\n> A note', step, "Ignore it."] };
const html = composeHtml(email, { service: "A & B mail", host: "mail.example" });

it("are plain text in which each part is a paragraph, and a step has its link on a line of its own", () => {
  expect(composeText(email)).toBe(
    `Ada invites you to "Shop".\n> A note\n\nTo accept, open this link:\n${step.url}\n\nIgnore it.\n`,
  );
});

it("are HTML in which all text is escaped, lines stay apart, and a step is a button with its link as text below", () => {
  expect(html).toContain("<title>Invitation to &lt;Shop&gt;</title>");
  expect(html).toContain("Ada invites you to &quot;Shop&quot;.<br>&gt; A note");
  const link = "https://mail.example/invitations/a?b=1&amp;c=2";
  expect(html.split(`href="${link}"`)).toHaveLength(3);
  expect(html).toContain(">Join &lt;Shop&gt;</a>");
  expect(html).toContain(`>${link}</a>`);
  expect(html).toContain("Sent by A &amp; B mail, mail.example");
});

it("load nothing, run nothing, and have colours for light and dark", () => {
  expect(html).not.toMatch(/<(img|script|link|iframe|form)\b|url\(|@import|@font-face/);
  expect(html).toContain('<meta name="color-scheme" content="light dark">');
  expect(html).toContain("@media (prefers-color-scheme:dark)");
  expect(Math.max(...html.split("\n").map((line) => line.length))).toBeLessThan(998);
});
