export {
  choosePersonTopics,
  chooseStatement,
  forgetStatement,
  getPersonTopics,
  personKey,
} from "./choose.ts";
export { createTopic } from "./create.ts";
export { deleteTopic } from "./delete.ts";
export { allTopicsEvents, topicEvents, wakeForTopicEvents } from "./events.ts";
export { type ImportedChoice, importChoices, readChoice } from "./import-choices.ts";
export {
  findPersonTopics,
  findTopic,
  getTopic,
  listTopics,
  type PersonTopicRow,
  type PersonTopics,
  type TopicRow,
} from "./queries.ts";
export { type Choice, type ChoiceMethod, choiceOf, type NewChoice } from "./rules.ts";
export {
  PersonTopicsIn,
  PersonTopicsOut,
  TopicIn,
  type TopicOut,
  TopicPatch,
  toPersonTopics,
  toTopic,
} from "./schema.ts";
export {
  differingFrom,
  findLeftOfMailsStatements,
  findLeftStatements,
  findSubscribedStatements,
  hasLeft,
  type LeftRow,
  NO_TOPICS,
  type SendTopics,
  sendTopicsStatements,
  type TopicRecipient,
  type TopicRef,
  topicOf,
  toSendTopics,
} from "./send-checks.ts";
export { updateTopic } from "./update.ts";
