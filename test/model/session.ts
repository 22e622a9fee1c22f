import type { ApiResponse, Call } from '../support/client.js';
import type { Json, JsonMap } from '../support/json.js';
import { named, type Stored, shown, type Types, typeOf } from './account.js';
import { agree, Disagreement } from './agree.js';
import { Dice } from './dice.js';
import { Follower, QueryCache } from './followers.js';
import { Oracle } from './oracle.js';
import { Requests, type Seen } from './requests.js';

/** A session talks by the test's client, or by one that falsifies. */
export interface Talker {
  api(calls: readonly Call[], more?: object): Promise<ApiResponse>;
}

/** One request and what came back. */
export interface Exchange {
  readonly calls: readonly Call[];
  readonly createdIds?: Record<string, string>;
  readonly response: ApiResponse;
}

type States = ReadonlyMap<string, ReadonlyMap<string, number>>;

/** A client that makes requests by dice, beside a model that is asked what each answer must be. */
export class Session implements Seen {
  readonly types: Types;
  readonly #talker: Talker;
  readonly accounts: readonly string[];
  readonly oracle: Oracle;
  readonly #states = new Map<string, string[]>();
  readonly #followers = new Map<string, Follower>();
  readonly queries: QueryCache[] = [];
  readonly begun: States;
  readonly exchanges: Exchange[] = [];

  constructor(talker: Talker, types: Types, begun: States) {
    this.#talker = talker;
    this.types = types;
    this.begun = begun;
    this.accounts = [...begun.keys()];
    this.oracle = new Oracle(types, begun);
    this.noteStates();
  }

  ids(accountId: string, type: string): readonly string[] {
    return [...this.oracle.account(accountId).shelf(type).objects.keys()];
  }

  object(accountId: string, type: string, id: string): Stored {
    return this.oracle.account(accountId).shelf(type).objects.get(id) ?? {};
  }

  states(accountId: string, type: string): readonly string[] {
    return this.#states.get(`${accountId} ${type}`) ?? [];
  }

  noteStates(): void {
    for (const accountId of this.accounts) {
      for (const type of this.types.keys()) {
        const all = this.#states.get(`${accountId} ${type}`) ?? [];
        const state = String(this.oracle.account(accountId).shelf(type).state);
        if (all.at(-1) !== state) all.push(state);
        this.#states.set(`${accountId} ${type}`, all);
      }
    }
  }

  async send(calls: readonly Call[], createdIds?: Record<string, string>): Promise<ApiResponse> {
    const response = await this.#talker.api(calls, createdIds === undefined ? {} : { createdIds });
    this.exchanges.push({ calls, response, ...(createdIds === undefined ? {} : { createdIds }) });
    this.oracle.check(calls, response, createdIds);
    this.noteStates();
    return response;
  }

  /** One thing that a client does, chosen by the numbers. */
  async step(numbers: readonly number[]): Promise<void> {
    const dice = new Dice(numbers);
    const isSwapped = dice.chance(20);
    const [own = '', other = ''] = isSwapped ? [...this.accounts].reverse() : this.accounts;
    const requests = new Requests(this, dice, own, other);
    const acts = ['set', 'set', 'set', 'query', 'queryChanges', 'changes', 'copy', 'get', 'follow'];
    const act = dice.pick(acts);
    const type = this.typeWith(dice, act === 'follow' ? 'changes' : act);
    switch (type === undefined ? 'set' : act) {
      case 'query':
        return this.#query(dice, requests, type ?? '', own);
      case 'queryChanges':
        return this.#queryChanges(dice, requests, type ?? '', own);
      case 'changes':
        return this.#changes(dice, requests, type ?? '', own);
      case 'follow':
        return this.#follow(dice, type ?? '', own);
      case 'get':
        await this.send([[`${type}/get`, requests.get(type ?? ''), 'g']]);
        return;
      default:
        return this.#write(dice, requests, act === 'copy' ? type : undefined);
    }
  }

  /** A type with the method, mostly the first one. */
  typeWith(dice: Dice, method: string): string | undefined {
    const names = [...this.types].flatMap(([name, { methods }]) =>
      methods.some((one) => one.name === method) ? [name] : [],
    );
    return names.length > 0 && dice.chance(20) ? dice.pick(names) : names[0];
  }

