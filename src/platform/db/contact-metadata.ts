/**
 * Returns SQL of the metadata of a contact `c` as JSON, with the keys of the JSON array `keys` only, and those with spaces around them.
 * Null without keys: the metadata is not read then. A value of metadata keeps its type.
 */
export const metadataSql = (keys: string) => `
  CASE WHEN json_array_length(${keys}) > 0 THEN (
    SELECT json_group_object(m.key, CASE m.type WHEN 'true' THEN json('true') WHEN 'false' THEN json('false')
      WHEN 'object' THEN json(m.value) WHEN 'array' THEN json(m.value) ELSE m.value END)
      FROM json_each(c.metadata) m WHERE m.key IN (SELECT value FROM json_each(${keys})) OR trim(m.key) IN (SELECT value FROM json_each(${keys}))) END`;
