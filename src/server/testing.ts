import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { createAccount, grantAccess } from '../accounts/index.js';
import type { MethodCall, MethodCalls } from '../capability/calls.js';
import { listAccountCreatedKinds } from '../hooks/task-kinds.js';
import { createIdGenerator } from '../protocol/ids.js';
import type { JsonObject } from '../protocol/json.js';
import { readConfig } from './config.js';
import { InProcessServer } from './in-process.js';
import type { Logger } from './logging.js';
import { closeAll, type Opened, openEngine } from './open-engine.js';
import { isPackageRoot, PACKAGE_ROOT } from './package-root.js';

/**
 * `jmapsmith/testing`: a server within a test's own process, without a network, for tests of hooks.
 * It is the engine of a real server on a real database: SQLite in a temporary folder.
 *
 * ```ts
 * const server = await openTestServer<Calls>();
 * const { created } = await server.call('Order/set', { create: { a: { text: 'Tea' } } });
 * await server.close();
 * ```
 */

export interface TestServerOptions {
  /** The project's folder; the current one where it isn't given. */
  readonly root?: string;
  /** Variables of the server, such as `HOOK_TIMEOUT`. Those of the process don't count. */
  readonly env?: Readonly<Record<string, string>>;
}

/** A line that a server would have logged; `fields.err` is the error that it is about. */
export interface LoggedLine {
  readonly level: string;
  readonly message: string;
  readonly fields: Readonly<Record<string, unknown>>;
}

/** The methods of no project in particular. */
// biome-ignore lint/suspicious/noExplicitAny: answers of any shape, which tests look into
export type AnyCalls = Readonly<Record<string, MethodCall<object, any>>>;

type ArgumentsOf<Call> = Call extends MethodCall<infer Arguments, infer _> ? Arguments : never;

type ResponseOf<Call> = Call extends MethodCall<infer _, infer Response> ? Response : never;

/** Arguments without the account, which is the client's own. */
type WithoutAccount<Arguments> = {
  [Name in keyof Arguments as Name extends 'accountId' ? never : Name]: Arguments[Name];
} & { readonly accountId?: string };

/** A method call that was answered with an error (RFC 8620 3.6.2). */
export class MethodCallError extends Error {
  override readonly name = 'MethodCallError';
  /** `forbidden`, `invalidArguments` ... */
  readonly type: string;
  /** All members of the error. */
  readonly members: JsonObject;

  constructor(method: string, members: JsonObject) {
    const { type, description } = members;
    super(`${method}: ${String(type)}${description === undefined ? '' : `, ${description}`}`);
    this.type = String(type);
    this.members = members;
  }
}

/** Several calls of one request, or their responses: the name, the arguments, the call's id. */
export type Invocations<Arguments> = readonly (readonly [
  name: string,
  args: Arguments,
  callId: string,
])[];

/** A user of a test server, and the account that its calls are about. */
export interface TestClient<Calls extends MethodCalls<Calls> = AnyCalls> {
  readonly accountId: string;
  /** The user's id, as hooks get it. */
  readonly userId: string;
  /**
   * Calls a method. Resolves to the arguments of its response; rejects with MethodCallError where
   * that is an error. The account is the client's, unless the arguments name another.
   */
  call<Name extends keyof Calls & string>(
    name: Name,
    args: WithoutAccount<ArgumentsOf<Calls[Name]>>,
  ): Promise<ResponseOf<Calls[Name]>>;
  /**
   * Sends several calls as one request, with result references, and returns all responses. `using`:
   * all capabilities where not given.
   */
  request(
    methodCalls: Invocations<object>,
    using?: readonly string[],
  ): Promise<Invocations<JsonObject>>;
}

/** A server in this process, and the owner of its first account. */
export interface TestServer<Calls extends MethodCalls<Calls> = AnyCalls> extends TestClient<Calls> {
  /** Warnings and errors that a server would have logged, such as those of `afterCommit`. */
  readonly logged: readonly LoggedLine[];
  /**
   * Adds a user: with an account of its own, or with access to the server's account, `share`.
   */
  addUser(share?: 'read' | 'write'): Promise<TestClient<Calls>>;
  /** Closes the database and removes it, where it is a temporary one. */
  close(): Promise<void>;
}

