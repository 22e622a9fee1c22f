import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import type {
  AccountAccess,
  Authenticator,
  Credential,
  Gate,
  Principal,
  Tickets,
} from '../../src/accounts/principal.js';
import { tokenCredential } from '../../src/accounts/token-text.js';
import type { BlobStore } from '../../src/blobs/blob-store.js';
import { FilesystemBlobStore } from '../../src/blobs/filesystem.js';
import type { CapabilityDefinition } from '../../src/capability/capability-definition.js';
import type { DataTypeDefinition } from '../../src/capability/definition.js';
import { baseUrlText } from '../../src/http/base-url.js';
import { type Identity, OWN_TOKENS } from '../../src/http/identity.js';
import { createHttpServer } from '../../src/http/server.js';
import {
  createShared,
  type Metrics,
  type Timings,
  type TransportServices,
} from '../../src/http/shared.js';
import type { RequestSource } from '../../src/methods/context.js';
import { createRegistry } from '../../src/methods/registry.js';
import { createIdGenerator } from '../../src/protocol/ids.js';
import type { RequestEnvelope } from '../../src/protocol/request.js';
import type { ResponseBody } from '../../src/protocol/response.js';
import { Sessions } from '../../src/protocol/session.js';
import { openLocalHub } from '../../src/push/hub/local.js';
import type { Push } from '../../src/push/push.js';
import { Allowance, bodyAllowance } from '../../src/runtime/budgets.js';
import { readConfig } from '../../src/server/config.js';
import { createLogging } from '../../src/server/logging.js';
import { createMetrics } from '../../src/server/metrics.js';
import { openRates } from '../../src/server/open-rates.js';
import type { BlobRow, NewBlob, StateChange, Store } from '../../src/store/port.js';
import { WebSocketEndpoint } from '../../src/websocket/endpoint.js';
import { tokenPrincipal } from '../accounts/token-principal.js';
import { conductor } from '../support/conductor.js';
import { CountedAllowance, CountedAnswers } from './counted-budgets.js';

export const CORE = 'urn:ietf:params:jmap:core';
export const BLOB = 'urn:ietf:params:jmap:blob';
export const TODOS = 'urn:example:todos';

/**
 * The transports over a real node:http server, on stand-ins for storage, accounts and methods, for
 * one test.
 */
export interface Harness {
  readonly url: string;
  readonly users: Users;
  readonly store: MemoryStore;
  readonly metrics: Metrics;
  readonly blobFolder: string;
  readonly blobs: BlobStore;
  readonly logs: string[];
  /** The answers to the next requests; by default each call's arguments come back. */
  handle: (
    envelope: RequestEnvelope,
    principal: Principal,
    source: RequestSource,
  ) => ResponseBody | Promise<ResponseBody>;
  ready: () => Promise<void>;
  /** The epoch of the states. */
  epoch: string;
  /** Compares what receivers were told with the store. */
  compare(): Promise<void>;
  readonly push: Push;
  /** Returns the slots that a user's requests hold now, and the octets of bodies of the process. */
  held(user: string): { readonly slots: number; readonly octets: number };
  /** Octets of large answers that wait for their readers. */
  answers(): number;
  close(grace?: number): Promise<void>;
}

export interface HarnessOptions {
  readonly env?: Readonly<Record<string, string>>;
  /** By default tokens of ours are all that the server takes. */
  readonly identity?: Identity;
  readonly timings?: Partial<Timings>;
  /** Parts that take the place of stand-ins. */
  readonly parts?: Partial<
    Pick<
      TransportServices,
      'registry' | 'store' | 'blobs' | 'blobsHeld' | 'once' | 'authenticator' | 'sessions'
    >
  >;
}

