import { run } from "../support/sending.ts";

/** Id of the topic in the examples. */
const EXAMPLE = "019aa7c0-4a00-7b3d-8f21-6c1d9e2b7a20";

/** Returns functions that create what the operations of topics return, by operation id. `create` makes a record by its example. */
export function topicPreparations(create: (path: string) => Promise<string>) {
  const topic = async () => ({ topic_id: await create("/v1/topics/") });
  return {
    ...{ listTopics: topic, getTopic: topic, updateTopic: topic, deleteTopic: topic, getPersonTopics: topic },
    listPersonEvents: async () => {
      await create("/v1/events");
      return {};
    },
    updatePersonTopics: async () => {
      await run("UPDATE topics SET id = ?2 WHERE id = ?1", await create("/v1/topics/"), EXAMPLE);
      return {};
    },
  };
}
