import { onTestFinished } from 'vitest';
import { Poster } from '../../../src/push/webpush/post.js';
import { Sender, type SenderOptions } from '../../../src/push/webpush/sender.js';
import type {
  FailureNote,
  PushChannelListener,
  PushNews,
  PushRow,
  SuccessNote,
} from '../../../src/push/webpush/sender-ports.js';
import { makeReceiver, type Receiver } from './receiver.js';
import {
  localReach,
  makeIdentity,
  type Received,
  type Respond,
  type Sink,
  startSink,
} from './sink.js';

export type TestRow = PushRow;

interface OpenTestChannel {
  readonly row: TestRow;
  readonly listener: PushChannelListener;
}

/** Short pauses, so that a test takes no seconds. */
const PAUSES = { throttle: 40, slowThrottle: 80, spread: 20, notes: 10, retry: 30 };

const NEVER = new Promise<never>(() => undefined);

/** A status to answer a POST with, or a function that answers it. */
export type Fate = number | Respond;

const { authority, certificate } = makeIdentity();

/**
 * A database of states and rows in memory, a push service over TLS, and senders between them. The
 * states of all accounts are numbers by type; an id is their JSON.
 */
export class SenderRig {
  readonly rows = new Map<string, TestRow>();
  readonly removed: string[] = [];
  readonly successes: SuccessNote[] = [];
  readonly failures: FailureNote[] = [];
  /** The ids of each reading before pushes. */
  readonly reads: (readonly string[])[] = [];
  readonly logged: { readonly level: string; readonly fields: object }[] = [];
  readonly shards = new Set(Array.from({ length: 16 }, (_, shard) => shard));
  readonly shardListeners: (() => void | Promise<void>)[] = [];
  readonly fates = new Map<string, Fate>();
  readonly receivers = new Map<string, Receiver>();
  /** Runs after a row was read, and before its reader has it. */
  onRead: () => void = () => undefined;
  /** Throws in the place of the database. */
  outage: Error | null = null;
  /** The database answers no more. */
  hangs = false;
  now = Date.UTC(2026, 10, 27, 12);
  /** POSTs under way, by path, and the most of them. */
  readonly running = new Map<string, number>();
  most = 0;
  readonly #states = new Map<string, number>();
  readonly #channels = new Set<OpenTestChannel>();
  readonly sink: Sink;

  constructor(sink: Sink) {
    this.sink = sink;
  }

  get received(): readonly Received[] {
    return this.sink.received;
  }

  get openChannels(): number {
    return this.#channels.size;
  }

