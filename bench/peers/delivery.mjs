const GROUP = 50;
const POLL_MS = 1_000;
const MAX_ATTEMPTS = 5;

/**
 * Delivers queued emails in groups until the process ends. Returns `wake`, which tells it that an email was queued. An email
 * that failed for now keeps its lease, and is claimed again when that has expired.
 */
export function startDelivery(storage, transport) {
  let isWoken = false;
  let wakeLoop = () => {};
  const sleep = () =>
    new Promise((resolve) => {
      wakeLoop = resolve;
      setTimeout(resolve, POLL_MS);
    });
  const loop = async () => {
    for (;;) {
      isWoken = false;
      const emails = await storage.claim(GROUP);
      const outcomes = await Promise.all(emails.map((email) => send(transport, email)));
      const final = outcomes.filter(({ status }) => status !== "deferred");
      if (final.length > 0) await storage.saveOutcomes(final);
      if (emails.length === 0 && !isWoken) await sleep();
    }
  };
  loop().catch((error) => {
    console.error(error);
    process.exit(1);
  });
  const wake = () => {
    isWoken = true;
    wakeLoop();
  };
  return { wake };
}

async function send(transport, { id, attempts, body }) {
  const toAddress = ({ email, name = "" }) => ({ name, address: email });
  const { from_, to, subject, text } = body;
  try {
    const { response } = await transport.sendMail({ from: toAddress(from_), to: to.map(toAddress), subject, text });
    return { id, status: "sent", reply: response };
  } catch (error) {
    const isFinal = error.responseCode >= 500 || attempts >= MAX_ATTEMPTS;
    return { id, status: isFinal ? "failed" : "deferred", reply: error.message };
  }
}