  /** Writes, and behind them everything that the model has, of both accounts. */
  async #write(dice: Dice, requests: Requests, copied: string | undefined): Promise<void> {
    const calls: Call[] = [];
    if (copied !== undefined) calls.push([`${copied}/copy`, requests.copy(copied), 'c']);
    else {
      for (let n = dice.below(3); n >= 0 && n < 2; n -= 1) {
        const type = this.typeWith(dice, 'set') ?? '';
        calls.push([`${type}/set`, requests.set(type), `s${n}`]);
        if (dice.chance(30)) calls.push([`${type}/get`, requests.get(type), `g${n}`]);
      }
    }
    calls.push(...this.readsAll());
    await this.send(calls, dice.chance(40) ? this.#handed(dice) : undefined);
  }

  /** All objects of all accounts. */
  readsAll(): readonly Call[] {
    return this.accounts.flatMap((accountId) =>
      [...this.types.keys()].map((type): Call => {
        return [`${type}/get`, { accountId, ids: null }, `${type} ${accountId}`];
      }),
    );
  }

  /** Creation ids of an earlier request, some of which the new one makes again. */
  #handed(dice: Dice): Record<string, string> {
    const own = this.accounts[0] ?? '';
    const all = [...this.types.keys()].flatMap((type) => this.ids(own, type));
    if (all.length === 0) return {};
    return Object.fromEntries(dice.some(2, (n) => [`k${n}`, dice.pick(all)] as const));
  }

  async #query(dice: Dice, requests: Requests, type: string, accountId: string): Promise<void> {
    const args = requests.query(type);
    const calls: Call[] = [[`${type}/query`, args, 'q']];
    const path = dice.pick(['/ids', '/ids', '/ids/*', '/ids/0', '/nope', '/accountId', '']);
    const reference = { resultOf: 'q', name: `${type}/query`, path };
    if (path.startsWith('/ids') && path !== '/ids/0')
      calls.push([`${type}/get`, { accountId, '#ids': reference }, 'g']);
    if (path === '/nope')
      calls.push([`${type}/get`, { accountId, ids: [], '#ids': reference }, 'g']);
    if (path === '')
      calls.push([`${type}/get`, { accountId, '#ids': { ...reference, path: 5 } }, 'g']);
    if (path === '/ids') {
      const again = { resultOf: 'g', name: `${type}/get`, path: '/list/*/id' };
      calls.push([`${type}/get`, { accountId, '#ids': again, properties: [] }, 'h']);
    }
    const { filter = null, sort = null } = args;
    const question = { accountId, filter, sort };
    calls.push([`${type}/query`, { ...question, calculateTotal: true }, 'all']);
    const { methodResponses } = await this.send(calls);
    const [name = '', all = {}] = methodResponses.at(-1) ?? [];
    if (name === 'error') return;
    this.queries.push(new QueryCache(type, question, all));
    if (this.queries.length > 12) this.queries.shift();
  }

  async #queryChanges(
    dice: Dice,
    requests: Requests,
    type: string,
    accountId: string,
  ): Promise<void> {
    const cache = this.queries.length === 0 ? undefined : dice.pick(this.queries);
    if (cache === undefined) return this.#query(dice, requests, type, accountId);
    const held = 1 + dice.below(6);
    const more: JsonMap = {};
    if (dice.chance(40)) more['calculateTotal'] = true;
    if (dice.chance(25)) more['maxChanges'] = dice.below(8);
    else if (dice.chance(40)) more['upToId'] = cache.ids[held - 1] ?? 'r1';
    if (dice.chance(8)) more['sinceQueryState'] = dice.pick(['', '0', 'no', ...otherStates(cache)]);
    const [changes, query] = cache.calls(more);
    const { methodResponses } = await this.send([changes, query]);
    const [changed, fresh] = methodResponses;
    if (changed === undefined || fresh === undefined) return;
    cache.splice(changed[0] === 'error' ? null : changed[1], fresh[1], held, more);
  }

  async #changes(dice: Dice, requests: Requests, type: string, accountId: string): Promise<void> {
    const reference = (path: string) => ({ resultOf: 'c', name: `${type}/changes`, path });
    await this.send([
      [`${type}/changes`, requests.changes(type), 'c'],
      [`${type}/get`, { accountId, '#ids': reference('/created') }, 'n'],
      [`${type}/get`, { accountId, '#ids': reference(dice.pick(['/updated', '/destroyed'])) }, 'u'],
    ]);
  }

  /**
   * A client that reads page after page, with writes between them, and ends with what /get shows.
   */
  async #follow(dice: Dice, type: string, accountId: string): Promise<void> {
    const key = `${accountId} ${type}`;
    const shelf = this.oracle.account(accountId).shelf(type);
    const follower =
      this.#followers.get(key) ?? new Follower(typeOf(this.types, type), accountId, shelf);
    this.#followers.set(key, follower);
    for (let pages = 1 + dice.below(6); pages > 0; pages -= 1) {
      const maxChanges = dice.chance(85) ? 1 + dice.below(5) : null;
      const { methodResponses } = await this.send(follower.calls(maxChanges));
      const isThere = follower.read(methodResponses.map(([, args]) => args));
      if (isThere) follower.agree(this.oracle.account(accountId).shelf(type));
    }
  }

  /** The last exchange whole, and the calls of those before it, for a message. */
  get transcript(): string {
    const before = this.exchanges
      .slice(0, -1)
      .map(({ calls, response: { methodResponses } }, n) => {
        const states = methodResponses.map(([name, args]) => {
          const { oldState, newState, state, queryState, newQueryState, type } = args;
          return [name, oldState, newState ?? state ?? queryState ?? newQueryState ?? type];
        });
        return `${n}: ${JSON.stringify(calls)} -> ${JSON.stringify(states)}`;
      });
    return `${JSON.stringify(this.exchanges.at(-1), null, 1)}\nBefore it:\n${before.join('\n')}`;
  }
}

