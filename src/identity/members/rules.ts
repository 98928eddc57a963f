/** The roles of a member. */
export const roles = ["owner", "admin", "member"] as const;
type Role = (typeof roles)[number];

/** Changes of members that each role may make: owners make all, admins all that concern no owner. */
export const changes: readonly { by: Role; from: Role; to: Role | "removed" }[] = [
  ...roles.flatMap((from) =>
    (["owner", "admin", "member", "removed"] as const).map((to) => ({ by: "owner" as const, from, to })),
  ),
  ...(["admin", "member"] as const).flatMap((from) =>
    (["admin", "member", "removed"] as const).map((to) => ({ by: "admin" as const, from, to })),
  ),
];

/** Returns whether a member with the role `by` may change the role of another from `from` to `to`, or remove it. */
export const mayChange = (by: Role, from: Role, to: Role | "removed"): boolean =>
  changes.some((change) => change.by === by && change.from === from && change.to === to);
