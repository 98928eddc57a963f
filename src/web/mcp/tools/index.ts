import type { DeclaredTool, ToolsByName } from "../tool.ts";
import { analyticsTools } from "./analytics.ts";
import { automationTools } from "./automations.ts";
import { broadcastTools } from "./broadcasts.ts";
import { contactTools } from "./contacts.ts";
import { emailTools } from "./emails.ts";
import { inboxTools } from "./inbox.ts";
import { segmentTools } from "./segments.ts";
import { senderTools } from "./senders.ts";
import { templateTools } from "./templates.ts";

const byName: ToolsByName = {
  ...senderTools,
  ...emailTools,
  ...contactTools,
  ...segmentTools,
  ...templateTools,
  ...broadcastTools,
  ...automationTools,
  ...analyticsTools,
  ...inboxTools,
};

/** Every tool. A caller sees those whose endpoint it may use. */
export const tools: readonly DeclaredTool[] = Object.entries(byName).map(([name, tool]) => ({ name, ...tool }));
