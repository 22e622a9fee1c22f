import type { ConnectOptions, Invocation, Push, Transport } from '@jmapsmith/client';

import { nextTask } from './tasks.js';
import { idOf, makeThing, numberOf, THINGS, type Thing } from './things.js';

const CORE = 'urn:ietf:params:jmap:core';

type Request = Parameters<Transport['send']>[0];
type Response = Awaited<ReturnType<Transport['send']>>;
type Args = Readonly<Record<string, unknown>>;

/** The octets of a request and of its response. */
interface Exchange {
  readonly sent: number;
  readonly received: number;
}

/**
 * A server in the same process that answers as a real one, and takes no time for it. Its one
 * account has so many objects.
 */
export class FakeServer {
  /** When the last response was handed over. */
  answeredAt = 0;
  /** Sizes of requests are taken where someone asks for them. */
  exchanges: Exchange[] | null = null;
  /** Nothing gets to it. */
  isAway = false;
  readonly #size: number;
  readonly #versions = new Map<number, number>();
  /** The objects of these versions, by their ids. */
  readonly #latest = new Map<string, Thing>();
  /** Objects that have changed since the client asked, in order. */
  #changed: readonly Thing[] = [];
  #created = 0;
  #state = 1;

  constructor(size: number) {
    this.#size = size;
  }

  /** Returns the options by which a client connects to it. */
  get options(): Pick<ConnectOptions, 'url' | 'token' | 'fetch' | 'transport'> {
    return {
      url: 'http://localhost/session',
      token: 'token',
      fetch: async () => new globalThis.Response(JSON.stringify(SESSION)),
      transport: () => ({
        send: (request) => this.#send(request),
        openPush: ({ onStatus }): Push => {
          queueMicrotask(() => onStatus?.({ state: 'live' }));
          return { retry: () => undefined, close: () => undefined };
        },
        close: async () => undefined,
      }),
    };
  }

  /** Makes other versions of objects; returns them. */
  change(numbers: readonly number[]): readonly Thing[] {
    const changed = numbers.map((number) => {
      const version = (this.#versions.get(number) ?? 0) + 1;
      this.#versions.set(number, version);
      const thing = makeThing(number, version);
      this.#latest.set(thing.id, thing);
      return thing;
    });
    this.#changed = [...this.#changed, ...changed];
    return changed;
  }

  async #send(request: Request): Promise<Response> {
    await nextTask();
    if (this.isAway) throw new TypeError('The server is away.');
    const methodResponses: Invocation[] = [];
    for (const [name, args, id] of request.methodCalls)
      methodResponses.push([name, this.#run(name, args, methodResponses) as never, id]);
    const response: Response = { methodResponses, sessionState: '1' };
    this.exchanges?.push({ sent: octetsOf(request), received: octetsOf(response) });
    this.answeredAt = performance.now();
    return response;
  }

  #run(name: string, args: Args, earlier: readonly Invocation[]): Args {
    const [type, method = ''] = name.split('/');
    const accountId = 'a';
    // Types beside the measured one have no objects.
    const size = type === 'Thing' ? this.#size : 0;
    if (method === 'query') return { accountId, ...this.#query(args, size) };
    if (method === 'changes') return { accountId, ...this.#findChanges(args) };
    const state = String(this.#state);
    if (method === 'set')
      return { accountId, oldState: state, newState: state, ...this.#write(args) };
    const ids =
      (args['ids'] as readonly string[] | undefined) ?? readReference(args['#ids'], earlier);
    const list = ids.map((id) => this.#latest.get(id) ?? makeThing(numberOf(id)));
    return { accountId, state, list, notFound: [] };
  }

  #write({ create = {}, update = {} }: Args): Args {
    const created = Object.keys(create as object).map((key) => {
      this.#created += 1;
      const { id, created: at, updated, parentId } = makeThing(this.#size + this.#created);
      return [key, { id, created: at, updated, parentId }] as const;
    });
    const updated = Object.keys(update as object).map((id) => [id, null] as const);
    return { created: Object.fromEntries(created), updated: Object.fromEntries(updated) };
  }

  #query({ anchor, limit }: Args, size: number): Args {
    const position = typeof anchor === 'string' ? numberOf(anchor) + 1 : 0;
    const count = Math.max(0, Math.min(Number(limit), size - position));
    const ids = Array.from({ length: count }, (_, n) => idOf(position + n));
    return { queryState: '1', canCalculateChanges: false, position, ids, total: size };
  }

  #findChanges({ sinceState, maxChanges }: Args): Args {
    const page = this.#changed.slice(0, Number(maxChanges));
    this.#changed = this.#changed.slice(page.length);
    if (page.length > 0) this.#state += 1;
    return {
      ...{ oldState: sinceState, newState: String(this.#state), created: [], destroyed: [] },
      ...{ hasMoreChanges: this.#changed.length > 0, updated: page.map(({ id }) => id) },
    };
  }
}

function readReference(reference: unknown, earlier: readonly Invocation[]): readonly string[] {
  const { resultOf, path } = reference as { readonly resultOf: string; readonly path: string };
  const [, args] = earlier.find(([, , id]) => id === resultOf) ?? [];
  return (args?.[path.slice(1)] ?? []) as readonly string[];
}

function octetsOf(value: object): number {
  return new TextEncoder().encode(JSON.stringify(value)).length;
}

/** The limits are those of a server with its default settings. */
const SESSION = {
  capabilities: {
    [CORE]: {
      ...{ maxSizeUpload: 50_000_000, maxConcurrentUpload: 4, maxSizeRequest: 10_000_000 },
      ...{ maxConcurrentRequests: 4, maxCallsInRequest: 32 },
      ...{ maxObjectsInGet: 1000, maxObjectsInSet: 1000, collationAlgorithms: [] },
    },
    [THINGS]: {},
    'urn:jmapsmith:once': {},
    'urn:jmapsmith:push': {},
  },
  accounts: {
    a: {
      ...{ name: 'a', isPersonal: true, isReadOnly: false },
      accountCapabilities: { [CORE]: {}, [THINGS]: {} },
    },
  },
  primaryAccounts: { [THINGS]: 'a' },
  username: 'bench',
  ...{ apiUrl: '/jmap', downloadUrl: '/d', uploadUrl: '/u', eventSourceUrl: '/e' },
  state: '1',
};
