import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'vitest';
import * as standard from '../../generated/standard/validators.js';
import { FilesystemBlobStore } from '../../src/blobs/filesystem.js';
import type { CapabilityDefinition } from '../../src/capability/capability-definition.js';
import type { DataTypeDefinition } from '../../src/capability/definition.js';
import { Dispatcher } from '../../src/methods/dispatch.js';
import { createRegistry } from '../../src/methods/registry.js';
import { HashSlots } from '../../src/methods/set/hash-slots.js';
import { parseIJson } from '../../src/protocol/ijson.js';
import { parseRequest } from '../../src/protocol/request.js';
import { responseText } from '../../src/protocol/response.js';
import type { Store } from '../../src/store/port.js';
import { conductor } from '../support/conductor.js';
import type { Random } from '../support/random.js';
import { registry as generated } from '../support/registry.js';
import { CORE, type Json, TODOS, U1 } from './rig.js';
import { method, property, validator } from './widget.js';

/** None of the calls stores a blob. */
export const BLOB_FOLDER = mkdtempSync(join(tmpdir(), 'read-ahead-blobs-'));

/**
 * Requests of calls that refer to one another, answered with reading ahead and without: the same
 * octets.
 */

const nullable = { nullable: true, default: null };

const PROPERTIES = {
  id: property('id', 'string', { role: 'id', access: 'serverSet' }),
  created: property('created', 'date', { role: 'created', access: 'serverSet' }),
  updated: property('updated', 'date', { role: 'updated', access: 'serverSet' }),
  title: property('title', 'string', { default: '' }),
  note: property('note', 'string', nullable),
  // A default that is seen where null is stored.
  flagged: property('flagged', 'boolean', { default: true }),
  rankNumber: property('rankNumber', 'integer', nullable),
  due: property('due', 'date', nullable),
  score: property('score', 'number', nullable),
  meta: property('meta', 'json', nullable),
  hidden: property('hidden', 'string', { default: 'unseen', access: 'internal' }),
};

const text = { type: 'string', nullable: true };
const whole = { type: 'integer', nullable: true };
const given = validator({
  ...{ title: { type: 'string' }, note: text, flagged: { type: 'boolean' }, rankNumber: whole },
  ...{ due: text, score: { type: 'number', nullable: true }, meta: {} },
});

export const Thing: DataTypeDefinition = {
  ...{ name: 'Thing', capability: 'https://example.com/jmap/things', table: 'Thing' },
  acceptSnakeCase: true,
  properties: Object.values(PROPERTIES),
  filters: [
    { name: 'flagged', property: PROPERTIES.flagged, operator: 'equals', column: 'flagged' },
    { name: 'title', property: PROPERTIES.title, operator: 'contains', column: 'title_folded' },
    { name: 'minRank', property: PROPERTIES.rankNumber, operator: 'atLeast', column: 'rankNumber' },
  ],
  sorts: [
    { name: PROPERTIES.title.name, property: PROPERTIES.title, casemapColumn: 'title_casemap' },
    { name: PROPERTIES.rankNumber.name, property: PROPERTIES.rankNumber },
    { name: PROPERTIES.due.name, property: PROPERTIES.due },
  ],
  shadows: [
    { column: 'title_folded', property: PROPERTIES.title, transform: 'fold' },
    { column: 'title_casemap', property: PROPERTIES.title, transform: 'casemap' },
  ],
  validate: {
    update: given,
    filter: validator({ flagged: { type: 'boolean' }, title: { type: 'string' }, minRank: whole }),
  },
};

/** The table, with the database's types of text (bytewise order) and of doubles. */
export function thingTable(text: string): string {
  return `CREATE TABLE "Thing" (
  "accountId" ${text} NOT NULL, "id" ${text} NOT NULL, "created" BIGINT NOT NULL,
  "updated" BIGINT NOT NULL, "title" ${text} NOT NULL, "note" ${text}, "flagged" BOOLEAN,
  "rankNumber" BIGINT, "due" BIGINT, "score" DOUBLE PRECISION, "meta" JSONB,
  "hidden" ${text} NOT NULL, "title_folded" ${text} NOT NULL DEFAULT '',
  "title_casemap" ${text} NOT NULL DEFAULT '', PRIMARY KEY ("accountId", "id"))`;
}

const verbs = [
  ...([
    ['get', 'read', standard.getArguments],
    ['changes', 'read', standard.changesArguments],
    ['set', 'write', standard.setArguments],
    ['query', 'read', standard.queryArguments],
    ['queryChanges', 'read', standard.queryChangesArguments],
  ] as const),
];

