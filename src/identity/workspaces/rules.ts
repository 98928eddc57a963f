/** Limits of workspaces. */
export const limits = { nameCharacters: 100, slackUrlCharacters: 500 } as const;

/** Hosts of Slack's incoming webhooks. The service posts notifications to no other host, so a URL cannot name a private one. */
const SLACK_HOSTS = ["hooks.slack.com", "hooks.slack-gov.com"];

/** Returns whether a text is the URL of a Slack incoming webhook. */
export function isSlackWebhookUrl(text: string): boolean {
  const url = URL.parse(text);
  if (url === null || text.length > limits.slackUrlCharacters || /[^!-~]/.test(text)) return false;
  const isPlain = url.protocol === "https:" && url.port === "" && url.username === "" && url.password === "";
  return isPlain && SLACK_HOSTS.includes(url.hostname) && /^\/[\w-]+\/[\w/-]+$/.test(url.pathname) && url.search === "";
}
