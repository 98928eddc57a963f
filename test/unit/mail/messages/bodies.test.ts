import { describe, expect, it } from "vitest";
import { partsShownIn } from "../../../../src/mail/messages/bodies.ts";
import { parseMessage } from "../../../../src/mail/messages/parse.ts";

/** The parts that are shown of messages as mail programs and list servers write them (JMAP, RFC 8621 4.1.4). */

interface Leaf {
  type: string;
  body?: string;
  fields?: string[];
}
type Tree = Leaf | { multipart: string; parts: Tree[] };

/** Writes a part with its header. */
function write(tree: Tree, boundary = "b"): string {
  if (!("multipart" in tree))
    return `Content-Type: ${tree.type}\r\n${(tree.fields ?? []).map((field) => `${field}\r\n`).join("")}\r\n${tree.body ?? "x"}`;
  const parts = tree.parts.map((part, index) => `--${boundary}\r\n${write(part, `${boundary}${index}`)}\r\n`).join("");
  return `Content-Type: multipart/${tree.multipart}; boundary=${boundary}\r\n\r\n${parts}--${boundary}--\r\n`;
}

const read = (tree: Tree) => parseMessage(new TextEncoder().encode(`MIME-Version: 1.0\r\n${write(tree)}`));
const uses = (tree: Tree) => read(tree).parts.map(({ partId, use, shownIn }) => `${partId} ${shownIn ?? use}`);

const plain = (body?: string): Leaf => ({ type: "text/plain; charset=utf-8", ...(body ? { body } : {}) });
const html = (body = '<p>x<img src="cid:i@x"></p>'): Leaf => ({ type: "text/html; charset=utf-8", body });
const many = (multipart: string, ...parts: Tree[]): Tree => ({ multipart, parts });
const file = (type: string, name: string): Leaf => ({
  type: `${type}; name="${name}"`,
  fields: [`Content-Disposition: inline; filename="${name}"`],
});
const image: Leaf = { type: "image/png", fields: ["Content-ID: <i@x>", "Content-Disposition: inline"] };

describe("the parts that are shown", () => {
  it.each<[string, Tree, string[]]>([
    ["one text", plain(), ["1 both"]],
    ["one text with a name", file("text/plain", "a.txt"), ["1 both"]],
    ["one file", file("text/csv", "a.csv"), ["1 attachment"]],
    ["an alternative", many("alternative", plain(), html()), ["1 text", "2 html"]],
    ["an alternative of HTML alone", many("alternative", html()), ["1 both"]],
    [
      "an alternative with images of the HTML",
      many("alternative", plain(), many("related", html(), image)),
      ["1 text", "2.1 html", "2.2 inline"],
    ],
    ["HTML with images", many("related", html(), image), ["1 both", "2 inline"]],
    ["HTML that names no image", many("related", html("<p>x</p>"), image), ["1 both", "2 attachment"]],
    [
      "a file with an id that nothing names",
      many("mixed", plain(), { type: "application/pdf", fields: ["Content-ID: <x@x>", "Content-Disposition: inline"] }),
      ["1 both", "2 attachment"],
    ],
    [
      "files without an id beside an image without one",
      many("mixed", html('<img src="cid:">'), { ...image, fields: ["Content-ID: <>", "Content-Disposition: inline"] }),
      ["1 both", "2 attachment"],
    ],
    [
      "HTML that is longer than what is read of it, with an image",
      many("related", html(`${"<p>x</p>".repeat(20_000)}<img src="cid:i@x">`), image),
      ["1 both", "2 inline"],
    ],
    ["HTML with a text that belongs to it", many("related", html(), plain()), ["1 both", "2 attachment"]],
    [
      "Apple Mail: text, a photo, text",
      many("mixed", plain(), file("image/jpeg", "IMG_1.jpeg"), plain()),
      ["1 both", "2 attachment", "3 both"],
    ],
    [
      "Apple Mail: text beside HTML with a file in its middle",
      many("alternative", plain(), many("mixed", html(), file("application/pdf", "a.pdf"), html())),
      ["1 text", "2.1 html", "2.2 attachment", "2.3 html"],
    ],
    ["Mailman: a footer below a text", many("mixed", plain(), plain()), ["1 both", "2 both"]],
    [
      "Mailman: a header and a footer around an alternative",
      many("mixed", plain(), many("alternative", plain(), html()), plain()),
      ["1 both", "2.1 text", "2.2 html", "3 both"],
    ],
    ["a footer below HTML", many("mixed", html(), plain()), ["1 both", "2 both"]],
    ["a log beside a text", many("mixed", plain(), file("text/plain", "a.log")), ["1 both", "2 attachment"]],
    [
      "texts that are attached",
      many("mixed", { ...plain(), fields: ["Content-Disposition: attachment"] }, html()),
      ["1 attachment", "2 both"],
    ],
    [
      "text and HTML within an alternative that has both already",
      many("alternative", plain(), many("mixed", html(), plain())),
      ["1 text", "2.1 html", "2.2 html"],
    ],
  ])("of %s", (_, tree, expected) => {
    expect(uses(tree)).toEqual(expected);
  });

  it("are twenty at most of each kind, and further texts are attachments", () => {
    const shown = uses(many("mixed", ...Array.from({ length: 25 }, () => plain())));
    expect([shown[19], shown[20]]).toEqual(["20 both", "21 attachment"]);
  });

  it("make the text that is searched, in their order, with HTML among them as text", () => {
    const tree = many("mixed", plain("Before"), html("<p>Within &amp; <b>bold</b></p>"), plain("After"));
    expect(read(tree).text).toBe("Before\nWithin & bold\nAfter");
    expect(read(many("alternative", plain(" "), html("<p>Only this</p>"))).text).toBe("Only this");
  });

  it("of messages that an earlier version stored are those of their type", () => {
    const parts = (["text", "html", "attachment"] as const).map((use) => ({ use }));
    expect(partsShownIn(parts, "text")).toEqual([{ use: "text" }]);
    expect(partsShownIn(parts, "html")).toEqual([{ use: "html" }]);
  });
});