const capability: CapabilityDefinition = {
  ...{ urn: Thing.capability, name: 'things', descriptorHash: 'sha256-test' },
  ...{ session: {}, accountSession: {}, bareSession: false, accountLevel: true },
  dataTypes: [Thing],
  methods: verbs.map(([verb, account, validate]) => method(Thing, verb, account, validate)),
};

export const registry = createRegistry([...generated, capability]);

type Call = readonly [name: string, args: object, callId: string];

const LIMITS = {
  ...{ maxObjectsInGet: 12, maxObjectsInSet: 1000, queryMaxLimit: 30, queryChangesMax: 1000 },
  ...{ maxSizeUpload: 1000, maxSizeRequest: 1e6, maxSizeResponse: 1e7, requestTimeout: 30_000 },
  changesKeep: 3_600_000,
};

/** The clock and the ids of a server of its own, so that two of them do the same. */
export class Twin {
  readonly statements: string[] = [];
  /** Epoch ms. */
  time = 1_700_000_000_000;
  readonly #foresees: boolean;
  #store: Store | undefined;
  #ids = 0;

  constructor(foresees: boolean) {
    this.#foresees = foresees;
  }

  readonly now = (): number => this.time;

  serve(store: Store): void {
    this.#store = store;
  }

  /** The text of the whole answer. */
  async answer(calls: readonly Call[], limits: Partial<typeof LIMITS> = {}): Promise<string> {
    const store = this.#store;
    if (store === undefined) throw new Error('It has no store yet.');
    this.time += 1000;
    const all = { ...LIMITS, ...limits };
    // Of a type with a hook file nothing is foreseen; an empty one changes nothing else.
    const hooks = this.#foresees
      ? []
      : (['Thing', 'Todo'] as const).map((name) => [name, {}] as const);
    const services = {
      ...{ store, registry: { ...registry, typeHooks: new Map(hooks) }, limits: all },
      ...{ now: this.now, blobs: new FilesystemBlobStore(BLOB_FOLDER) },
      ids: { next: (prefix: string) => this.#next(prefix) },
      conductor,
      hashing: new HashSlots(),
    };
    const dispatcher = new Dispatcher(services, all, (error) => {
      throw error;
    });
    const body = JSON.stringify({ using: [CORE, TODOS, Thing.capability], methodCalls: calls });
    const envelope = parseRequest(parseIJson(Buffer.from(body)), {
      ...{ maxCallsInRequest: 16, hasCapability: () => true },
    });
    return [...responseText(await dispatcher.handle(envelope, U1), 's')].join('');
  }

  #next(prefix: string): { id: string; time: number } {
    this.#ids += 1;
    return { id: `${prefix}${String(this.#ids).padStart(6, '0')}`, time: this.time };
  }
}

const TEXTS = ['', 'a', 'B', '[1]', '"é\\', '日本', '\u0001\u007f\u2028', '😀 x', '1e3', 'null'];
const NUMBERS = [null, 0, -1, 2 ** 53 - 1, 1 - 2 ** 53, 7];
const DATES = [null, '2026-01-01T00:00:00Z', '1969-12-31T23:59:59.001Z', '0001-01-01T00:00:00Z'];
const SCORES = [null, 0, -0.5, 1e300, 0.1 + 0.2, 5e-324, 12];
const NAMES = ['id', 'title', 'note', 'flagged', 'rankNumber', 'rank_number', 'due', 'created'];

/** Draws requests for a pair of twins that have had the same ones before. */
export class Drawn {
  readonly #random: Random;
  /** Ids that there are or were, by type. */
  readonly #ids: { readonly [type: string]: string[] } = { Thing: [], Todo: [] };
  #made = 0;
  /** The properties that most calls of a request ask for. */
  #shown: { readonly [type: string]: unknown } = {};

  constructor(random: Random) {
    this.#random = random;
  }

  /** Notes the ids in the answers of the first requests. */
  note(answer: string): void {
    for (const [name, response] of JSON.parse(answer).methodResponses as [string, Json][]) {
      const [type = '', verb] = name.split('/');
      if (verb !== 'set') continue;
      for (const { id } of Object.values<Json>(response.created ?? {})) this.#ids[type]?.push(id);
    }
  }

