const worker: ExportedHandler<Env> = {
  fetch: () => new Response("not yet", { status: 501 }),
};

export default worker;
