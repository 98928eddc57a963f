import * as z from "zod";
import { NameText } from "../name.ts";

// `example`, not `examples`: zod drops those of a schema with a transform.
export const FolderIn = z.object({ name: NameText }).meta({ ref: "InboxFolderCreate", example: { name: "Projects" } });