  creation(type: string, count: number): Call {
    const objects = Array.from({ length: count }, () => {
      this.#made += 1;
      return [`k${this.#made}`, this.#object(type)] as const;
    });
    return [`${type}/set`, { accountId: 'a1', create: Object.fromEntries(objects) }, 's'];
  }

  request(): readonly Call[] {
    const calls: Call[] = [];
    const length = this.#random.integer(2, 6);
    const from = this.#random.integer(0, 3);
    const names = NAMES.slice(from, from + this.#random.integer(1, 4));
    this.#shown = { Thing: names, Todo: this.#random.pick([['text'], null]) };
    if (this.#random.chance(0.5)) return this.#story(length);
    while (calls.length < length) calls.push(this.#call(calls));
    return calls;
  }

  limits(): Partial<typeof LIMITS> {
    return {
      ...(this.#random.chance(0.2) ? { maxSizeResponse: this.#random.integer(600, 12_000) } : {}),
      ...(this.#random.chance(0.1) ? { maxObjectsInGet: this.#random.integer(1, 6) } : {}),
    };
  }

  /** Returns calls that find, read, change and read again, all in its place. */
  #story(length: number): readonly Call[] {
    const random = this.#random;
    const type = this.#type();
    const verb = random.pick(['query', 'query', 'changes']);
    const properties = this.#shown[type];
    const find: Call = [`${type}/${verb}`, this.#arguments(type, verb, []), '0'];
    const further = Array.from({ length: length - 1 }, (): Call => {
      const name = `${type}/${random.pick(['get', 'get', 'get', 'set', 'set', verb])}`;
      const path = random.pick(PATHS[verb] ?? []);
      if (name === find[0])
        return random.chance(0.5) ? find : [name, this.#arguments(type, verb, []), '0'];
      if (name.endsWith('/get')) {
        const reference = { resultOf: '0', name: find[0], path };
        return [name, { accountId: 'a1', '#ids': reference, properties }, random.pick(['1', '2'])];
      }
      const update = [1, 2, 3, 4, 5].map(() => [this.#id(type), this.#object(type)] as const);
      return [name, { accountId: 'a1', update: Object.fromEntries(update) }, 's'];
    });
    return [find, ...further];
  }

  #object(type: string): object {
    const random = this.#random;
    const text = random.chance(0.01) ? 'x'.repeat(9000) : `${random.pick(TEXTS)}${this.#made % 9}`;
    if (type === 'Todo') return { text: `t${text}`, done: random.chance(0.5) };
    return {
      ...{ title: text, note: random.pick([null, ...TEXTS]), flagged: random.chance(0.5) },
      ...{ rankNumber: random.pick(NUMBERS), due: random.pick(DATES), score: random.pick(SCORES) },
      meta: random.pick([null, {}, { a: [1, 'b"', null] }, [], 3, 'text']),
    };
  }

  #call(before: readonly Call[]): Call {
    const random = this.#random;
    const last = before.at(-1);
    const type = last === undefined || random.chance(0.1) ? this.#type() : typeOf(last);
    const callId = random.chance(0.15) ? String(random.integer(0, 2)) : String(before.length);
    const verb = before.length === 0 || random.chance(0.1) ? random.pick(FIRST) : random.pick(NEXT);
    return [`${type}/${verb}`, this.#arguments(type, verb, before), callId];
  }

  #type(): string {
    return this.#random.chance(0.85) ? 'Thing' : 'Todo';
  }

  #arguments(type: string, verb: string, before: readonly Call[]): object {
    const random = this.#random;
    const accountId = random.chance(0.97) ? 'a1' : random.pick(['a2', 'none', 3]);
    switch (verb) {
      case 'query':
        return { accountId, ...this.#query(type) };
      case 'changes':
        return {
          ...{ accountId, sinceState: String(random.integer(0, 2) * random.integer(0, 30)) },
          ...(random.chance(0.8) ? { maxChanges: random.pick([1, 3, 5, 12, 13, 40]) } : {}),
        };
      case 'queryChanges':
        return { accountId, sinceQueryState: 'x' };
      case 'set':
        return { accountId, ...this.#set(type) };
      default:
        return { accountId, ...this.#get(type, before) };
    }
  }

  #query(type: string): object {
    const random = this.#random;
    const own = type === 'Thing' ? { flagged: random.chance(0.5) } : { done: random.chance(0.5) };
    const sort =
      type === 'Thing'
        ? random.pick(['title', 'rankNumber', 'due', 'title', 'rankNumber', 'due', 'due', 'no'])
        : 'text';
    return {
      limit: random.pick([0, 1, 3, 3, 5, 5, 12, 12, 13, null]),
      ...(random.chance(0.3)
        ? {
            filter: random.pick([
              own,
              random.chance(0.2) ? { nothing: 1 } : null,
              { operator: 'NOT', conditions: [own] },
              null,
            ]),
          }
        : {}),
      ...(random.chance(0.4)
        ? { sort: [{ property: sort, isAscending: random.chance(0.5) }] }
        : {}),
      ...(random.chance(0.2) ? { position: random.integer(-20, 20) } : {}),
      ...(random.chance(0.15) ? { calculateTotal: random.pick([true, false]) } : {}),
      ...(random.chance(0.15)
        ? { anchor: this.#id(type), anchorOffset: random.integer(-3, 3) }
        : {}),
    };
  }

  #set(type: string): object {
    const random = this.#random;
    const id = this.#id(type);
    if (random.chance(0.3)) return { destroy: [id] };
    if (random.chance(0.2)) return { update: { [id]: { nothing: 1 } } };
    const { create } = this.creation(type, 1)[1] as { create: object };
    if (random.chance(0.4)) return { create };
    return {
      update: { [id]: this.#object(type) },
      ...(random.chance(0.1) ? { ifInState: '3' } : {}),
    };
  }

  #get(type: string, before: readonly Call[]): object {
    const random = this.#random;
    const finding = before.filter((call) => !call[0].endsWith('/get'));
    const others = [NOBODY, ...(random.chance(0.9) ? finding : before)];
    const [name, , callId] = random.pick(others.slice(random.chance(0.7) ? -1 : -4));
    const verb = name.slice(name.indexOf('/') + 1);
    const path = random.pick(random.chance(0.95) ? (PATHS[verb] ?? ['/ids']) : ODD);
    const reference = {
      resultOf: random.chance(0.95) ? callId : random.pick(['0', '1', '9']),
      name: random.chance(0.97) ? name : `${type}/query`,
      path,
    };
    return {
      ...(random.chance(0.95) ? { '#ids': reference } : {}),
      ...(random.chance(0.05) ? { ids: random.pick([null, [], [this.#id(type), 'none']]) } : {}),
      properties: random.chance(0.8) ? this.#shown[type] : this.#properties(type),
      ...(random.chance(0.03) ? { '#properties': reference } : {}),
      ...(random.chance(0.02) ? { nothing: null } : {}),
    };
  }

  #properties(type: string): unknown {
    const random = this.#random;
    if (random.chance(0.1)) return random.pick([null, [], 'title', ['nothing'], [1], ['hidden']]);
    if (type === 'Todo') return random.pick([['text'], ['done', 'text'], null]);
    return random.pick([['score', 'title', 'meta'], ['title', 'flagged'], NAMES]);
  }

  #id(type: string): string {
    const ids = this.#ids[type] ?? [];
    return ids.length > 0 && this.#random.chance(0.95) ? this.#random.pick(ids) : 'none';
  }
}

const NOBODY: Call = ['Thing/query', {}, '0'];
const FIRST = ['query', 'query', 'query', 'query', 'changes', 'changes', 'set', 'get'];
const NEXT = [
  ...Array.from({ length: 12 }, () => 'get'),
  'set',
  'query',
  'changes',
  'queryChanges',
];
const ODD = [
  '/ids/*',
  '/ids/0',
  '/list/*/id',
  '/list/*',
  '/created/*',
  '',
  '/destroyed',
  '/nothing',
];
const PATHS: { readonly [verb: string]: readonly string[] } = {
  query: ['/ids', '/ids', '/ids', '/ids', '/ids/*'],
  changes: ['/created', '/updated', '/created', '/updated', '/destroyed', '/created/*'],
  get: ['/list/*/id', '/notFound'],
  set: ['/destroyed', '/created/k1/id'],
};

function typeOf([name]: Call): string {
  return name.slice(0, name.indexOf('/'));
}

/**
 * Has all answer the same requests. Resolves to how many took the first one, which foresees, fewer
 * statements than the second. Goes on beyond `rounds` until these are enough, or clearly rare.
 */
export async function compared(
  twins: readonly [Twin, Twin, ...Twin[]],
  random: Random,
  rounds: number,
): Promise<number> {
  const drawn = new Drawn(random);
  const [seeing, blind] = twins;
  const answered = async (calls: readonly Call[], limits = {}): Promise<string> => {
    const what = `seed ${random.seed}: ${JSON.stringify({ calls, limits })}`;
    let first: string | undefined;
    for (const twin of twins) {
      twin.statements.length = 0;
      const answer = await twin.answer(calls, limits);
      first ??= answer;
      expect(answer, what).toBe(first);
    }
    return first ?? '';
  };
  for (const type of ['Thing', 'Todo']) drawn.note(await answered([drawn.creation(type, 25)]));
  let foreseen = 0;
  for (let round = 0; isWorthwhile(round, rounds, foreseen); round += 1) {
    drawn.note(await answered(drawn.request(), drawn.limits()));
    if (seeing.statements.length < blind.statements.length) foreseen += 1;
  }
  return foreseen;
}

/** More than so many must have been foreseen: it is they that are compared. */
export const ENOUGH_FORESEEN = 5;

/** Whether another request is to be drawn: chance alone must not leave too few to compare. */
export function isWorthwhile(round: number, rounds: number, foreseen: number): boolean {
  return round < rounds || (foreseen <= ENOUGH_FORESEEN && round < rounds * 10);
}
