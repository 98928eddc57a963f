import type { CallerCtx } from "../../../access/caller.ts";
import { Empty, List, PostButton, Time } from "../../../http/ui/index.ts";
import type { ApiKeyRow } from "../../../identity/api-keys/index.ts";

interface ApiKeyTableProps {
  caller: CallerCtx;
  keys: readonly ApiKeyRow[];
}

/** API keys with a link to revoke each one, when the role may. */
export function ApiKeyTable({ caller, keys }: ApiKeyTableProps) {
  if (keys.length === 0) return <Empty drawing="plug">There is no API key.</Empty>;
  const mayManage = caller.actor.scopes.has("team:manage");
  const columns = ["Name", "Key", "Permissions", "Last use", "State", ...(mayManage ? ["Action"] : [])];
  return (
    <List
      caption="API keys"
      columns={columns}
      rows={keys.map((key) => [
        key.name,
        <code>{key.prefix}…</code>,
        key.scopes.map((scope) => (scope === "*" ? "all" : scope)).join(", "),
        key.lastUsedAt === null ? "Never" : <Time at={key.lastUsedAt} />,
        <State apiKey={key} now={caller.now()} />,
        ...(mayManage ? [key.revokedAt === null ? <Actions caller={caller} apiKey={key} /> : null] : []),
      ])}
    />
  );
}

function State({ apiKey: { revokedAt, expiresAt }, now }: { apiKey: ApiKeyRow; now: number }) {
  if (revokedAt !== null) return <>Revoked</>;
  if (expiresAt === null) return <>Active</>;
  return expiresAt <= now ? (
    <>Expired</>
  ) : (
    <>
      Active until <Time at={expiresAt} as="whole" />
    </>
  );
}

/** Only the user who made a key rotates it, once. */
const Actions = ({ caller, apiKey }: { caller: CallerCtx; apiKey: ApiKeyRow }) => (
  <>
    {apiKey.userId === caller.actor.userId && apiKey.replacedById === null && isActive(apiKey, caller.now()) ? (
      <PostButton
        to={`/app/api-keys/${apiKey.id}/rotate`}
        label="Rotate"
        kind="link"
        name={`Rotate ${apiKey.name}`}
        fields={{ idempotency_key: crypto.randomUUID() }}
      />
    ) : null}{" "}
    <RevokeLink apiKey={apiKey} />
  </>
);

const isActive = ({ expiresAt }: ApiKeyRow, now: number) => expiresAt === null || expiresAt > now;

const RevokeLink = ({ apiKey: { id, name } }: { apiKey: ApiKeyRow }) => (
  <a class="action" href={`/app/api-keys/${id}/revoke`} aria-label={`Revoke ${name}`}>
    Revoke
  </a>
);
