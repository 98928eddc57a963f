import type { Tool } from "../tool.ts";
import { broadcastTools } from "./broadcasts.ts";
import { contactTools } from "./contacts.ts";
import { emailTools } from "./emails.ts";
import { senderTools } from "./senders.ts";
import { templateTools } from "./templates.ts";

/** Every tool. One whose endpoint needs a scope that the caller lacks is listed too: the client can ask the user for it. */
export const tools: readonly Tool[] = [
  ...senderTools,
  ...emailTools,
  ...contactTools,
  ...templateTools,
  ...broadcastTools,
];