export async function startHarness(options: HarnessOptions = {}): Promise<Harness> {
  const config = readConfig({ ...options.env }, '/');
  const registry = createRegistry([
    capability(CORE, [], false),
    capability(BLOB, []),
    capability(TODOS, ['Todo', 'Tag']),
  ]);
  const blobFolder = await mkdtemp(join(tmpdir(), 'jmapsmith-transports-'));
  const users = new Users();
  const store = new MemoryStore();
  const metrics = createMetrics({ process: false });
  const logs: string[] = [];
  const { log } = createLogging('info', { write: (line: string) => void logs.push(line) });
  const blobs = new FilesystemBlobStore(blobFolder);
  const opened: (() => Promise<void> | void)[] = [];
  let closed: Promise<void> | null = null;
  const services: TransportServices = {
    ...config,
    registry,
    dispatcher: {
      handle: async (envelope, principal, source = { isLong: false, isGone: () => false }) =>
        harness.handle(envelope, principal, source),
    },
    authenticator: users,
    identity: options.identity ?? OWN_TOKENS,
    tickets: new MemoryTickets(),
    store,
    blobs,
    ids: createIdGenerator(),
    sessions: new Sessions({
      capabilities: registry.capabilities.values(),
      runtime: new Map(),
      baseUrl: baseUrlText(config.baseUrl),
    }),
    blobCapability: BLOB,
    metrics,
    rates: openRates(config.rateLimits, { metrics, log, opened }),
    log,
    conductor,
    ready: () => harness.ready(),
    readEpoch: async () => harness.epoch,
    hub: openLocalHub({ dataVersion: () => null }),
    timings: { refresh: 20, ...options.timings },
    ...options.parts,
  };
  const made = createShared(services);
  const { answerStall: stall, answerHold: hold } = made.timings;
  const requests = new CountedAllowance({ share: config.limits.maxConcurrentRequests });
  const budget = new Allowance(bodyAllowance(config.limits.maxSizeRequest));
  const answers = new CountedAnswers(config.limits.answerMemory, { stall, hold });
  const shared = { ...made, requests, budget, answers };
  const http = createHttpServer(shared, new WebSocketEndpoint(shared));
  const url = await http.listen('127.0.0.1', 0);
  const harness: Harness = {
    url,
    users,
    store,
    metrics,
    blobFolder,
    blobs,
    logs,
    handle: async (envelope) => echo(envelope),
    ready: async () => undefined,
    epoch: 'first',
    compare: () => made.push.compare(),
    push: made.push,
    held: (user) => ({ slots: requests.amountOf(user), octets: budget.total }),
    answers: () => answers.octets,
    close(grace = 1000) {
      closed ??= http.close(grace).then(() => shared.close());
      return closed;
    },
  };
  onTestFinished(async () => {
    await harness.close(0);
    await rm(blobFolder, { recursive: true, force: true });
  });
  return harness;
}

export function echo(envelope: RequestEnvelope): ResponseBody {
  const invocations = envelope.methodCalls.map((call) =>
    JSON.stringify([call.name, call.args, call.callId]),
  );
  return { invocations, createdIds: envelope.createdIds };
}

export const TOKEN = 'token-of-u1';
export const OTHER_TOKEN = 'token-of-u2';

/** u1 has `A1` (own), `AR` (read-only) and `AN` (core alone); u2 has `AX` and shares `A1`. */
export class Users implements Authenticator {
  readonly principals = new Map<string, Principal>([
    [
      't1',
      principal('u1', 't1', [account('A1'), account('AR', { isReadOnly: true }), noBlobs('AN')]),
    ],
    ['t2', principal('u2', 't2', [account('AX'), account('A1', { isPersonal: false })])],
  ]);
  #looks = 0;
  readonly #remembered = new Set<string>();
  readonly tokens = new Map([
    [TOKEN, 't1'],
    [OTHER_TOKEN, 't2'],
  ]);

