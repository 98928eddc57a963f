import * as z from "zod";
import { named, timestamp } from "../../lib/serialize.ts";
import { iso } from "../../lib/time.ts";
import type { Ctx } from "../../platform/context.ts";
import { addressOf } from "./rules.ts";

export const PictureOut = z
  .object({
    id: z.uuid(),
    url: z.url().describe("Public: it shows the picture to everyone, without sign-in, until the picture is deleted."),
    bytes: z.int(),
    created_at: timestamp,
  })
  .meta(
    named("Picture", {
      id: "019aa7c0-4a00-8b3d-8f21-6c1d9e2b7a60",
      url: "https://mail.example.com/i/AZqnwEoAezuPIWwdnit6BgGap8BKAIs7jyFsHZ4remA.png",
      bytes: 48_211,
      created_at: "2026-11-21T14:00:00.000Z",
    }),
  );
export type PictureOut = z.output<typeof PictureOut>;

/** Returns the address of a picture by the last part of it. */
export const pictureUrl = ({ settings }: Pick<Ctx, "settings">, address: string): string =>
  `${new URL(settings.publicUrl).origin}/i/${address}`;

/** Serializes a picture of a workspace. */
export function toPicture(ctx: Ctx, workspaceId: string, { key, size, uploaded }: R2Object): PictureOut {
  const file = key.slice(key.lastIndexOf("/") + 1);
  const url = pictureUrl(ctx, addressOf(workspaceId, file));
  return { id: file.slice(0, file.indexOf(".")), url, bytes: size, created_at: iso(uploaded.getTime()) };
}
