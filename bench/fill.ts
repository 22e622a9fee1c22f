import { RARE_TEXT, textOf } from './jobs/jobs.js';
import type { Account, AccountName, Accounts, Server, Sizes } from './model.js';

/** Objects stored by a request. */
const BATCH = 1000;
/** Ids that are kept of an account from its middle. */
const KEPT = 400;
/** Changes after which a client asks what has become of its query. */
const LATE_CHANGES = 10;

interface Stored {
  readonly ids: readonly string[];
  readonly state: string;
}

/** The same for both ways to speak to a server. */
interface Writer {
  create(todos: readonly object[]): Promise<Stored>;
  update(ids: readonly string[]): Promise<void>;
  queryState(): Promise<string>;
}

/** Stores what jobs read, by the server's own API. */
export async function fill(server: Server, sizes: Sizes): Promise<Accounts> {
  const filled = new Map<AccountName, Account>();
  for (const name of ['small', 'big', 'scratch', 'huge'] as const) {
    const id = server.accountIds[name];
    const writer = server.protocol === 'jmap' ? byJmap(server, id) : byRoutes(server, id);
    filled.set(name, await fillOne(writer, id, sizes[name]));
  }
  return Object.fromEntries(filled) as Record<AccountName, Account>;
}

async function fillOne(writer: Writer, id: string, size: number): Promise<Account> {
  if (size === 0) return { id, ids: [], halfway: '0', since: '0', queryState: '0' };
  const kept = size <= BATCH ? size : KEPT;
  // Even, so that of those kept every other one is not done.
  const first = Math.floor((size - kept) / 4) * 2;
  const ids: string[] = [];
  let halfway = '0';
  let since = '0';
  for (let stored = 0; stored < size; stored += BATCH) {
    const count = Math.min(BATCH, size - stored);
    const todos = Array.from({ length: count }, (_, n) => {
      const number = stored + n;
      // An even number: it is not done.
      const rare = number === Math.floor(size / 4) * 2;
      return { text: rare ? RARE_TEXT : textOf(number), done: number % 2 === 1 };
    });
    const created = await writer.create(todos);
    if (created.ids.length !== count)
      throw new Error(`${created.ids.length} of ${count} objects were stored.`);
    ids.push(...created.ids.slice(Math.max(0, first - stored), Math.max(0, first + kept - stored)));
    if (stored < size / 2) halfway = created.state;
    since = created.state;
  }
  const queryState = await writer.queryState();
  // Objects with an even number: those that the query has.
  await writer.update(ids.filter((_, n) => n % 2 === 0).slice(0, LATE_CHANGES));
  return { id, ids, halfway, since, queryState };
}

function byRoutes(server: Server, accountId: string): Writer {
  const base = `${server.url}/accounts/${accountId}/todos`;
  return {
    async create(todos) {
      const { state, todos: created } = (await send(server, 'POST', `${base}/batch`, {
        todos,
      })) as { state: string; todos: { id: string }[] };
      return { state, ids: created.map(({ id }) => id) };
    },
    async update(ids) {
      for (const id of ids) await send(server, 'PATCH', `${base}/${id}`, { text: 'A late change' });
    },
    queryState: async () => '',
  };
}

function byJmap(server: Server, accountId: string): Writer {
  const call = async (name: string, args: object): Promise<Record<string, unknown>> => {
    const { methodResponses } = (await send(server, 'POST', `${server.url}/jmap`, {
      using: USING,
      methodCalls: [[name, { accountId, ...args }, '0']],
    })) as { methodResponses: [string, Record<string, unknown>, string][] };
    const [answered, result] = methodResponses[0] ?? ['', {}];
    if (answered !== name) throw new Error(`${name} answered ${JSON.stringify(result)}.`);
    return result;
  };
  return {
    async create(todos) {
      const create = Object.fromEntries(todos.map((todo, n) => [`k${n}`, todo]));
      const { created, newState } = await call('Todo/set', { create });
      const all = created as Record<string, { id: string }>;
      return { state: String(newState), ids: todos.flatMap((_, n) => all[`k${n}`]?.id ?? []) };
    },
    async update(ids) {
      const update = Object.fromEntries(ids.map((id) => [id, { text: 'A late change' }]));
      await call('Todo/set', { update });
    },
    async queryState() {
      const asked = { filter: { done: false }, sort: [{ property: 'text' }], limit: 1 };
      return String((await call('Todo/query', asked))['queryState']);
    },
  };
}

export const USING = ['urn:ietf:params:jmap:core', 'urn:example:todos'];

async function send(server: Server, method: string, url: string, body: object): Promise<unknown> {
  const response = await fetch(url, {
    method,
    headers: { authorization: `Bearer ${server.token}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  const text = await response.text();
  if (!response.ok)
    throw new Error(`${server.name} answered ${response.status}: ${text.slice(0, 300)}`);
  return JSON.parse(text);
}
