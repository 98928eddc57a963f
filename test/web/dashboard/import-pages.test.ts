import { beforeEach, describe, expect, it } from "vitest";
import { multipart } from "../../audience/contacts/csv-support.ts";
import { aList } from "../../audience/contacts/support.ts";
import { aSession } from "../../support/sessions.ts";
import { aWorkspace, perTest } from "../../support/workspace.ts";

/** The page that imports contacts: what a file has before, and what became of each row after. */

const workspace = perTest(aWorkspace);
const session = perTest(() => aSession(workspace));
let path: string;

beforeEach(async () => {
  path = `/app/contacts/${(await aList(workspace)).id}`;
});

async function post(to: string, csv: string) {
  const { body, headers } = multipart(csv);
  const response = await session.call("POST", to, body, headers);
  return { status: response.status, page: await response.text() };
}
/** Returns the columns that a page asks about, with their first cells and what they become. */
const columnsOf = (page: string) =>
  [
    ...page.matchAll(/<label for="column:[^"]*">([^<]*).*?<p class="hint"[^>]*>([^<]*)<.*?value="([^"]*)" selected/g),
  ].map(([, name, cells, use]) => [name, cells, use]);
const itemsOf = (page: string) => page.match(/<li>Row/g) ?? [];

describe("the page of an import", () => {
  it("shows the columns of a file with the cells of its first five rows, and imports nothing", async () => {
    const rows = Array.from({ length: 9 }, (_, n) => `u${n}@example.org;"Bath; <b>";U ${n}`).join("\r\n");
    const { status, page } = await post(`${path}/import/check`, `\ufeffEmail;city;Name\r\n\r\n${rows}`);
    expect(status).toBe(200);
    const numbers = [0, 1, 2, 3, 4];
    expect(columnsOf(page)).toEqual([
      ["Email", numbers.map((n) => `u${n}@example.org`).join(" · "), "email"],
      ["city", numbers.map(() => "Bath; &lt;b&gt;").join(" · "), "metadata.city"],
      ["Name", numbers.map((n) => `U ${n}`).join(" · "), "name"],
    ]);
    expect(await (await session.get(path)).text()).toContain("The list is empty.");
  });

  it("lists every refused row, and counts those that it does not list", async () => {
    const wrong = Array.from({ length: 1_200 }, (_, n) => `no address ${n}\n`).join("");
    const { status, page } = await post(`${path}/import`, `email\nada@example.org\nada@example.org\n${wrong}`);
    expect(status).toBe(200);
    expect(page).toContain("1 imported, 1 skipped, 1,200 refused.");
    expect(itemsOf(page)).toHaveLength(1_000);
    expect(page).toContain("200 more rows were refused");
    expect(page).toContain("The list has 1 contact.");
  });

  it("shows the form again with the issue of a file", async () => {
    for (const to of [`${path}/import`, `${path}/import/check`]) {
      for (const [csv, issue] of [
        ["", "is empty"],
        ["email,a\0\nb@example.org,1\n", "NUL"],
        // The columns of the file are shown, so that one can be said to be that of the addresses.
        ...(to.endsWith("check") ? [] : [["name\nAda\n", "no email column"] as const]),
      ] as const) {
        const { status, page } = await post(to, csv);
        expect([status, page.includes(issue), page.includes('type="file"')], `${to} ${csv}`).toEqual([400, true, true]);
      }
      const response = await session.call("POST", to, "a=b", { "Content-Type": "application/x-www-form-urlencoded" });
      expect(response.status).toBe(415);
    }
  });
});

it("the page of suppressions imports a file, with its reasons, and shows the form again with the issue of another one", async () => {
  const shown = await (await session.get("/app/suppressions")).text();
  expect(shown).toContain('href="/app/suppressions/import"');
  const { status, page } = await post(
    "/app/suppressions/import",
    "email,reason\nada@example.org,spam report\nnobody,\n",
  );
  expect([status, page.includes("1 imported, 0 skipped, 1 refused."), itemsOf(page).length]).toEqual([200, true, 1]);
  expect(await (await session.get("/app/suppressions")).text()).toContain("Marked as spam");
  const refused = await post("/app/suppressions/import", "name\nAda\n");
  expect([refused.status, refused.page.includes("no email column"), refused.page.includes('type="file"')]).toEqual([
    400,
    true,
    true,
  ]);
});
