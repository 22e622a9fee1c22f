import type { ApiResponse, Call } from '../support/client.js';
import type { Json, JsonMap } from '../support/json.js';
import { type Types, typeOf } from './account.js';
import { agree, agreeOn, agreeOnError } from './agree.js';
import { checkChanges } from './changes.js';
import { checkCopy, destroyAfter } from './copy.js';
import { checkGet } from './get.js';
import { checkQuery, checkQueryChanges, type QueryHashes } from './query.js';
import { isMap } from './schema.js';
import { checkSet } from './set.js';
import { Account, type Scope, type Source } from './world.js';

type Answer = readonly [name: string, response: JsonMap, callId: string];

/** A response, with the arguments of its call or the error that their result references come to. */
export interface Event {
  readonly scope: Scope;
  readonly call: string;
  readonly args: JsonMap | string;
  readonly answer: readonly [name: string, response: JsonMap];
}

/**
 * JMAP accounts as RFC 8620 and the project's decisions have them, in memory. It is given each
 * request with its response, and throws a Disagreement where it would have answered otherwise.
 */
export class Oracle {
  readonly types: Types;
  readonly #accounts = new Map<string, Account>();
  readonly #hashes: QueryHashes = new Map();
  readonly #ids = new Set<string>();

  constructor(types: Types, states: ReadonlyMap<string, ReadonlyMap<string, number>>) {
    this.types = types;
    for (const [id, of] of states) this.#accounts.set(id, new Account(id, types, of));
  }

  account(id: string): Account {
    const account = this.#accounts.get(id);
    if (account === undefined) throw new Error(`The model has no account ${id}.`);
    return account;
  }

  /** `createdIds`: as the request had them (3.3). */
  check(calls: readonly Call[], response: ApiResponse, createdIds?: Record<string, string>): void {
    const scope = this.#scope(createdIds);
    for (const event of this.events(calls, response, scope)) this.step(event);
    const expected = createdIds === undefined ? undefined : Object.fromEntries(scope.createdIds);
    agree('createdIds', response.createdIds, expected);
  }

  /**
   * Returns the events of a request, one for each response: the /set that follows a copy is one of
   * its own.
   */
  events(
    calls: readonly Call[],
    { methodResponses }: ApiResponse,
    scope = this.#scope(),
  ): readonly Event[] {
    const events: Event[] = [];
    for (const [call, sent, callId] of calls) {
      const earlier = methodResponses.slice(0, events.length);
      const next = (): readonly [string, JsonMap] => {
        const [name = '', response = {}, of] = methodResponses[events.length] ?? [];
        agree(`${call}: call id (3.4)`, of, callId);
        return [name, response];
      };
      const args = resolved(sent as JsonMap, earlier);
      const answer = next();
      events.push({ scope, call, args, answer });
      const [typeName = '', method = ''] = call.split('/');
      if (method !== 'copy' || typeof args === 'string' || answer[0] === 'error') continue;
      const destroy = destroyAfter(typeOf(this.types, typeName), args, answer[1]);
      if (destroy !== null)
        events.push({ scope, call: `${typeName}/set`, args: destroy, answer: next() });
    }
    agree('as many responses as calls have', methodResponses.length, events.length);
    return events;
  }

  #scope(createdIds: Record<string, string> = {}): Scope {
    return {
      types: this.types,
      createdIds: new Map(Object.entries(createdIds)),
      newId: (id) => {
        agreeOn('an id is never used again', !this.#ids.has(id.toLowerCase()), id);
        this.#ids.add(id.toLowerCase());
      },
    };
  }

  /** Returns a function that puts accounts and the request's creations back as they are now. */
  mark({ createdIds }: Scope): () => void {
    const undo = [...this.#accounts.values()].map((account) => account.mark());
    const [ids, created] = [[...this.#ids], [...createdIds]];
    return () => {
      for (const each of undo) each();
      this.#ids.clear();
      for (const id of ids) this.#ids.add(id);
      createdIds.clear();
      for (const [key, id] of created) createdIds.set(key, id);
    };
  }

  /** All accounts as they are now, whatever comes. */
  still(): ReadonlyMap<string, Source> {
    return new Map([...this.#accounts].map(([id, account]) => [id, account.still()]));
  }

  /**
   * Takes one response in. `sources`: what a copy read, where that was not right before it wrote.
   */
  step(
    { scope, call, args, answer }: Event,
    sources: ReadonlyMap<string, Source> = this.#accounts,
  ): void {
    if (typeof args === 'string') {
      agreeOnError(call, ...answer, args);
      return;
    }
    const [type = '', method = ''] = call.split('/');
    const account = this.account(String(args['accountId']));
    switch (method) {
      case 'get':
        checkGet(scope, account, type, args, answer);
        return;
      case 'set':
        checkSet(scope, account, type, args, answer);
        return;
      case 'changes':
        checkChanges(scope, account, type, args, answer);
        return;
      case 'query':
        checkQuery(scope, this.#hashes, account, type, args, answer);
        return;
      case 'queryChanges':
        checkQueryChanges(scope, this.#hashes, account, type, args, answer);
        return;
      case 'copy': {
        const from = String(args['fromAccountId']);
        const source = sources.get(from) ?? this.account(from);
        checkCopy(scope, source, account, type, args, answer);
        return;
      }
      default:
        throw new Error(`The model has no method ${call}.`);
    }
  }
}

/** Arguments with result references put in (3.7), or the error that the call must have. */
function resolved(sent: JsonMap, earlier: readonly Answer[]): JsonMap | string {
  const args: JsonMap = {};
  for (const [name, value] of Object.entries(sent)) {
    if (!name.startsWith('#')) {
      args[name] = value;
      continue;
    }
    if (Object.hasOwn(sent, name.slice(1))) return 'invalidArguments';
    const { resultOf, name: of, path } = isMap(value) ? value : {};
    const found = earlier.find(([, , callId]) => callId === resultOf);
    const pointed =
      found !== undefined && found[0] === of && typeof path === 'string'
        ? pointedAt(found[1], path === '' ? [] : path.split('/').slice(1))
        : undefined;
    if (pointed === undefined) return 'invalidResultReference';
    args[name.slice(1)] = pointed;
  }
  return args;
}

/** RFC 6901 with the `*` of 3.7. */
function pointedAt(value: Json | undefined, tokens: readonly string[]): Json | undefined {
  const [token, ...rest] = tokens;
  if (token === undefined || value === undefined) return value;
  if (token === '*' && Array.isArray(value)) {
    const each = value.map((one) => pointedAt(one, rest));
    if (each.some((one) => one === undefined)) return undefined;
    return each.flatMap((one) => (Array.isArray(one) ? one : [one ?? null]));
  }
  const name = token.replaceAll('~1', '/').replaceAll('~0', '~');
  if (Array.isArray(value)) return pointedAt(value[Number(name)], rest);
  return isMap(value) && Object.hasOwn(value, name) ? pointedAt(value[name], rest) : undefined;
}
