import { AppLayout, ErrorSummary, Field, Form, PostButton, Submit, useScope } from "../../../http/ui/index.ts";
import {
  type Category,
  type Channel,
  categories,
  channels,
  type Preferences,
} from "../../../notices/notifications/index.ts";

interface PreferencesPageProps {
  preferences: Preferences;
  hasSlack: boolean;
}

const CATEGORIES: Readonly<Record<Category, string>> = {
  alerts: "Alerts: something needs attention",
  sends: "Sends: broadcasts and their results",
  team: "Team: members and invitations",
};
const CHANNELS: Readonly<Record<Channel, string>> = { web: "This list", email: "Email", slack: "Slack" };

/** By which channels the user is notified, and the Slack channel of the workspace. */
export const PreferencesPage = ({ preferences, hasSlack }: PreferencesPageProps) => (
  <AppLayout title="Notification preferences">
    <ErrorSummary />
    <p>
      They are yours, and apply in each of your workspaces. Owners of a workspace are notified.{" "}
      <a href="/app/notifications">All notifications</a>
    </p>
    <Form action="/app/notifications/preferences">
      <div class="list matrix">
        <table aria-label="Channels by category">
          <thead>
            <tr>
              <th scope="col">Category</th>
              {channels.map((channel) => (
                <th scope="col">{CHANNELS[channel]}</th>
              ))}
            </tr>
          </thead>
          <tbody>
            {categories.map((category) => (
              <tr>
                <th scope="row">{CATEGORIES[category]}</th>
                {channels.map((channel) => (
                  <td data-column={CHANNELS[channel]}>
                    <div>
                      <input
                        type="checkbox"
                        name={flagName(category, channel)}
                        checked={preferences[category][channel]}
                        aria-label={`${CHANNELS[channel]}: ${category}`}
                      />
                    </div>
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {useScope("notifications:manage") ? <Submit label="Save" /> : null}
    </Form>
    {useScope("team:manage") ? <SlackForm hasSlack={hasSlack} /> : null}
  </AppLayout>
);

/** Returns the name of the box of a category and a channel. */
export const flagName = (category: Category, channel: Channel) => `${category}.${channel}`;

const SlackForm = ({ hasSlack }: Pick<PreferencesPageProps, "hasSlack">) => (
  <>
    <h2>Slack channel of the workspace</h2>
    <p>
      {hasSlack
        ? "Notifications are posted to a channel. A new URL replaces that of today, which is not shown."
        : "No channel is set, so nothing is posted to Slack."}
    </p>
    <Form class="form" action="/app/notifications/slack">
      <Field
        name="slack_webhook_url"
        label="URL of an incoming webhook of Slack"
        placeholder="https://hooks.slack.com/services/…"
        autocomplete="off"
        maxlength={500}
      />
      <Submit label={hasSlack ? "Replace" : "Set"} kind="quiet" />
    </Form>
    {hasSlack ? <PostButton to="/app/notifications/slack/remove" label="Stop posting to Slack" kind="danger" /> : null}
  </>
);
