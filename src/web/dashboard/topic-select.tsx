import { Select } from "../../http/ui/index.ts";
import type { TopicRow } from "../../sending/topics/index.ts";

/** The choice of the topic of a mailing. None is shown when the workspace has no topic. */
export const TopicSelect = ({ topics, value }: { topics: readonly TopicRow[]; value: string }) =>
  topics.length === 0 ? null : (
    <Select
      name="topic_id"
      label="Topic"
      hint="Only contacts who are subscribed to it get the mailing, and its unsubscribe link ends this topic alone."
      value={value}
      options={[{ value: "", label: "None" }, ...topics.map(({ id, name }) => ({ value: id, label: name }))]}
    />
  );
