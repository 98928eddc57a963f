import * as z from "zod";
import { NameText } from "../name.ts";

const Color = z
  .string()
  .regex(/^#[0-9a-f]{6}$/i, "color must be # and six hexadecimal digits")
  .transform((color) => color.toLowerCase())
  .meta({ pattern: "^#[0-9A-Fa-f]{6}$", maxLength: 7 });

export const LabelIn = z
  .object({ name: NameText, color: Color })
  .meta({ ref: "InboxLabelCreate", example: { name: "Bills", color: "#c0392b" } });

export const LabelPatch = z
  .object({ name: NameText.optional(), color: Color.optional() })
  .meta({ ref: "InboxLabelUpdate", example: { color: "#2980b9" } });
