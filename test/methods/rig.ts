import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import * as clientModule from '../../build/prisma/sqlite/client.js';
import type { AccountAccess, Principal } from '../../src/accounts/principal.js';
import { FilesystemBlobStore } from '../../src/blobs/filesystem.js';
import type {
  CapabilityDefinition,
  MethodDefinition,
} from '../../src/capability/capability-definition.js';
import type { CapabilityHooks } from '../../src/capability/capability-hooks.js';
import type { DataTypeDefinition } from '../../src/capability/definition.js';
import {
  type BackfillDatabase,
  openBackfillDatabase,
} from '../../src/database/backfill-database.js';
import type { HookPrisma } from '../../src/database/hook-client.js';
import { openHookPrisma } from '../../src/database/sqlite/hook-prisma.js';
import { migrate, openDatabase, Writer } from '../../src/database/sqlite/index.js';
import { openPrismaStandalone, type PrismaClient } from '../../src/database/sqlite/prisma.js';
import { createHooks } from '../../src/hooks/runner.js';
import type {
  CallContext,
  CallHooks,
  Hooks,
  MethodLimits,
  RequestSource,
  Services,
} from '../../src/methods/context.js';
import { Dispatcher } from '../../src/methods/dispatch.js';
import { createRegistry } from '../../src/methods/registry.js';
import { HashSlots } from '../../src/methods/set/hash-slots.js';
import { createIdGenerator } from '../../src/protocol/ids.js';
import { parseIJson } from '../../src/protocol/ijson.js';
import { parseRequest } from '../../src/protocol/request.js';
import { responseText } from '../../src/protocol/response.js';
import type { Store } from '../../src/store/port.js';
import { createSqliteStore } from '../../src/store/sqlite/index.js';
import { tokenPrincipal } from '../accounts/token-principal.js';
import { conductor } from '../support/conductor.js';
import { registry as generated } from '../support/registry.js';
import { GADGET_TABLES, gadgetCapability } from './gadget.js';
import { WIDGET_TABLE, Widget, widgetCapability } from './widget.js';

const MIGRATIONS = fileURLToPath(new URL('../../prisma/sqlite/migrations', import.meta.url));

export const CORE = 'urn:ietf:params:jmap:core';
export const ONCE = 'urn:jmapsmith:once';
export const BLOB = 'urn:ietf:params:jmap:blob';
export const TODOS = 'urn:example:todos';
export const NOTES = 'urn:service:notes';
export const WIDGETS = Widget.capability;
const ALL_URNS = [CORE, BLOB, TODOS, NOTES, WIDGETS, gadgetCapability.urn];

/** Any JSON that came back: tests say what they expect of it. */
// biome-ignore lint/suspicious/noExplicitAny: expectations walk into answers of any shape
export type Json = any;
export type Call = readonly [name: string, args: object, callId?: string];

export interface RequestSettings {
  readonly using?: readonly string[];
  readonly createdIds?: Readonly<Record<string, string>>;
  readonly user?: Principal;
}

export interface Limits extends MethodLimits {
  readonly maxSizeRequest: number;
  readonly maxSizeResponse: number;
  readonly requestTimeout: number;
}

const LIMITS: Limits = {
  maxObjectsInGet: 1000,
  maxObjectsInSet: 1000,
  queryMaxLimit: 5000,
  queryChangesMax: 10_000,
  maxSizeUpload: 1_000_000,
  changesKeep: 30 * 24 * 3_600_000,
  maxSizeRequest: 10_000_000,
  maxSizeResponse: 100_000_000,
  requestTimeout: 30_000,
};

/** Logic of the widgets' capability: what a hook file and its descriptor would add. */
export interface Logic {
  readonly hooks?: CapabilityHooks;
  readonly methods?: readonly MethodDefinition[];
  /** The widget as the registry knows it, with computed properties. */
  readonly widget?: DataTypeDefinition;
  /** Logic of the gadgets' capability. */
  readonly gadgetHooks?: CapabilityHooks;
  /** One more capability, and the SQL that makes its tables. */
  readonly more?: { readonly capability: CapabilityDefinition; readonly tables: string };
  /** SECRETS_KEY. */
  readonly secretKey?: Uint8Array;
  /** HOOK_TIMEOUT, ms. */
  readonly timeout?: number;
  /** The client of the engine's own tables, where the store is another one. */
  readonly engine?: PrismaClient;
  /** Another store than the one on SQLite. */
  readonly store?: (types: readonly DataTypeDefinition[], now: () => number) => Store;
}

