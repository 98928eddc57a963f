-- The arms of a split end at a hash; they ended at a hash and the id of a contact.
UPDATE broadcasts SET fan_out = json_set(fan_out, '$.split.arms', (
  SELECT json_group_array(json_set(value, '$.upTo', value->'$.upTo[0]')) FROM json_each(fan_out, '$.split.arms')))
 WHERE fan_out->>'$.split' IS NOT NULL;
