import Fastify, { type FastifyInstance } from 'fastify';
import {
  ANSWERS,
  type ListQuery,
  type NewTodo,
  SCHEMAS,
  type Store,
  type TodoPatch,
  tokenHash,
} from './todos.js';

interface Params {
  readonly account: string;
  readonly id: string;
}

type Query = ListQuery & { readonly ids?: string; readonly since?: number };

/** The routes, as an engineer writes them on Fastify 5: validated and serialized by its schemas. */
export function fastifyApp(store: Store): FastifyInstance {
  const app = Fastify({ bodyLimit: 10_000_000, routerOptions: { maxParamLength: 255 } });
  const base = '/accounts/:account/todos';
  const params = SCHEMAS.params;

  app.addHook<{ Params: Params }>('preValidation', async (request, reply) => {
    const hash = tokenHash(request.headers.authorization);
    const asked = hash === null ? null : store.access(hash, request.params.account);
    // Most stores know at once: to wait for nothing would still cost a turn.
    const found = asked instanceof Promise ? await asked : asked;
    if (found === null) return reply.code(401).send({ error: 'unauthorized' });
    if (found.readOnly && request.method !== 'GET')
      return reply.code(403).send({ error: 'forbidden' });
    return undefined;
  });

  app.post<{ Params: Params; Body: NewTodo }>(
    base,
    { schema: { params, body: SCHEMAS.create, response: { 201: ANSWERS.written } } },
    async (request, reply) => {
      const { state, todos } = await store.create(request.params.account, [request.body]);
      reply.code(201);
      return { state, todo: todos[0] };
    },
  );

  app.post<{ Params: Params; Body: { todos: NewTodo[] } }>(
    `${base}/batch`,
    { schema: { params, body: SCHEMAS.createMany, response: { 201: ANSWERS.todos } } },
    async (request, reply) => {
      const created = await store.create(request.params.account, request.body.todos);
      reply.code(201);
      return created;
    },
  );

  app.get<{ Params: Params; Querystring: Query }>(
    base,
    { schema: { params, querystring: SCHEMAS.list, response: { 200: ANSWERS.todos } } },
    async ({ params: { account }, query }) =>
      query.ids === undefined
        ? store.list(account, query)
        : store.getMany(account, query.ids.split(',')),
  );

  app.get<{ Params: Params; Querystring: Query }>(
    `${base}/changes`,
    { schema: { params, querystring: SCHEMAS.list, response: { 200: ANSWERS.changes } } },
    async ({ params: { account }, query: { since = 0, limit = 100 } }) =>
      store.changes(account, since, limit),
  );

  app.get<{ Params: Params; Querystring: Query }>(
    `${base}/query-changes`,
    { schema: { params, querystring: SCHEMAS.list, response: { 200: ANSWERS.queryChanges } } },
    async ({ params: { account }, query }) => store.queryChanges(account, query.since ?? 0, query),
  );

  app.get<{ Params: Params }>(
    `${base}/:id`,
    { schema: { params, response: { 200: ANSWERS.todo } } },
    async ({ params: { account, id } }, reply) => {
      const todo = await store.get(account, id);
      return todo ?? reply.code(404).send({ error: 'not found' });
    },
  );

  app.patch<{ Params: Params; Body: TodoPatch }>(
    `${base}/:id`,
    { schema: { params, body: SCHEMAS.patch, response: { 200: ANSWERS.written } } },
    async ({ params: { account, id }, body }, reply) => {
      const written = await store.update(account, id, body);
      return written ?? reply.code(404).send({ error: 'not found' });
    },
  );
  return app;
}
