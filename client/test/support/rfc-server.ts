import { isJsonObject, type JsonObject, type JsonValue } from '../../../src/protocol/json.js';
import type { Invocation, Request } from '../../src/transport/transport.js';
import type { Fault } from './faulty-fetch.js';

/** The arguments of each method in the RFC; /queryChanges is never answered. */
const ARGUMENTS: Readonly<Record<string, readonly string[]>> = {
  get: ['accountId', 'ids', '#ids', 'properties'],
  changes: ['accountId', 'sinceState', 'maxChanges'],
  set: ['accountId', 'ifInState', 'create', 'update', 'destroy'],
  query: [
    ...['accountId', 'filter', 'sort', 'position', 'anchor', 'anchorOffset', 'limit'],
    'calculateTotal',
  ],
};

const CORE = 'urn:ietf:params:jmap:core';
const MAIL = 'urn:ietf:params:jmap:mail';

/** A page of /query has so many ids at most, whatever the client asks for. */
const PAGE = 3;

type Objects = Map<string, JsonObject>;

interface Change {
  readonly id: string;
  readonly kind: 'created' | 'updated' | 'destroyed';
}

/** The objects of a type. Their ids count from 1: types have the same ids. */
interface TypeOfObjects {
  readonly objects: Objects;
  readonly changes: Change[];
  count: number;
  /** States before this one are forgotten. */
  oldest: number;
}

/**
 * A server of RFC 8620 alone, with the least that the RFC asks for. Its lists have no total and no
 * changes, and it has no event source. It refuses what it doesn't know.
 */
export class RfcServer {
  readonly requests: Request[] = [];
  /** The fates of the next requests. */
  readonly faults: Fault[] = [];
  readonly #types = new Map<string, TypeOfObjects>();
  /** Ids of objects by the keys of their creates, of the present request (RFC 8620 5.3). */
  readonly #created = new Map<string, string>();

  constructor(...types: readonly string[]) {
    for (const type of types)
      this.#types.set(type, { objects: new Map(), changes: [], count: 0, oldest: 0 });
  }

  /** Answers in the place of the global `fetch`. */
  readonly fetch: typeof fetch = async (url, init) => {
    const { pathname } = new URL(String(url));
    if (pathname === '/.well-known/jmap') return Response.json(SESSION);
    if (init?.method !== 'POST') return new Response(null, { status: 404 });
    const request = JSON.parse(String(init.body)) as Request;
    const fault = this.faults.shift() ?? null;
    if (fault === 'request') throw new TypeError('The request was lost.');
    this.requests.push(request);
    const answer = this.#answer(request);
    if (fault === 'answer') throw new TypeError('The answer was lost.');
    return answer;
  };

  /** Makes an object, as another client does. */
  create(type: string, values: JsonObject): string {
    const store = this.#find(type);
    store.count += 1;
    const id = String(store.count);
    store.objects.set(id, { ...values, id });
    store.changes.push({ id, kind: 'created' });
    return id;
  }

  /** Returns the objects of a type. */
  list(type: string): readonly JsonObject[] {
    return [...this.#find(type).objects.values()];
  }

  /** Has changes of a type forgotten that lie before a state. */
  forget(type: string, oldest: number): void {
    this.#find(type).oldest = oldest;
  }

  #find(type: string): TypeOfObjects {
    const store = this.#types.get(type);
    if (store === undefined) throw new MethodFault('unknownMethod');
    return store;
  }