/** States that a query never had: one to come, and one of another query. */
const otherStates = ({ queryState }: QueryCache): readonly string[] => [
  queryState.replace(/^\d+/, String(Number.MAX_SAFE_INTEGER)),
  `${queryState}x`,
];

/** Sends every exchange anew to a model: what a falsified one comes to. */
export function replay(types: Types, begun: States, exchanges: readonly Exchange[]): void {
  const oracle = new Oracle(types, begun);
  for (const { calls, response, createdIds } of exchanges)
    oracle.check(calls, response, createdIds);
}

/** Empties the accounts, puts singletons back, and begins a session there. */
export async function begin(
  talker: Talker,
  types: Types,
  accounts: readonly string[],
): Promise<Session> {
  const each = accounts.flatMap((accountId) =>
    [...types.keys()].map((type) => ({ accountId, type: typeOf(types, type) })),
  );
  const gets = each.map(
    ({ accountId, type }): Call => [`${type.name}/get`, { accountId, ids: null }, 'g'],
  );
  const { methodResponses } = await talker.api(gets);
  const clear = each.map(({ accountId, type }, n): Call => {
    const list = (methodResponses[n]?.[1]['list'] ?? []) as JsonMap[];
    const destroy = list.map((one) => one[named(type, 'id')] ?? null);
    const nothing: [string, Json][] = shown(type).flatMap(({ name, role, access }) =>
      role === undefined && access !== 'serverSet' ? [[name, null]] : [],
    );
    const update = { singleton: Object.fromEntries(nothing) };
    return [`${type.name}/set`, { accountId, ...(type.singleton ? { update } : { destroy }) }, 's'];
  });
  await talker.api(clear);
  const { methodResponses: empty } = await talker.api(gets);
  const states = new Map<string, Map<string, number>>();
  for (const [n, { accountId, type }] of each.entries()) {
    const { state, list = null } = empty[n]?.[1] ?? ({} as JsonMap);
    agree(`${type.name} is cleared`, (list as Json[]).length, type.singleton ? 1 : 0);
    const of = states.get(accountId) ?? new Map<string, number>();
    states.set(accountId, of.set(type.name, Number(state)));
  }
  return new Session(talker, types, states);
}

/** Runs a session through; what it disagrees about is told with the request. */
export async function run(session: Session, steps: readonly (readonly number[])[]): Promise<void> {
  for (const numbers of steps) {
    try {
      await session.step(numbers);
    } catch (error) {
      const what = error instanceof Error ? error.message : String(error);
      throw new Disagreement(`${what}\n${session.transcript}`, { cause: error });
    }
  }
}
