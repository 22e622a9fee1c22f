import { createServer, type RequestListener } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import { onTestFinished } from 'vitest';
import type { Call } from '../src/client/answers.js';
import { asMap, type Item, type Json, type JsonMap, parseJson } from '../src/client/json.js';

/**
 * A server of one type, Thing, that others could have written: it does what RFC 8620 allows, by
 * these habits.
 */
export interface Habits {
  /** Answers each /get with `ids: null` with this error. */
  readonly refusesAll?: string;
  readonly maxObjectsInGet?: number;
  /** How many objects are there before anybody comes. */
  readonly there?: number;
  readonly hasQuery?: boolean;
  /** A rule that no descriptor tells: the SetError of an object, or undefined. */
  readonly rule?: (object: JsonMap) => JsonMap | undefined;
  /**
   * The act of a /set for a creation id that a later call makes: refuse it by an error of its own,
   * or know it.
   */
  readonly looksAhead?: boolean;
  /** Called before an answer is sent; `lose` breaks the connection off, `hang` never answers. */
  readonly before?: (calls: readonly Call[]) => 'lose' | 'hang' | 'die' | 'answer';
  /** Changes the arguments of a response. */
  readonly changeArgs?: (name: string, args: JsonMap) => JsonMap;
  /** Members of its session. */
  readonly session?: JsonMap;
  /** Of its accounts, by id. */
  readonly accounts?: Readonly<Record<string, JsonMap>>;
}

export const URN = 'urn:example:things';

/** The descriptor of Thing. */
export const THINGS = {
  file: 'things.yaml',
  text: `
capability: ${URN}
types:
  Thing:
    properties:
      name: { type: string, maxLength: 100 }
      size: { type: integer, minimum: 0, maximum: 9, default: 0 }
      parentId: { type: [string, 'null'], references: Thing }
    required: [name]
    standardMethods: [get, set, query]
`,
};

export class OtherServer {
  readonly url: string;
  /** Objects by account. */
  readonly objects = new Map<string, Map<string, Item>>();
  readonly #habits: Habits;
  readonly #close: () => void;
  #state = 0;
  #next = 0;

  private constructor(url: string, habits: Habits, close: () => void) {
    this.url = url;
    this.#habits = habits;
    this.#close = close;
    for (const id of Object.keys(accountsOf(habits))) this.objects.set(id, new Map());
    const [first] = this.objects.values();
    for (let n = 0; n < (habits.there ?? 0); n += 1)
      first?.set(`there${n}`, { id: `there${n}`, name: `there ${n}`, size: 0, parentId: null });
  }

