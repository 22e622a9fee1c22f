import { isJsonObject, type JsonObject } from '../../../src/protocol/json.js';
import { MOST_FAILURES } from '../../src/sync/transient.js';
import type { Invocation, Request, Response } from '../../src/transport/transport.js';
import { type MarkedWrite, markOf, marksIn, tagsOf } from './marks.js';
import { canonical } from './model.js';
import { hasWrites } from './network.js';
import type { RandomSchema, TypeName } from './schema.js';

/** A name that no server may see: a key, a mark of a row, and what a row has besides. */
const UNKNOWN = /~0?[0-9a-f]{8}-[0-9a-f]{4}-|"\$key"|"\$pending"/;

/** Answers after which a call comes again. */
const TRANSIENT = new Set(['serverUnavailable', 'serverFail', 'rateLimit', 'requestTooLarge']);

export interface WireOptions {
  readonly fail: (text: string) => void;
  /** Returns a write of a client; undefined: others have made it. */
  readonly find: (mark: string) => MarkedWrite | undefined;
  /** It was made once more behind its refusal. */
  readonly isRepeated: (mark: string) => boolean;
}

/** Looks at what the clients of a device send. */
export class WireChecks {
  readonly #schema: RandomSchema;
  readonly #hasOnceKeys: boolean;
  readonly #fail: (text: string) => void;
  readonly #options: WireOptions;
  /** Calls as they were sent first, by their keys. */
  readonly #calls = new Map<string, string>();
  /** Marks of the writes of these calls, and of those that a client knows to be answered. */
  readonly #marks = new Map<string, readonly string[]>();
  readonly #ended = new Set<string>();
  /** Names of objects by their creation ids. */
  readonly #ids = new Map<string, string>();
  /** Marks that were sent of an object, in their order. */
  readonly #sent = new Map<string, number[]>();
  /** The requests, and the calls of types, in which groups of writes were sent first. */
  readonly #groups = new Map<string, string>();
  readonly #grouped = new Set<string>();
  /** Octets of files, by the keys under which they were sent. */
  readonly #octets = new Map<string, string>();
  #count = 0;
  /** How often the server has failed at requests that write. */
  #crashes = 0;

  constructor(schema: RandomSchema, hasOnceKeys: boolean, options: WireOptions) {
    this.#schema = schema;
    this.#hasOnceKeys = hasOnceKeys;
    this.#fail = options.fail;
    this.#options = options;
  }

  /** Notes that the server fails at a request that writes. */
  noteCrash(): void {
    this.#crashes += 1;
  }

  request(request: Request, answered: ReadonlySet<string>): void {
    this.#count += 1;
    for (const call of request.methodCalls) {
      const [, args] = call;
      if (UNKNOWN.test(JSON.stringify(args))) this.#fail(`sent ${JSON.stringify(call)}`);
      // An empty one asks whether a call was made.
      if (hasWrites(call)) this.#checkSet(call, answered);
    }
  }

  /** A file that comes again is the same. */
  upload(key: string, octets: string | null): void {
    if (key === '' || octets === null) return;
    const before = this.#octets.get(key) ?? octets;
    if (before !== octets) this.#fail(`sent the file ${key} as ${octets}, and before as ${before}`);
    this.#octets.set(key, before);
  }

  /** Returns whether a client has got the answer to a write. */
  hasEnded(mark: string): boolean {
    return this.#ended.has(mark);
  }

