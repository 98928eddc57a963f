import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import type { PictureOut } from "../../../src/identity/pictures/index.ts";
import { concat, utf8 } from "../../../src/lib/bytes.ts";
import { r2Keys } from "../../../src/platform/db/r2-keys.ts";
import { apiWith, aWorkspace, perTest } from "../../support/workspace.ts";
import { PNG, uploadPicture } from "./support.ts";

const workspace = perTest(aWorkspace);
const anybody = apiWith(null);

const accepted = async (response: Response) => {
  expect(response.status, await response.clone().text()).toBe(201);
  return response.json<PictureOut>();
};
const list = async () => (await workspace.get("/v1/pictures")).json<PictureOut[]>();

describe("a picture", () => {
  it("is public at an address of its own, with its type, and nothing in it can run", async () => {
    const picture = await accepted(await uploadPicture(workspace));
    expect(picture.bytes).toBe(PNG.byteLength);
    const { pathname } = new URL(picture.url);
    expect(pathname).toMatch(/^\/i\/[\w-]{43}\.png$/);
    const shown = await anybody.get(pathname);
    expect(shown.status).toBe(200);
    expect(new Uint8Array(await shown.arrayBuffer())).toEqual(PNG);
    expect(Object.fromEntries(shown.headers)).toMatchObject({
      "content-type": "image/png",
      "x-content-type-options": "nosniff",
      "content-security-policy": "default-src 'none'; sandbox",
      "cache-control": "public, max-age=31536000, immutable",
    });
  });

  it("has its type by its content, and is refused when it is no picture that is safe to show", async () => {
    const files: [Uint8Array<ArrayBuffer>, string | null][] = [
      [Uint8Array.of(0xff, 0xd8, 0xff, 0xe0, 1), "jpg"],
      [utf8("GIF89a..."), "gif"],
      [utf8("RIFF1234WEBPVP8 "), "webp"],
      [utf8('<svg xmlns="http://www.w3.org/2000/svg"/>'), null],
      [utf8("<!doctype html><script>alert(1)</script>"), null],
      [utf8("RIFF1234WAVEfmt "), null],
      [new Uint8Array(), null],
    ];
    for (const [bytes, ending] of files) {
      const response = await uploadPicture(workspace, bytes);
      if (ending === null) expect(response.status).toBe(422);
      else expect((await accepted(response)).url).toMatch(new RegExp(`\\.${ending}$`));
    }
    const large = new Uint8Array(5 * 1024 * 1024 + 1);
    large.set(PNG);
    expect((await uploadPicture(workspace, large)).status).toBe(413);
  });

  it("that is uploaded twice is stored once, and another workspace has an address of its own for it", async () => {
    const other = await aWorkspace();
    const [first, second, theirs] = [
      await accepted(await uploadPicture(workspace)),
      await accepted(await uploadPicture(workspace)),
      await accepted(await uploadPicture(other)),
    ];
    expect(second.id).toBe(first.id);
    expect(await list()).toMatchObject([{ id: first.id, url: first.url }]);
    expect(theirs.id).not.toBe(first.id);
    expect((await workspace.call("DELETE", `/v1/pictures/${theirs.id}`)).status).toBe(404);
  });

  it("is refused beyond the 1,000th and leaves nothing behind, and goes with its workspace", async () => {
    const keyOf = (n: number) =>
      r2Keys.picture(workspace.workspaceId, `${crypto.randomUUID()}.${n % 2 ? "png" : "gif"}`);
    await Promise.all(Array.from({ length: 999 }, (_, n) => env.CONTENT.put(keyOf(n), "x")));
    await accepted(await uploadPicture(workspace));
    await accepted(await uploadPicture(workspace));
    expect(await list()).toHaveLength(1_000);
    const others = [1, 2].map((end) => uploadPicture(workspace, concat([PNG, Uint8Array.of(end)])));
    expect((await Promise.all(others)).map(({ status }) => status)).toEqual([409, 409]);
    expect(await list()).toHaveLength(1_000);
    expect((await list())[0]?.url).toMatch(/\.png$/);
    expect(r2Keys.picture(workspace.workspaceId)).toMatch(new RegExp(`^${r2Keys.workspace(workspace.workspaceId)}`));
  });

  it("is a 404 after it was deleted, and for an address that was changed", async () => {
    const { id, url } = await accepted(await uploadPicture(workspace));
    const { pathname } = new URL(url);
    for (const wrong of [pathname.replace(".png", ".gif"), pathname.replace(/\.png$/, ""), "/i/x", "/i/../w.png"])
      expect((await anybody.get(wrong)).status, wrong).toBe(404);
    expect((await workspace.call("DELETE", `/v1/pictures/${id}`)).status).toBe(204);
    expect((await anybody.get(pathname)).status).toBe(404);
    expect(await list()).toEqual([]);
    expect((await workspace.call("DELETE", `/v1/pictures/${id}`)).status).toBe(404);
    expect((await workspace.call("DELETE", "/v1/pictures/x")).status).toBe(404);
  });
});
