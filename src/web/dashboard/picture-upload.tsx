import type { AppContext } from "../../http/env.ts";
import { fileBody } from "../../http/file-body.ts";
import { Field, Form, Submit, useScope } from "../../http/ui/index.ts";
import { pictureLimits } from "../../identity/pictures/index.ts";
import { inMiB } from "../../lib/bytes.ts";

/** Reads the file of `UploadForm`. */
export async function readPicture(c: AppContext): Promise<Uint8Array<ArrayBuffer>> {
  await fileBody("file", pictureLimits.bytes)(c, async () => undefined);
  return new Uint8Array(c.get("file") ?? []);
}

/** The form that uploads one picture. */
export const UploadForm = ({ action, button, kind }: { action: string; button: string; kind?: string }) => (
  <Form class="form" action={action} enctype="multipart/form-data">
    <Field
      name="file"
      label="Picture"
      type="file"
      accept="image/png,image/jpeg,image/gif,image/webp"
      hint={`PNG, JPEG, GIF or WebP, at most ${inMiB(pictureLimits.bytes)}.`}
      maxBytes={pictureLimits.bytes}
    />
    <Submit label={button} kind={kind} />
  </Form>
);

/** Opens the pictures beside a page on which something is written. */
export const PicturesLink = () =>
  useScope("templates:view") ? (
    <a class="button quiet" href="/app/pictures" target="_blank" rel="noopener">
      Pictures
    </a>
  ) : null;