  /** Notes the ids of objects, and what a client knows by an answer. */
  answer(response: Response, isDelivered: boolean): void {
    const ends = isDelivered ? this.endsOf(response) : [];
    for (const mark of ends.flatMap((id) => this.#marks.get(id) ?? [])) this.#ended.add(mark);
    for (const [name, args] of response.methodResponses) {
      if (!name.endsWith('/set')) continue;
      for (const [key, made] of membersOf(args['created']))
        if (isJsonObject(made)) this.#ids.set(String(made['id']), key);
    }
  }

  /** Returns the keys of the calls of a response that come to an end by it. */
  endsOf({ methodResponses }: Response): readonly string[] {
    return methodResponses.flatMap(([name, args, id]) => {
      if (name === 'error') return TRANSIENT.has(String(args['type'])) ? [] : [id];
      const errors = ['notCreated', 'notUpdated', 'notDestroyed'].flatMap((each) =>
        membersOf(args[each]).map(([, error]) => (error as JsonObject)['type']),
      );
      return name.endsWith('/set') && !errors.some((type) => TRANSIENT.has(String(type)))
        ? [id]
        : [];
    });
  }

  #checkSet([name, args, id]: Invocation, answered: ReadonlySet<string>): void {
    const type = name.split('/')[0] as TypeName;
    if (this.#hasOnceKeys && answered.has(id)) this.#fail(`sent ${id} again behind its answer`);
    const text = canonical(args);
    const before = this.#calls.get(id);
    if (this.#hasOnceKeys && before !== undefined && before !== text)
      this.#fail(`sent ${id} in another form: ${before}, then ${text}`);
    this.#calls.set(id, text);
    const marks = writesOf(args).flatMap(([, values]) => marksOf(type, values as JsonObject));
    const creates = membersOf(args['create']).map(([, values]) =>
      markOf(type, values as JsonObject),
    );
    this.#marks.set(id, [...marks, ...creates.filter((mark) => mark !== null)]);
    this.#checkProperties(type, args);
    // Without keys, one create may make two objects.
    if (!this.#hasOnceKeys || before !== undefined) return;
    this.#checkOrder(type, args);
    this.#checkGroups(type, args, id);
  }

  /** Writes that were made together go in one request, and those of a type in one call. */
  #checkGroups(type: TypeName, args: JsonObject, id: string): void {
    // A client makes its requests smaller where the server fails at them.
    if (this.#crashes >= MOST_FAILURES) return;
    const marks = writesOf(args).flatMap(([, values]) => marksOf(type, values as JsonObject));
    for (const mark of marks) {
      const { group } = this.#options.find(mark) ?? {};
      if (group === undefined || this.#grouped.has(mark)) continue;
      this.#grouped.add(mark);
      for (const [name, place] of [
        [group, `${this.#count}`],
        [`${group} ${type}`, id],
      ] as const) {
        const first = this.#groups.get(name) ?? place;
        if (first !== place) this.#fail(`sent ${mark} of the group ${name} by itself`);
        this.#groups.set(name, first);
      }
    }
  }

  #checkProperties(type: TypeName, args: JsonObject): void {
    const table = this.#schema.types.find((each) => each.name === type);
    for (const kind of ['create', 'update']) {
      for (const [, values] of membersOf(args[kind])) {
        for (const pointer of Object.keys(values as JsonObject)) {
          const property = table?.properties[pointer.split('/')[0] ?? ''];
          const isClosed =
            property?.access === 'serverSet' ||
            (kind === 'update' && property?.access === 'immutable');
          if (property === undefined || isClosed) this.#fail(`sent ${type}.${pointer} in ${kind}`);
        }
      }
    }
  }

  /** The writes that a client makes of an object go out in the order in which they were made. */
  #checkOrder(type: TypeName, args: JsonObject): void {
    for (const [name, values] of writesOf(args)) {
      const key = this.#ids.get(name) ?? name.replace('#', '');
      for (const mark of marksOf(type, values as JsonObject)) {
        const number = Number(mark.slice(1));
        if (this.#options.isRepeated(mark)) continue;
        const own = `${this.#options.find(mark)?.client ?? 0} ${key}`;
        const earlier = this.#sent.get(own) ?? [];
        const most = Math.max(0, ...earlier);
        if (number < most && !earlier.includes(number))
          this.#fail(`sent ${number} of ${name} behind ${most}`);
        this.#sent.set(own, [...earlier, number]);
      }
    }
  }
}

function marksOf(type: TypeName, values: JsonObject): readonly string[] {
  const created = values['title'] ?? values['amount'];
  const marks = created === undefined ? [] : [markOf(type, values) ?? ''];
  const tags = [
    ...tagsOf(values),
    ...marksIn(type, Object.fromEntries(Object.keys(values).map((name) => [name, true]))),
  ];
  // A title that changes has the mark of its create once more.
  return values['title'] !== undefined && tags.length > 0 ? tags : [...marks, ...tags];
}

/** Returns the creates and updates of a /set. */
function writesOf(args: JsonObject): readonly (readonly [string, unknown])[] {
  return [...membersOf(args['create']), ...membersOf(args['update'])];
}

function membersOf(value: unknown): readonly (readonly [string, unknown])[] {
  return typeof value === 'object' && value !== null ? Object.entries(value) : [];
}