  /** Serves by HTTPS where a certificate is given. */
  static async start(
    habits: Habits = {},
    certificate: { readonly cert: string; readonly key: string } | null = null,
  ): Promise<OtherServer> {
    const sockets = new Set<Socket>();
    let other: OtherServer | undefined;
    const listener: RequestListener = (req, res) => {
      const chunks: Buffer[] = [];
      req.on('data', (chunk: Buffer) => chunks.push(chunk));
      req.on('end', () => {
        res.setHeader('content-type', 'application/json');
        if (req.method === 'GET') return res.end(JSON.stringify(other?.session));
        const { methodCalls } = asMap(parseJson(Buffer.concat(chunks).toString('utf8')));
        if (!Array.isArray(methodCalls)) return res.writeHead(400).end('{}');
        const answer = JSON.stringify(other?.answer(methodCalls as never));
        const fate = habits.before?.(methodCalls as never) ?? 'answer';
        if (fate === 'die') return other?.die();
        if (fate === 'lose') return req.socket.destroy();
        return fate === 'hang' ? undefined : res.end(answer);
      });
    };
    const server =
      certificate === null ? createServer(listener) : createSecureServer(certificate, listener);
    server.on('connection', (socket) => {
      sockets.add(socket);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    const close = (): void => {
      server.close();
      for (const socket of sockets) socket.destroy();
    };
    onTestFinished(close);
    const scheme = certificate === null ? 'http' : 'https';
    other = new OtherServer(`${scheme}://127.0.0.1:${port}`, habits, close);
    return other;
  }

  /** Takes no connections any more. */
  die(): void {
    this.#close();
  }

  get session(): JsonMap {
    const { maxObjectsInGet = 500 } = this.#habits;
    return {
      apiUrl: '/api',
      capabilities: { 'urn:ietf:params:jmap:core': { maxObjectsInGet }, [URN]: {} },
      accounts: accountsOf(this.#habits),
      primaryAccounts: {},
      state: 's',
      ...this.#habits.session,
    };
  }

  /** All ids of all accounts. */
  get ids(): string[] {
    return [...this.objects.values()].flatMap((all) => [...all.keys()]);
  }

  answer(calls: readonly Call[]): JsonMap {
    const created = new Map<string, string>();
    if (this.#habits.looksAhead === true)
      for (const [, args] of calls)
        for (const key of Object.keys(asMap(asMap(args as Json)['create'])))
          created.set(key, this.#newId());
    const methodResponses = calls.map(([name, args, id]): Json => {
      const [told, response] = this.#tried(name, args as JsonMap, created);
      return [told, this.#habits.changeArgs?.(told, response) ?? response, id];
    });
    return { methodResponses, sessionState: 's' };
  }

  #newId(): string {
    this.#next += 1;
    return `made${this.#next}`;
  }

  /** An argument that it can't go on with is invalid. */
  #tried(name: string, args: JsonMap, created: Map<string, string>): [string, JsonMap] {
    try {
      return this.#call(name, args, created);
    } catch (error) {
      if (error instanceof TypeError) return ['error', { type: 'invalidArguments' }];
      throw error;
    }
  }

  #call(name: string, args: JsonMap, created: Map<string, string>): [string, JsonMap] {
    if (name === 'Core/echo') return [name, args];
    const accountId = String(args['accountId']);
    const all = this.objects.get(accountId);
    if (all === undefined) return ['error', { type: 'accountNotFound' }];
    if (name === 'Thing/get') return this.#get(args, accountId, all);
    if (name === 'Thing/set') return [name, this.#set(args, accountId, all, created)];
    const { hasQuery = true } = this.#habits;
    if (name === 'Thing/query' && hasQuery) {
      const ids = [...all.keys()].slice(Number(args['position'] ?? 0)).slice(0, 400);
      const queryState = String(this.#state);
      return [name, { accountId, queryState, canCalculateChanges: false, position: 0, ids }];
    }
    return ['error', { type: 'unknownMethod' }];
  }

  /** Judges by what a descriptor tells, and by what it doesn't. */
  #errorOf(object: JsonMap): JsonMap | undefined {
    const properties = Object.keys(object).filter((name) => !NAMES.includes(name));
    if (properties.length > 0) return { type: 'invalidProperties', properties };
    return this.#habits.rule?.(object);
  }

  #get(args: JsonMap, accountId: string, all: Map<string, Item>): [string, JsonMap] {
    const { refusesAll, maxObjectsInGet = 500 } = this.#habits;
    const isAll = (args['ids'] ?? null) === null;
    if (isAll && refusesAll !== undefined) return ['error', { type: refusesAll }];
    const ids = isAll ? [...all.keys()] : (args['ids'] as string[]);
    if (ids.length > maxObjectsInGet) return ['error', { type: 'requestTooLarge' }];
    const list = [...new Set(ids)].flatMap((id) => all.get(id) ?? []);
    const notFound = ids.filter((id) => !all.has(id));
    return ['Thing/get', { accountId, state: String(this.#state), list, notFound }];
  }

  #set(
    args: JsonMap,
    accountId: string,
    all: Map<string, Item>,
    made: Map<string, string>,
  ): JsonMap {
    const done = { created: {}, updated: {}, notCreated: {}, notUpdated: {}, notDestroyed: {} };
    const answer: Record<keyof typeof done, JsonMap> & { destroyed: string[] } = {
      ...done,
      destroyed: [],
    };
    for (const [key, given] of Object.entries(asMap(args['create']))) {
      const object = { size: 0, parentId: null, ...asMap(given) };
      const parent = object.parentId as string | null;
      const known = parent?.startsWith('#') === true ? made.get(parent.slice(1)) : parent;
      const error = known === undefined ? { type: 'noSuchParent' } : this.#errorOf(object);
      if (error !== undefined) {
        answer.notCreated[key] = error;
        continue;
      }
      const id = made.get(key) ?? this.#newId();
      made.set(key, id);
      all.set(id, { ...object, parentId: known ?? null, id });
      answer.created[key] = { id, size: object.size, parentId: known ?? null };
    }
    for (const [id, patch] of Object.entries(asMap(args['update']))) {
      const defaulted = asMap(patch)['size'] === null ? { size: 0 } : null;
      const now = { ...all.get(id), ...asMap(patch), ...defaulted } as Item;
      const error = all.has(id) ? this.#errorOf(now) : { type: 'notFound' };
      if (error !== undefined) answer.notUpdated[id] = error;
      else {
        all.set(id, now);
        answer.updated[id] = defaulted;
      }
    }
    for (const id of (args['destroy'] ?? []) as string[])
      if (all.delete(id)) answer.destroyed.push(id);
      else answer.notDestroyed[id] = { type: 'notFound' };
    this.#state += 1;
    const told = Object.entries(answer).map(([name, value]): [string, Json] => [
      name,
      Object.keys(value).length === 0 ? null : value,
    ]);
    const newState = String(this.#state);
    return { accountId, oldState: null, newState, ...Object.fromEntries(told) };
  }
}

const NAMES = ['id', 'name', 'size', 'parentId'];

const accountsOf = ({ accounts }: Habits): Record<string, JsonMap> =>
  Object.fromEntries(
    Object.entries(accounts ?? { a: { isPersonal: true, isReadOnly: false } }).map(([id, one]) => [
      id,
      { ...one, accountCapabilities: { [URN]: {} } },
    ]),
  );
