/** Purpose under which Slack webhook URLs are encrypted (lib/secret-box). The context is the id of the workspace. */
export const SLACK_PURPOSE = "slack-webhook-url";

/** Most characters of a Slack webhook URL. */
export const MAX_SLACK_URL = 500;

/** Hosts of Slack's incoming webhooks. The service posts notifications to no other host, so a URL cannot name a private one. */
const SLACK_HOSTS = ["hooks.slack.com", "hooks.slack-gov.com"];

/** Returns whether a text is the URL of a Slack incoming webhook. */
export function isSlackWebhookUrl(text: string): boolean {
  const url = URL.parse(text);
  if (url === null || text.length > MAX_SLACK_URL || /[^!-~]/.test(text)) return false;
  const isPlain = url.protocol === "https:" && url.port === "" && url.username === "" && url.password === "";
  return isPlain && SLACK_HOSTS.includes(url.hostname) && /^\/[\w-]+\/[\w/-]+$/.test(url.pathname) && url.search === "";
}