function principal(userId: string, accounts: readonly AccountAccess[]): Principal {
  const map = new Map(accounts.map((account) => [account.id, account]));
  return tokenPrincipal(userId, `t-${userId}`, map);
}

function account(id: string, more: Partial<AccountAccess> = {}): AccountAccess {
  return { id, name: id, isPersonal: true, isReadOnly: false, capabilities: null, ...more };
}

/**
 * The fixtures of the cases: `A1`, `A2` writable, `AR` read-only, `AN` without most capabilities,
 * `AX` another user's.
 */
export const U1 = principal('u1', [
  account('a1'),
  account('a2'),
  account('ar', { isReadOnly: true }),
  account('an', { capabilities: new Set([CORE, NOTES]) }),
]);
export const U2 = principal('u2', [account('ax'), account('a1', { isPersonal: false })]);

/** A method whose handler does what a test wants. */
interface Trick {
  run(): Promise<object>;
}

/** Hooks that meet Widget/trick alone. */
function trickHooks(trick: Trick): Hooks {
  type Met = Pick<CallHooks, 'runOwn' | 'complete' | 'committed' | 'undone' | 'beforeCommit'>;
  const ofTrick = (context: CallContext): Met => ({
    runOwn: async () => context.admit(await trick.run()),
    complete: async (response) => ({ response, followUps: [] }),
    committed: () => undefined,
    undone: () => undefined,
    beforeCommit: async () => undefined,
  });
  return {
    ofCall: (context) =>
      context.method.name === 'Widget/trick' ? (ofTrick(context) as CallHooks) : null,
    needsWholeRows: () => false,
    isExclusive: () => false,
    compute: (_, object) => object,
  };
}

export class Rig {
  readonly statements: string[] = [];
  readonly failures: { readonly error: unknown; readonly reference: string }[] = [];
  readonly trick: Trick = { run: async () => ({}) };
  readonly services: Services;
  /** The source of requests. */
  source: RequestSource = { isLong: false, isGone: () => false };
  /** For what a start does before anything is served. */
  readonly backfill: () => BackfillDatabase;
  /** The client of the engine's own tables. */
  readonly engine: () => PrismaClient;
  /** SQL that another version of the server would run. */
  readonly run: (statement: string) => void;
  /** Reads rows of the database. */
  readonly rows: (statement: string) => readonly unknown[];
  /** Epoch ms that the store and the methods see; null is the system's clock. */
  time: number | null = null;
  readonly #folder: string;
  readonly #prisma: HookPrisma | undefined;
  #engine: PrismaClient | undefined;
  /** Those of its requests. */
  readonly limits: Limits;

