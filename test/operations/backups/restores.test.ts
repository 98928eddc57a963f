/** The state of a restore into an empty deployment. The rows of a whole one: test/host/backup.full.test.ts. */
import { env } from "cloudflare:workers";
import { expect, it } from "vitest";
import { signAccessToken } from "../../../src/access/sessions/access-token.ts";
import { isRestoring } from "../../../src/operations/backups/index.ts";
import type { RestoreState } from "../../../src/operations/backups/restores.ts";
import { apiWith, testContext } from "../../support/workspace.ts";

it("a restore continues after the files that are written, counts what it refused and what it holds, and does not begin again once it has ended", async () => {
  const { token } = await signAccessToken(testContext(), "backup", {
    sub: "operator",
    sid: "operator",
    wid: "operator",
  });
  const call = async (step: string, body: object) => {
    const response = await apiWith(null).post(`/auth/restore/${step}`, body, { Authorization: `Bearer ${token}` });
    return { status: response.status, body: await response.json() };
  };
  const id = "2026-11-23";
  expect(await call("begin", { id })).toEqual({ status: 200, body: { files: [], refused: 0, isFinished: false } });
  expect(await isRestoring(testContext())).toBe(true);
  expect((await call("file", { id: "another", file: "mail-0.1", refused: 0 })).status).toBe(409);
  for (const [file, refused] of [
    ["main.1", 1],
    ["mail-0.1", 2],
    ["main.1", 1],
  ])
    expect(await call("file", { id, file, refused })).toEqual({ status: 200, body: {} });
  expect((await call("begin", { id: "another" })).status).toBe(409);
  const continued = (await call("begin", { id })).body as RestoreState;
  expect({ ...continued, files: continued.files.toSorted() }).toEqual({
    files: ["mail-0.1", "main.1"],
    refused: 3,
    isFinished: false,
  });

  const hold = "INSERT INTO held_outbox (due_at, id, kind, ref) VALUES (1, ?1, ?2, '[]')";
  for (const [database, kind] of [
    [env.DB, "notify"],
    [env.MAIL_0, "send"],
    [env.MAIL_1, "send"],
  ] as const)
    await database.prepare(hold).bind(crypto.randomUUID(), kind).run();
  for (let times = 0; times < 2; times += 1)
    expect(await call("finish", { id })).toEqual({ status: 200, body: { held: { notify: 1, send: 2 } } });
  expect(await isRestoring(testContext())).toBe(false);
  expect((await call("file", { id, file: "main.2", refused: 0 })).status).toBe(409);
  expect(((await call("begin", { id })).body as { isFinished: boolean }).isFinished).toBe(true);
});
