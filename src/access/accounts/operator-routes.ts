/** Routes of `npm run backup` and `npm run restore`, whose requests are signed with a master key. */
export const operatorRoutes = {
  "POST /auth/backup/databases": "public",
  "POST /auth/backup/tables": "public",
  "POST /auth/backup/start": "public",
  "POST /auth/backup/rows": "public",
  "POST /auth/backup/objects": "public",
  "GET /auth/backup/object": "public",
  "POST /auth/backup/reindex": "public",
  "POST /auth/restore/begin": "public",
  "POST /auth/restore/rows": "public",
  "PUT /auth/restore/object": "public",
  "POST /auth/restore/repair": "public",
  "POST /auth/restore/file": "public",
  "POST /auth/restore/finish": "public",
  "POST /auth/restore/release": "public",
} as const;
