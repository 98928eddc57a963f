export { sendNotifications } from "./run.ts";
export { isSlackWebhookUrl, MAX_SLACK_URL, SLACK_PURPOSE } from "./slack-url.ts";