  constructor(limits: Partial<Limits> = {}, logic: Logic = {}) {
    this.limits = { ...LIMITS, ...limits };
    this.#folder = mkdtempSync(join(tmpdir(), 'methods-'));
    const file = join(this.#folder, 'jmap.db');
    const writerDatabase = openDatabase({ file });
    migrate(writerDatabase, MIGRATIONS);
    this.engine = () => {
      if (logic.engine !== undefined) return logic.engine;
      this.#engine ??= openPrismaStandalone(file);
      return this.#engine;
    };
    this.backfill = () => openBackfillDatabase(this.engine());
    this.run = (statement) => void writerDatabase.exec(statement);
    this.rows = (statement) => writerDatabase.prepare(statement).all();
    const accounts = ['a1', 'a2', 'ar', 'an', 'ax'].map((id) => `('${id}', '', 'u', 1)`);
    writerDatabase.exec(
      `INSERT INTO "JmapAccount" ("id", "name", "ownerId", "created")
        VALUES ${accounts.join(', ')}`,
    );
    writerDatabase.exec(WIDGET_TABLE);
    writerDatabase.exec(GADGET_TABLES);
    if (logic.more !== undefined) writerDatabase.exec(logic.more.tables);
    const now = (): number => this.time ?? Date.now();
    const registry = createRegistry([
      ...generated,
      widgetCapability(logic),
      logic.gadgetHooks === undefined
        ? gadgetCapability
        : { ...gadgetCapability, hooks: logic.gadgetHooks },
      ...(logic.more === undefined ? [] : [logic.more.capability]),
    ]);
    const types = [...registry.dataTypes.values()];
    const store =
      logic.store?.(types, now) ??
      createSqliteStore({
        writer: new Writer(writerDatabase, conductor),
        writerDatabase,
        types,
        reader: openDatabase({ file, readonly: true }),
        now,
        onStatement: (sql) => void this.statements.push(sql),
      });
    const more = logic.more?.capability.hooks;
    const isHooked = (logic.hooks ?? logic.gadgetHooks ?? more) !== undefined;
    const prisma = isHooked ? openHookPrisma(writerDatabase, clientModule) : undefined;
    this.#prisma = prisma;
    const hooks =
      prisma === undefined
        ? trickHooks(this.trick)
        : createHooks(registry, {
            timeout: logic.timeout ?? 2000,
            prisma: prisma.client,
            join: prisma.join,
            onError: (error: unknown, reference: string) =>
              void this.failures.push({ error, reference }),
          });
    this.services = {
      store,
      blobs: new FilesystemBlobStore(join(this.#folder, 'blobs')),
      registry,
      ...(hooks === undefined ? {} : { hooks }),
      ...(logic.secretKey === undefined ? {} : { secretKey: logic.secretKey }),
      ids: createIdGenerator({ now }),
      limits: this.limits,
      conductor,
      hashing: new HashSlots(),
      once: { capability: ONCE, keep: 7 * 24 * 3_600_000 },
      now,
    };
  }

  /** Sends a whole request as octets of JSON and parses the octets of the answer. */
  async text(body: string, user: Principal = U1): Promise<string> {
    const dispatcher = new Dispatcher(this.services, this.limits, (error, reference) =>
      this.failures.push({ error, reference }),
    );
    const envelope = parseRequest(parseIJson(Buffer.from(body)), {
      maxCallsInRequest: 64,
      hasCapability: (urn) => this.services.registry.capabilities.has(urn),
    });
    const answer = await dispatcher.handle(envelope, user, this.source);
    return [...responseText(answer, 'session-state')].join('');
  }

  async request(calls: readonly Call[], settings: RequestSettings = {}): Promise<Json> {
    const methodCalls = calls.map(([name, args, callId], index) => [
      name,
      args,
      callId ?? `c${index}`,
    ]);
    const { using = ALL_URNS, createdIds, user } = settings;
    return JSON.parse(
      await this.text(JSON.stringify({ using, methodCalls, createdIds }), user ?? U1),
    );
  }

  /** The responses, without call ids. */
  async calls(calls: readonly Call[], settings: RequestSettings = {}): Promise<Json[]> {
    const { methodResponses } = await this.request(calls, settings);
    return methodResponses.map((triple: Json) => [triple[0], triple[1]]);
  }

  /** One call on account a1; its arguments, or those of its error with `error` beside. */
  async call(name: string, args: object = {}, settings: RequestSettings = {}): Promise<Json> {
    const [[answered, response]] = (await this.calls(
      [[name, { accountId: 'a1', ...args }]],
      settings,
    )) as [[string, Json]];
    return answered === name ? response : { error: response.type, ...response };
  }

  /** Creates objects in a1 and resolves to their ids in order. */
  async create(type: string, objects: readonly object[]): Promise<string[]> {
    const create = Object.fromEntries(objects.map((object, index) => [`k${index}`, object]));
    const { created } = await this.call(`${type}/set`, { create });
    return objects.map((_, index) => created[`k${index}`].id);
  }

  /** A blob that a user has uploaded to an account and nothing refers to. */
  async upload(octets: Buffer | string, user: Principal = U1, accountId = 'a1'): Promise<string> {
    const { id } = this.services.ids.next('b');
    const source = Readable.from([Buffer.from(octets)]);
    const { size } = await this.services.blobs.write(accountId, id, source, 1_000_000);
    const row = { id, type: 'text/plain', size, uploaderId: user.userId };
    const deadline = performance.now() + 60_000;
    await this.services.store.write(accountId, { deadline }, (transaction) =>
      transaction.insertBlobs([row]),
    );
    return id;
  }

  /** How many files the blob store has. */
  blobFiles(): number {
    const all = readdirSync(join(this.#folder, 'blobs'), { recursive: true, withFileTypes: true });
    return all.filter((entry) => entry.isFile()).length;
  }

  async close(): Promise<void> {
    await this.#prisma?.client.$disconnect();
    await this.#engine?.$disconnect();
    await this.services.store.close();
    rmSync(this.#folder, { recursive: true, force: true });
  }
}
