import { setTimeout as delay } from 'node:timers/promises';
import { isJsonObject, type JsonObject, type JsonValue } from '../../../src/protocol/json.js';
import { memory } from '../../src/persist/memory.js';
import type { TypeTable } from '../../src/schema/tables.js';
import { AccountStore } from '../../src/store/account-store.js';
import { StoreWriter } from '../../src/store/store-writer.js';
import { makeKey, type PendingCreate, type PendingWrite } from '../../src/store/write.js';
import { Backoff } from '../../src/sync/backoff.js';
import type { Outcome } from '../../src/sync/outcomes.js';
import { Sync } from '../../src/sync/sync.js';
import type { SyncLimits } from '../../src/sync/sync-options.js';
import type { Invocation, Request, Response } from '../../src/transport/transport.js';

/** The answers of a server to calls; undefined where it answers as it should. */
export type Answer = (call: Invocation) => readonly Invocation[] | undefined;

/** A server of one account whose objects have texts, with faults as a test says. */
export class ToyServer {
  readonly requests: Request[] = [];
  readonly objects = new Map<string, JsonObject>();
  /** Is called before each request is answered; what it throws is thrown. */
  before: (request: Request) => Promise<void> | void = () => undefined;
  answer: Answer = () => undefined;
  #state = 1;
  /** The calls that were made, by their keys. */
  readonly #first = new Map<string, { readonly text: string; readonly answer: JsonObject }>();

  async send(request: Request): Promise<Response> {
    this.requests.push(request);
    await new Promise((resolve) => setTimeout(resolve, 0));
    await this.before(request);
    const methodResponses: Invocation[] = [];
    for (const call of request.methodCalls) {
      const [name, args, id] = call;
      const own = this.answer(call);
      if (own !== undefined) methodResponses.push(...own);
      else methodResponses.push(this.#answerOnce([name, args, id], methodResponses));
    }
    return { methodResponses, sessionState: '1' };
  }

  get state(): string {
    return String(this.#state);
  }

  /** Raises the state, as writes of others do. */
  change(): void {
    this.#state += 1;
  }

  /** Returns how many calls of a method the server got. */
  count(method: string): number {
    const calls = this.requests.flatMap(({ methodCalls }) => methodCalls);
    return calls.filter(([name]) => name === method).length;
  }

  /** Makes calls of a key once; one with other arguments is refused. */
  #answerOnce([name, args, id]: Invocation, earlier: readonly Invocation[]): Invocation {
    const { onceKey } = args;
    const first = onceKey === undefined ? undefined : this.#first.get(String(onceKey));
    const text = JSON.stringify(args);
    if (first?.text === text) return [name, first.answer, id];
    if (first !== undefined) return ['error', { type: 'invalidArguments' }, id];
    const answer = this.#run(name, args, earlier);
    if (onceKey !== undefined) this.#first.set(String(onceKey), { text, answer });
    return [name, answer, id];
  }

  #run(name: string, args: JsonObject, earlier: readonly Invocation[]): JsonObject {
    const [type = '', method = ''] = name.split('/');
    const ofType = [...this.objects].filter(([, object]) => object['type'] === type);
    const ids = ofType.map(([id]) => id);
    if (method === 'query')
      return { ids: args['anchor'] === undefined ? ids : [], total: ids.length, position: 0 };
    const state = String(this.#state);
    if (method === 'changes')
      return { newState: state, hasMoreChanges: false, created: ids, updated: [], destroyed: [] };
    if (method === 'set') return this.#set(type, args['create']);
    const own = args['ids'] as readonly string[] | undefined;
    const wanted = own === undefined ? readReference(args['#ids'], earlier) : new Set(own);
    const notFound = [...wanted].filter((id) => !this.objects.has(String(id)));
    return { state, notFound, list: ofType.flatMap(([id, o]) => (wanted.has(id) ? [o] : [])) };
  }

  #set(type: string, create: JsonValue | undefined): JsonObject {
    if (create !== undefined) this.#state += 1;
    const created = Object.entries(isJsonObject(create) ? create : {}).map(([key, values]) => {
      const object = { ...(values as JsonObject), id: `${type}${this.objects.size}`, type };
      this.objects.set(object.id, object);
      return [key, object] as const;
    });
    return { created: Object.fromEntries(created) };
  }
}

