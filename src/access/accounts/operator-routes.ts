/** Routes of `npm run backup` and `npm run restore`, whose requests are signed with a master key. */
export const operatorRoutes = {
  "POST /auth/backup/databases": "operator:backup",
  "POST /auth/backup/tables": "operator:backup",
  "POST /auth/backup/start": "operator:backup",
  "POST /auth/backup/rows": "operator:backup",
  "POST /auth/backup/objects": "operator:backup",
  "GET /auth/backup/object": "operator:backup",
  "POST /auth/backup/reindex": "operator:backup",
  "POST /auth/restore/begin": "operator:backup",
  "POST /auth/restore/rows": "operator:backup",
  "PUT /auth/restore/object": "operator:backup",
  "POST /auth/restore/repair": "operator:backup",
  "POST /auth/restore/file": "operator:backup",
  "POST /auth/restore/finish": "operator:backup",
  "POST /auth/restore/release": "operator:backup",
} as const;