  /** Adds a verified subscription, which was told the present states. */
  subscribe(id: string, more: Partial<TestRow> & { readonly host?: string } = {}): void {
    const { host, ...columns } = more;
    this.rows.set(id, {
      ...{ id, keys: null, vapidKey: null, shard: 0, types: null },
      url: this.sink.url(`/${id}`, host).href,
      ...{ lastId: this.#id(), failures: 0, firstFailure: null, notBefore: null },
      ...columns,
    });
  }

  /** Adds one whose messages are encrypted. */
  subscribeWithKeys(id: string, more: Partial<TestRow> = {}): void {
    const receiver = makeReceiver();
    this.receivers.set(id, receiver);
    this.subscribe(id, { keys: receiver.keys, ...more });
  }

  commit(...types: readonly string[]): void {
    for (const type of types) this.#states.set(type, (this.#states.get(type) ?? 0) + 1);
    for (const { row, listener } of this.#channels) {
      if (types.some((type) => row.types?.includes(type) ?? true)) listener.wake();
    }
  }

  /** Ends the tokens of all open channels. */
  endTokens(): void {
    for (const { listener } of [...this.#channels]) listener.ended();
  }

  async start(more: Partial<SenderOptions<TestRow>> = {}): Promise<Sender<TestRow>> {
    const poster = new Poster({
      ...{ reach: localReach(), ca: authority.ca },
      // On a busy machine connections take long.
      ...{ connectTimeout: 60_000, timeout: 60_000 },
    });
    const sender = new Sender<TestRow>({
      poster,
      authorize: async (key, { origin }) => (key === 'gone' ? null : `vapid ${key} ${origin}`),
      rows: this.#port(),
      openChannel: async (row, lastId, listener) => this.#open(row, lastId, listener),
      shards: {
        isMine: (shard) => this.shards.has(shard),
        onChange: (listener) => void this.shardListeners.push(listener),
      },
      log: this.#log(),
      now: () => this.now,
      pauses: PAUSES,
      ...more,
    });
    onTestFinished(async () => {
      const stopped = sender.stop(performance.now() + 1000);
      poster.close();
      await stopped;
    });
    await sender.start();
    return sender;
  }

  /** Returns the texts that the subscription was sent, decrypted. */
  textsOf(id: string): readonly string[] {
    const receiver = this.receivers.get(id);
    const received = this.received.filter(({ path }) => path === `/${id}`);
    return received.map(({ body }) => receiver?.read(body) ?? body.toString());
  }

  /** Returns the states by type that the subscription was sent, message by message. */
  statesOf(id: string): readonly unknown[] {
    return this.textsOf(id).map((text) => JSON.parse(text).changed.account);
  }

  respond(request: Received, response: Parameters<Respond>[1]): void {
    const { path } = request;
    this.running.set(path, (this.running.get(path) ?? 0) + 1);
    this.most = Math.max(this.most, this.running.get(path) ?? 0);
    response.once('close', () => this.running.set(path, (this.running.get(path) ?? 0) - 1));
    const fate = this.fates.get(path.slice(1)) ?? 201;
    if (typeof fate === 'number') response.writeHead(fate).end('why');
    else fate(request, response);
  }

  #id(): string {
    return JSON.stringify(Object.fromEntries(this.#states));
  }

  #open(row: TestRow, lastId: string | null, listener: PushChannelListener) {
    const channel = { row, listener };
    this.#channels.add(channel);
    let base: Record<string, number> = JSON.parse(lastId ?? '{}');
    return {
      take: (): PushNews | null => {
        const news = [...this.#states].filter(
          ([type, state]) => base[type] !== state && (row.types?.includes(type) ?? true),
        );
        base = Object.fromEntries(this.#states);
        if (news.length === 0) return null;
        const states = news.map(([type, state]) => [type, String(state)]);
        const changed = JSON.stringify({ account: Object.fromEntries(states) });
        return { changed, id: this.#id() };
      },
      close: () => void this.#channels.delete(channel),
    };
  }

  #port(): SenderOptions<TestRow>['rows'] {
    const change = (id: string, columns: Partial<TestRow>): void => {
      const row = this.rows.get(id);
      if (row !== undefined) this.rows.set(id, { ...row, ...columns });
    };
    const check = (): void => {
      if (this.outage !== null) throw this.outage;
    };
    const rows = this.rows;
    return {
      load: async function* (which) {
        check();
        const all = [...rows.values()];
        yield all.filter(({ id, shard }) =>
          'ids' in which ? which.ids.includes(id) : which.shards.includes(shard),
        );
      },
      listServed: async (shards) => {
        check();
        return [...rows.values()].filter(({ shard }) => shards.includes(shard));
      },
      read: async (ids) => {
        this.reads.push(ids);
        check();
        if (this.hangs) await NEVER;
        const found = ids.flatMap((id) => rows.get(id) ?? []);
        this.onRead();
        return found;
      },
      noteSuccesses: async (notes) => {
        check();
        if (this.hangs) await NEVER;
        this.successes.push(...notes);
        for (const { id, lastId } of notes) {
          change(id, { lastId, failures: 0, firstFailure: null, notBefore: null });
        }
      },
      noteFailures: async (notes) => {
        check();
        this.failures.push(...notes);
        for (const { id, failures, firstFailure, notBefore } of notes) {
          change(id, { failures, firstFailure, notBefore });
        }
      },
      remove: async (id) => {
        check();
        this.removed.push(id);
        rows.delete(id);
      },
    };
  }

  #log(): SenderOptions<TestRow>['log'] {
    const write = (level: string) => (fields: object) => void this.logged.push({ level, fields });
    return {
      ...{ info: write('info'), warn: write('warn') },
      debug: write('debug'),
    };
  }
}

export async function makeRig(): Promise<SenderRig> {
  let rig: SenderRig | null = null;
  const sink = await startSink((request, response) => rig?.respond(request, response), certificate);
  onTestFinished(() => sink.close());
  rig = new SenderRig(sink);
  return rig;
}