function readReference(
  reference: JsonValue | undefined,
  earlier: readonly Invocation[],
): ReadonlySet<JsonValue> {
  const { resultOf, path } = reference as JsonObject;
  const [, args] = earlier.find(([, , id]) => id === resultOf) ?? [];
  return new Set(args?.[String(path).slice(1)] as readonly JsonValue[] | undefined);
}

export function makeTable(name: string): TypeTable {
  const methods = ['get', 'changes', 'set', 'query'];
  const parts = { properties: {}, filters: {}, sorts: {} };
  return { name, capability: 'urn:test', hash: '', methods, ...parts };
}

export const LIMITS: SyncLimits = {
  maxCallsInRequest: 16,
  maxObjectsInGet: 100,
  maxObjectsInSet: 100,
  maxSizeRequest: 100_000,
};

/**
 * Returns an account in step with a toy server, in a store in memory. Behind a failure it waits
 * for `pause` milliseconds at first.
 */
export async function openAccount(
  server: ToyServer,
  tables: readonly TypeTable[],
  {
    pause = 1,
    isShown = (_: string): boolean => false,
    hasKeys = true,
    limits = LIMITS,
    settleLists = (): Promise<void> => Promise.resolve(),
    isHeld = (_: PendingWrite): boolean => false,
  } = {},
) {
  const open = await memory().open('toy');
  const writer = new StoreWriter(open, await open.fence(), () => undefined);
  let version = '1';
  const store = new AccountStore({
    ...{ accountId: 'A', tables, writer },
    versionOf: () => `program ${version}`,
    announce: () => undefined,
  });
  const outcomes: Outcome[] = [];
  /** The ends among them that the server has not told. */
  const guesses: Outcome[] = [];
  const failures: (string | null)[] = [];
  const sync = new Sync({
    ...{ accountId: 'A', replica: store.replica, wire: server },
    types: () => tables,
    limits: () => limits,
    hasOnceKeys: () => hasKeys,
    isHeld: (write) => store.isHeld(write) || isHeld(write),
    commit(change, ended, areAnswers = true) {
      outcomes.push(...ended);
      if (!areAnswers) guesses.push(...ended);
      return store.commit(change);
    },
    report: (failure) => failures.push(failure),
    tidy: () => undefined,
    planWith: (plan) => plan(),
    lacksFile: () => false,
    takeTurn: (work) => work(),
    isFenced: () => false,
    isShown,
    settleLists,
    backoff: new Backoff(pause),
  });
  return {
    ...{ store, sync, outcomes, guesses, failures },
    isMade: (id: string): boolean =>
      outcomes.some(({ isMade, write }) => isMade && write.ids.includes(id)),
    /** Goes on without pauses for so many requests, or until this holds: tells whether it does. */
    async goOn(most: number, holds: () => boolean = () => false): Promise<boolean> {
      const end = server.requests.length + most;
      // A client that sends nothing more doesn't come to the end of its requests.
      for (let turns = 20 * most; turns > 0 && server.requests.length < end; turns -= 1) {
        if (holds()) return true;
        sync.resume();
        await delay(1);
      }
      return holds();
    },
    /** The server's history is another one. */
    renew() {
      version += '1';
      sync.forget(store.renew());
      sync.want();
    },
    /** Makes objects, which are sent with the next request. */
    create(type: string, ...texts: readonly string[]) {
      const writes = texts.map(
        (text): PendingCreate => ({
          ...{ ids: [text], type, key: makeKey(), kind: 'create', sentAs: null, values: { text } },
        }),
      );
      void store.commit({ log: [...store.replica.log, ...writes] });
      sync.want();
    },
  };
}
