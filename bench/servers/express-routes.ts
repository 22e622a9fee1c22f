import { Ajv, type ValidateFunction } from 'ajv';
import express, { type Express, type NextFunction, type Request, type Response } from 'express';
import {
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

/** The routes, as an engineer writes them on Express 5. */
export function expressApp(store: Store): Express {
  const app = express();
  // A header that costs time and gives an API nothing.
  app.disable('x-powered-by');
  app.disable('etag');
  app.use(express.json({ limit: '10mb' }));

  const ajv = new Ajv();
  const coercing = new Ajv({ coerceTypes: true });
  const isNew = ajv.compile<NewTodo>(SCHEMAS.create);
  const areNew = ajv.compile<{ todos: NewTodo[] }>(SCHEMAS.createMany);
  const isPatch = ajv.compile<TodoPatch>(SCHEMAS.patch);
  const isQuery = coercing.compile<ListQuery & { ids?: string; since?: number }>(SCHEMAS.list);
  const isPath = ajv.compile<Params>(SCHEMAS.params);

  const invalid = (response: Response, validate: ValidateFunction): void => {
    response.status(400).json({ error: ajv.errorsText(validate.errors) });
  };

  const authorize = async (
    request: Request<Params>,
    response: Response,
    next: NextFunction,
  ): Promise<void> => {
    const hash = tokenHash(request.headers.authorization);
    if (!isPath(request.params)) return invalid(response, isPath);
    const found = hash === null ? null : await store.access(hash, request.params.account);
    if (found === null) response.status(401).json({ error: 'unauthorized' });
    else if (found.readOnly && request.method !== 'GET')
      response.status(403).json({ error: 'forbidden' });
    else next();
  };

  const base = '/accounts/:account/todos';

  app.post(base, authorize, async (request: Request<Params>, response) => {
    if (!isNew(request.body)) return invalid(response, isNew);
    const { state, todos } = await store.create(request.params.account, [request.body]);
    response.status(201).json({ state, todo: todos[0] });
  });

  app.post(`${base}/batch`, authorize, async (request: Request<Params>, response) => {
    if (!areNew(request.body)) return invalid(response, areNew);
    response.status(201).json(await store.create(request.params.account, request.body.todos));
  });

  app.get(base, authorize, async (request: Request<Params>, response) => {
    const query: unknown = { ...request.query };
    if (!isQuery(query)) return invalid(response, isQuery);
    const { account } = request.params;
    response.json(
      query.ids === undefined
        ? await store.list(account, query)
        : await store.getMany(account, query.ids.split(',')),
    );
  });

  app.get(`${base}/changes`, authorize, async (request: Request<Params>, response) => {
    const query: unknown = { ...request.query };
    if (!isQuery(query)) return invalid(response, isQuery);
    const { since = 0, limit = 100 } = query;
    response.json(await store.changes(request.params.account, since, limit));
  });

  app.get(`${base}/query-changes`, authorize, async (request: Request<Params>, response) => {
    const query: unknown = { ...request.query };
    if (!isQuery(query)) return invalid(response, isQuery);
    response.json(await store.queryChanges(request.params.account, query.since ?? 0, query));
  });

  app.get(`${base}/:id`, authorize, async (request: Request<Params>, response) => {
    const todo = await store.get(request.params.account, request.params.id);
    if (todo === null) response.status(404).json({ error: 'not found' });
    else response.json(todo);
  });

  app.patch(`${base}/:id`, authorize, async (request: Request<Params>, response) => {
    if (!isPatch(request.body)) return invalid(response, isPatch);
    const { account, id } = request.params;
    const written = await store.update(account, id, request.body);
    if (written === null) response.status(404).json({ error: 'not found' });
    else response.json(written);
  });

  app.use((_error: unknown, _request: Request, response: Response, _next: NextFunction) => {
    response.status(500).json({ error: 'internal' });
  });
  return app;
}
