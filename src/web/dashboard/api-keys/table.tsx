import {
  ActionLink,
  Empty,
  List,
  PostLink,
  Status,
  Time,
  useCaller,
  useScope,
  useViewer,
} from "../../../http/ui/index.ts";
import type { ApiKeyRow } from "../../../identity/api-keys/index.ts";

/** API keys with a link to revoke each one, when the role may. */
export function ApiKeyTable({ keys }: { keys: readonly ApiKeyRow[] }) {
  const mayManage = useScope("team:manage");
  return (
    <List
      caption="API keys"
      columns={["Name", "Key", "Permissions", "Last use", "Status", mayManage && "Action"]}
      empty={<Empty drawing="plug">There is no API key.</Empty>}
      rows={keys.map((key) => [
        key.name,
        <code>{key.prefix}…</code>,
        key.scopes.map((scope) => (scope === "*" ? "All" : scope)).join(", "),
        key.lastUsedAt === null ? "Never" : <Time at={key.lastUsedAt} />,
        <KeyStatus apiKey={key} now={useViewer().now} />,
        key.revokedAt === null ? <Actions apiKey={key} /> : null,
      ])}
    />
  );
}

function KeyStatus({ apiKey: { revokedAt, expiresAt }, now }: { apiKey: ApiKeyRow; now: number }) {
  if (revokedAt !== null) return <Status word="revoked" />;
  if (expiresAt === null) return <Status word="active" />;
  return expiresAt <= now ? (
    <Status word="expired" />
  ) : (
    <>
      <Status word="active" /> until <Time at={expiresAt} as="whole" />
    </>
  );
}

/** Only the user who made a key rotates it, once. */
const Actions = ({ apiKey }: { apiKey: ApiKeyRow }) => (
  <>
    {apiKey.userId === useCaller().actor.userId && apiKey.replacedById === null && isActive(apiKey, useViewer().now) ? (
      <PostLink to={`/app/api-keys/${apiKey.id}/rotate`} label="Rotate" name={`Rotate ${apiKey.name}`} once />
    ) : null}{" "}
    <ActionLink to={`/app/api-keys/${apiKey.id}/revoke`} label="Revoke" name={`Revoke ${apiKey.name}`} />
  </>
);

const isActive = ({ expiresAt }: ApiKeyRow, now: number) => expiresAt === null || expiresAt > now;