  async authenticate(token: string, gate?: Gate): Promise<Principal | null> {
    if (!this.#remembered.has(token)) await gate?.();
    if (this.tokens.has(token)) this.#remembered.add(token);
    return this.refresh(tokenCredential(this.tokens.get(token) ?? ''));
  }

  async refresh({ id }: Credential): Promise<Principal | null> {
    return this.principals.get(id) ?? null;
  }

  async refreshAll(credentials: readonly Credential[]): Promise<ReadonlyMap<string, Principal>> {
    const ids = new Set(credentials.map(({ id }) => id));
    return new Map([...this.principals].filter(([id]) => ids.has(id)));
  }

  /** Another one at each look: a test may have changed anything. */
  async version(): Promise<string> {
    this.#looks += 1;
    return String(this.#looks);
  }
}

/** Each stands for its token once; how long, and in which database, is tried in test/accounts. */
class MemoryTickets implements Tickets {
  readonly #issued = new Map<string, Credential>();

  async issue({ credential }: Principal): Promise<{ ticket: string; expires: number }> {
    const ticket = `ticket${this.#issued.size}`;
    this.#issued.set(ticket, credential);
    return { ticket, expires: Date.now() + 60_000 };
  }

  async redeem(ticket: string): Promise<Credential | null> {
    const credential = this.#issued.get(ticket) ?? null;
    this.#issued.delete(ticket);
    return credential;
  }
}

export function account(id: string, more: Partial<AccountAccess> = {}): AccountAccess {
  return { id, name: id, isPersonal: true, isReadOnly: false, capabilities: null, ...more };
}

function noBlobs(id: string): AccountAccess {
  return account(id, { capabilities: new Set([CORE]) });
}

export function principal(
  userId: string,
  tokenId: string,
  accounts: readonly AccountAccess[],
  expires: number | null = null,
): Principal {
  const map = new Map(accounts.map((entry) => [entry.id, entry]));
  return tokenPrincipal(userId, tokenId, map, expires);
}

type WriteWork = Parameters<Store['write']>[2];
type ReadWork = Parameters<Store['read']>[2];

/** Blob rows and commits in memory: what the transports use of a store. */
export class MemoryStore implements Store {
  readonly rows = new Map<string, BlobRow>();
  /** Thrown by the next insert. */
  failure: Error | null = null;
  readonly #listeners = new Set<(change: StateChange) => void>();

  readonly #states = new Map<string, Map<string, number>>();
  /** The statements that have read states: the accounts of each. */
  readonly stateReads: (readonly string[])[] = [];

  commit(accountId: string, changed: Readonly<Record<string, string>>): void {
    this.commitElsewhere(accountId, changed);
    for (const listener of this.#listeners) listener({ accountId, changed });
  }

  /** Commits as another process does: this one hears nothing of it. */
  commitElsewhere(accountId: string, changed: Readonly<Record<string, string>>): void {
    const states = this.#states.get(accountId) ?? new Map<string, number>();
    this.#states.set(accountId, states);
    for (const [type, state] of Object.entries(changed)) states.set(type, Number(state));
  }

  async readStates(
    accountIds: readonly string[],
  ): Promise<ReadonlyMap<string, ReadonlyMap<string, number>>> {
    this.stateReads.push(accountIds);
    if (this.failure !== null) throw this.failure;
    const found = accountIds.flatMap((id) => {
      const states = this.#states.get(id);
      return states === undefined ? [] : [[id, new Map(states)] as const];
    });
    return new Map(found);
  }

  onCommit(listener: (change: StateChange) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  async read<T>(accountId: string, _: unknown, work: (snapshot: never) => Promise<T>): Promise<T> {
    const snapshot: Partial<Parameters<ReadWork>[0]> = {
      blobs: async (ids, viewer) =>
        ids
          .flatMap((id) => this.rows.get(`${accountId}/${id}`) ?? [])
          .filter((row) => viewer === undefined || row.referenced || row.uploaderId === viewer),
    };
    return work(snapshot as never);
  }

  readonly readObjects = unused;
  readonly readChanges = unused;
  readonly readPage = unused;
  readonly plans = unused;
  readonly traced = unused;

  async write<T>(
    accountId: string,
    _: unknown,
    work: (transaction: never) => Promise<T>,
  ): Promise<T> {
    const transaction: Partial<Parameters<WriteWork>[0]> = {
      insertBlobs: async (blobs: readonly NewBlob[]) => {
        if (this.failure !== null) throw this.failure;
        for (const blob of blobs) {
          this.rows.set(`${accountId}/${blob.id}`, { ...blob, referenced: false });
        }
      },
    };
    return work(transaction as never);
  }

  async ping(): Promise<void> {
    return undefined;
  }

  async pruneChanges(): Promise<number> {
    return 0;
  }

  async pruneAnswers(): Promise<number> {
    return 0;
  }

  async collectBlobs(): Promise<readonly { accountId: string; id: string }[]> {
    return [];
  }

  async close(): Promise<void> {
    return undefined;
  }
}

function unused(): never {
  throw new Error('Transports ask for nothing of methods.');
}

function capability(
  urn: string,
  types: readonly string[],
  accountLevel = true,
): CapabilityDefinition {
  return {
    urn,
    name: urn,
    descriptorHash: 'sha256-0',
    session: {},
    accountSession: {},
    bareSession: false,
    accountLevel,
    dataTypes: types.map(
      (name) => ({ name, capability: urn, properties: [] }) as unknown as DataTypeDefinition,
    ),
    methods: [],
    ...(types.length === 0 ? {} : { reference: JSON.stringify({ capability: urn }) }),
  };
}

/** A request with u1's token. */
export function http(harness: Harness, path: string, init: RequestInit = {}): Promise<Response> {
  return fetch(`${harness.url}${path}`, {
    ...init,
    headers: { authorization: `Bearer ${TOKEN}`, ...(init.headers as Record<string, string>) },
  });
}

export const ECHO = JSON.stringify({ using: [CORE], methodCalls: [['Core/echo', { a: 1 }, 'c']] });

export function post(harness: Harness, body: string, token = TOKEN): Promise<Response> {
  return http(harness, '/jmap', {
    method: 'POST',
    body,
    headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
  });
}

/** A TCP connection to the harness, with what came back. */
export class RawConnection {
  readonly socket: Socket;
  received = '';
  readonly closed: Promise<void>;
  #wake: (() => void)[] = [];

  constructor(harness: Pick<Harness, 'url'>) {
    this.socket = connect(Number(new URL(harness.url).port), '127.0.0.1');
    this.socket.setEncoding('latin1').on('data', (text: string) => {
      this.received += text;
      this.#notify();
    });
    this.closed = new Promise((resolve) => {
      this.socket.once('close', () => {
        resolve();
        this.#notify();
      });
    });
    // A reset is a way to close; tests look at what was received.
    this.socket.on('error', () => this.#notify());
  }

  write(text: string): this {
    this.socket.write(text, 'latin1');
    return this;
  }

  /** Resolves to everything received once it matches; rejects when the connection ends without. */
  async until(pattern: RegExp): Promise<string> {
    while (!pattern.test(this.received)) {
      if (this.socket.closed) throw new Error(`It closed after ${JSON.stringify(this.received)}`);
      await new Promise<void>((resolve) => this.#wake.push(resolve));
    }
    return this.received;
  }

  #notify(): void {
    for (const wake of this.#wake.splice(0)) wake();
  }
}

export function head(path: string, lines: readonly string[], method = 'POST'): string {
  const all = [`${method} ${path} HTTP/1.1`, 'Host: test', `Authorization: Bearer ${TOKEN}`];
  return `${[...all, ...lines].join('\r\n')}\r\n\r\n`;
}

export const JSON_HEADER = 'Content-Type: application/json';

/** A request to the API; the length that it says may be another than its body's. */
export function whole(body: string, length = body.length): string {
  return head('/jmap', [JSON_HEADER, `Content-Length: ${length}`]) + body;
}

/** Waits until `check` holds; a test that waits for what never comes ends in its time-out. */
export async function until(check: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await check())) await new Promise((resolve) => setTimeout(resolve, 5));
}

/** Files of blobs, whole or half. */
export async function blobFiles(harness: Harness): Promise<readonly string[]> {
  const entries = await readdir(harness.blobFolder, { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).map((entry) => entry.name);
}

/** A promise to be resolved from outside. */
export function gate(): { readonly passed: Promise<void>; open(): void } {
  let resolvePassed = (): void => undefined;
  const passed = new Promise<void>((resolve) => {
    resolvePassed = resolve;
  });
  return { passed, open: () => resolvePassed() };
}