/**
 * Opens a server of the project, generated and compiled where it has changed. Rejects where the
 * project can't be loaded. Types are not looked at: `npx jmapsmith check` does that.
 */
export async function openTestServer<Calls extends MethodCalls<Calls> = AnyCalls>(
  options: TestServerOptions = {},
): Promise<TestServer<Calls>> {
  const root = options.root ?? process.cwd();
  await compile(root);
  const folder = await mkdtemp(join(tmpdir(), 'jmapsmith-test-'));
  const opened: Opened = [() => rm(folder, { recursive: true, force: true })];
  const logged: LoggedLine[] = [];
  try {
    const config = readConfig({ EXPLAIN: 'off', ...options.env, DATA_DIR: folder }, root);
    const engine = await openEngine(config, { root, log: listLog(logged), opened });
    const server = new InProcessServer(engine, opened);
    server.startTasks();
    const client = await addClient<Calls>(server);
    return {
      ...client,
      logged,
      addUser: (share) => addClient<Calls>(server, share && { share, with: client.accountId }),
      close: () => server.close(),
    };
  } catch (error) {
    await closeAll(opened).catch(() => undefined);
    throw error;
  }
}

/** Adds a user with an account of its own, or with access to another's. */
async function addClient<Calls extends MethodCalls<Calls>>(
  server: InProcessServer,
  shared?: { readonly share: 'read' | 'write'; readonly with: string },
): Promise<TestClient<Calls>> {
  const { registry, storage } = server.engine;
  const { prisma } = storage;
  const ids = createIdGenerator();
  const user = uniqueName();
  const tasks = listAccountCreatedKinds(registry);
  const accountId = shared?.with ?? (await createAccount(prisma, ids, { name: user, user, tasks }));
  if (shared !== undefined)
    await grantAccess(prisma, ids, { accountId, user, readOnly: shared.share === 'read' });
  const principal = await server.principalOf(user);
  const client: TestClient<Calls> = {
    accountId,
    userId: principal.userId,
    async call(name, args) {
      const hasAccount = registry.methods.get(name)?.argumentNames?.includes('accountId') === true;
      const whole = hasAccount ? { accountId, ...args } : args;
      const [answer] = await client.request([[name, whole, '0']]);
      if (answer === undefined) throw new Error(`${name} has no response.`);
      const [method, response] = answer;
      if (method === 'error') throw new MethodCallError(name, response);
      return response as ResponseOf<Calls[typeof name]>;
    },
    request: (methodCalls, using) => server.request(principal, methodCalls, using && { using }),
  };
  return client;
}

/** Users of a database that other tests share have other names. */
function uniqueName(): string {
  return `test-${randomBytes(6).toString('hex')}`;
}

/** Compiles what has changed since the last build; in this repository `npm run build` does. */
async function compile(root: string): Promise<void> {
  if (isPackageRoot(root)) return;
  if (!existsSync(join(root, 'generated', 'registry.ts')))
    throw new Error(`${root} has no generated/registry.ts: run npx jmapsmith generate.`);
  // A tool of the package, for the tests that it serves alone: no module of a server imports it.
  const file = join(PACKAGE_ROOT, 'scripts', 'quick-build.mjs');
  const { quickBuild } = (await import(pathToFileURL(file).href)) as {
    quickBuild(folder: string): Promise<boolean>;
  };
  await quickBuild(root);
}

/** Returns a log that keeps warnings and errors in a list. */
function listLog(lines: LoggedLine[]): Logger {
  const nothing = (): void => undefined;
  const keep =
    (level: string) =>
    (fields: object, message = ''): void =>
      void lines.push({ level, message, fields: { ...fields } });
  const kept = { warn: keep('warn'), error: keep('error'), fatal: keep('fatal') };
  return { trace: nothing, debug: nothing, info: nothing, ...kept } as unknown as Logger;
}