  #answer({ using, methodCalls }: Request): Response {
    if (using.some((urn) => urn !== CORE && urn !== MAIL)) {
      const type = 'urn:ietf:params:jmap:error:unknownCapability';
      return Response.json({ type, status: 400 }, { status: 400 });
    }
    const methodResponses: Invocation[] = [];
    this.#created.clear();
    for (const [name, args, id] of methodCalls) {
      try {
        methodResponses.push([name, this.#run(name, args, methodResponses), id]);
      } catch (error) {
        if (!(error instanceof MethodFault)) throw error;
        methodResponses.push(['error', { type: error.message }, id]);
      }
    }
    return Response.json({ methodResponses, sessionState: SESSION.state });
  }

  #run(name: string, args: JsonObject, earlier: readonly Invocation[]): JsonObject {
    const [type = '', method = ''] = name.split('/');
    if (method === 'queryChanges') throw new MethodFault('cannotCalculateChanges');
    const known = ARGUMENTS[method];
    if (known === undefined) throw new MethodFault('unknownMethod');
    if (Object.keys(args).some((each) => !known.includes(each)))
      throw new MethodFault('invalidArguments');
    const store = this.#find(type);
    const accountId = args['accountId'] as string;
    if (method === 'get') return { accountId, ...get(store, args, earlier) };
    if (method === 'changes') return { accountId, ...this.#changes(store, args) };
    if (method === 'query') return { accountId, ...query(store, args) };
    return { accountId, ...this.#set(type, args) };
  }

  #changes({ changes, oldest }: TypeOfObjects, { sinceState }: JsonObject): JsonObject {
    const since = Number(sinceState);
    if (since < oldest) throw new MethodFault('cannotCalculateChanges');
    const told = new Map<string, Change['kind']>();
    for (const { id, kind } of changes.slice(since)) {
      const isNew = told.get(id) === 'created';
      told.set(id, isNew && kind === 'updated' ? 'created' : kind);
    }
    const idsOf = (kind: string) => [...told].flatMap(([id, one]) => (one === kind ? [id] : []));
    return {
      ...{ oldState: String(since), newState: String(changes.length), hasMoreChanges: false },
      ...{ created: idsOf('created'), updated: idsOf('updated'), destroyed: idsOf('destroyed') },
    };
  }

  /** Puts ids in the place of `#KEY`, wherever it stands. */
  #resolve(values: JsonObject): JsonObject {
    const text = JSON.stringify(values);
    const resolved = text.replace(/#([\w-]+)/g, (all, key) => this.#created.get(key) ?? all);
    return JSON.parse(resolved) as JsonObject;
  }

  #set(type: string, { ifInState, create, update, destroy }: JsonObject): JsonObject {
    const { objects, changes } = this.#find(type);
    if (typeof ifInState === 'string' && ifInState !== String(changes.length))
      throw new MethodFault('stateMismatch');
    const oldState = String(changes.length);
    const created: Record<string, JsonObject> = {};
    const refused: Record<string, JsonObject> = {};
    for (const [key, values] of entriesOf(create)) {
      if (values['name'] === '') refused[key] = { type: 'invalidProperties', properties: ['name'] };
      else {
        const id = this.create(type, this.#resolve(values));
        created[key] = { id };
        this.#created.set(key, id);
      }
    }
    const updated: Record<string, JsonObject | null> = {};
    const notUpdated: Record<string, JsonObject> = {};
    for (const [id, patch] of entriesOf(update)) {
      const before = objects.get(id);
      if (before === undefined) throw new MethodFault('serverFail');
      const { name, ...rest } = patch;
      // It makes a part of the update, and refuses the other one.
      if (name === '') notUpdated[id] = { type: 'invalidProperties', properties: ['name'] };
      objects.set(id, applyPatch(before, this.#resolve(name === '' ? rest : patch)));
      changes.push({ id, kind: 'updated' });
      updated[id] = name === '' ? rest : null;
    }
    const destroyed = (destroy ?? []) as readonly string[];
    for (const id of destroyed) if (objects.delete(id)) changes.push({ id, kind: 'destroyed' });
    const newState = String(changes.length);
    return { oldState, newState, created, notCreated: refused, updated, notUpdated, destroyed };
  }
}

class MethodFault extends Error {}

function get(store: TypeOfObjects, args: JsonObject, earlier: readonly Invocation[]): JsonObject {
  const { objects, changes } = store;
  const ids = isJsonObject(args['#ids']) ? refer(args['#ids'], earlier) : args['ids'];
  const wanted = ids === null ? [...objects.keys()] : (ids as readonly string[]);
  return {
    state: String(changes.length),
    list: wanted.flatMap((id) => objects.get(id) ?? []),
    notFound: wanted.filter((id) => !objects.has(id)),
  };
}

/** Resolves a reference to a list of ids (RFC 8620 3.7). */
function refer({ resultOf, path }: JsonObject, earlier: readonly Invocation[]): JsonValue {
  const [, args] = earlier.find(([name, , id]) => id === resultOf && name !== 'error') ?? [];
  const value = args?.[String(path).slice(1)];
  if (value === undefined) throw new MethodFault('invalidResultReference');
  return value;
}

function query({ objects, changes }: TypeOfObjects, args: JsonObject): JsonObject {
  const { filter, position = 0, anchor, anchorOffset = 0, limit = PAGE } = args;
  const text = isJsonObject(filter) ? filter['text'] : undefined;
  const found = [...objects.values()].filter(
    ({ subject }) => text === undefined || String(subject).includes(String(text)),
  );
  const ids = found.map(({ id }) => String(id));
  const at = ids.indexOf(String(anchor));
  if (anchor !== undefined && at === -1) throw new MethodFault('anchorNotFound');
  const start = anchor === undefined ? Number(position) : at + Number(anchorOffset);
  return {
    queryState: String(changes.length),
    canCalculateChanges: false,
    position: start,
    ids: ids.slice(start, start + Math.min(PAGE, Number(limit))),
  };
}

function entriesOf(value: JsonValue | undefined): readonly (readonly [string, JsonObject])[] {
  return Object.entries((value ?? {}) as Readonly<Record<string, JsonObject>>);
}

/** Applies a PatchObject (RFC 8620 5.3) whose pointers have at most two tokens. */
function applyPatch(object: JsonObject, patch: JsonObject): JsonObject {
  const changed: Record<string, JsonValue> = { ...object };
  for (const [pointer, value] of Object.entries(patch)) {
    const [name = '', member] = pointer.split('/');
    if (member === undefined) {
      changed[name] = value as JsonValue;
      continue;
    }
    const { [member]: _before, ...rest } = (changed[name] ?? {}) as Record<string, JsonValue>;
    changed[name] = value === null ? rest : { ...rest, [member]: value as JsonValue };
  }
  return changed;
}

const SESSION = {
  capabilities: { [CORE]: { maxCallsInRequest: 16, maxObjectsInGet: 500 }, [MAIL]: {} },
  accounts: {
    A: { name: 'ann', isPersonal: true, isReadOnly: false, accountCapabilities: { [MAIL]: {} } },
  },
  primaryAccounts: { [MAIL]: 'A' },
  username: 'ann',
  apiUrl: '/api',
  downloadUrl: '/download/{accountId}/{blobId}/{name}?accept={type}',
  uploadUrl: '/upload/{accountId}',
  eventSourceUrl: '/events?types={types}&closeafter={closeafter}&ping={ping}',
  state: '1',
};
