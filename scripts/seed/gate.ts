import { createToken } from '../../src/accounts/index.js';
import { ServerLockError } from '../../src/database/sqlite/index.js';
import { createIdGenerator } from '../../src/protocol/ids.js';
import type { JsonObject } from '../../src/protocol/json.js';
import { readConfig } from '../../src/server/config.js';
import { InProcessServer } from '../../src/server/in-process.js';
import { createLogging } from '../../src/server/logging.js';
import { closeAll, type Opened, openEngine } from '../../src/server/open-engine.js';
import { projectRoot } from '../../src/server/package-root.js';
import { UsageError } from '../cli.js';
import { withDirectory } from '../directory.js';

/** Sends one method call as a request; resolves to the name and arguments of its response. */
export type Send = (
  call: readonly [name: string, args: object],
  createdIds: Readonly<Record<string, string>>,
) => Promise<readonly [string, JsonObject]>;

/** A way to the engine. */
interface Gate {
  /** Returns how calls of a user are sent. */
  as(user: string): Promise<Send>;
  close(): Promise<void>;
}

/** How long the token of a run is good, ms. */
const LIFETIME = 600_000;

/** Opens the way to a server at `url`, or without one to an engine in this process. */
export function openGate(url: string | undefined): Promise<Gate> {
  return url === undefined ? openInProcess() : Promise.resolve(openRemote(url));
}

async function openInProcess(): Promise<Gate> {
  const opened: Opened = [];
  const config = readConfig(process.env, process.cwd());
  try {
    const { log } = createLogging('warn');
    const engine = await openEngine(config, { root: projectRoot(), log, opened });
    const server = new InProcessServer(engine, opened);
    return {
      async as(user) {
        const principal = await server.principalOf(user);
        return async ([name, args], createdIds) => {
          const calls = [[name, args, '0']] as const;
          const [answer] = await server.request(principal, calls, { createdIds });
          return firstOf(answer);
        };
      },
      close: () => server.close(),
    };
  } catch (error) {
    await closeAll(opened).catch(() => undefined);
    if (!(error instanceof ServerLockError)) throw error;
    throw new UsageError(
      `${error.message} Have it do the work: add --url and its address, such as ` +
        'http://127.0.0.1:8080.',
    );
  }
}

function openRemote(url: string): Gate {
  const base = url.replace(/\/+$/, '');
  return {
    async as(user) {
      const headers = {
        authorization: `Bearer ${await tokenOf(user)}`,
        'content-type': 'application/json',
      };
      const session = (await ask(`${base}/.well-known/jmap`, { headers })) as JsonObject;
      const using = Object.keys(session['capabilities'] as JsonObject);
      return async ([name, args], createdIds) => {
        const body = JSON.stringify({ using, methodCalls: [[name, args, '0']], createdIds });
        const answer = await ask(`${base}/jmap`, { method: 'POST', headers, body });
        return firstOf((answer['methodResponses'] as [string, JsonObject][])[0]);
      };
    },
    close: async () => undefined,
  };
}

async function tokenOf(user: string): Promise<string> {
  let token = '';
  await withDirectory(async (prisma) => {
    token = await createToken(prisma, createIdGenerator(), { user, lifetime: LIFETIME });
  });
  return token;
}

async function ask(url: string, init: RequestInit): Promise<JsonObject> {
  let response: Response;
  try {
    response = await fetch(url, init);
  } catch (error) {
    const { cause } = error as Error;
    throw new UsageError(
      `${url} doesn't answer: ${cause instanceof Error ? cause.message : error}.`,
    );
  }
  const text = await response.text();
  if (response.ok) return JSON.parse(text) as JsonObject;
  const hint =
    response.status === 401 ? ' Does that server have the database of DATABASE_URL?' : '';
  throw new UsageError(`${url} answers ${response.status}: ${text.slice(0, 500)}${hint}`);
}

function firstOf(answer: readonly [string, JsonObject, ...unknown[]] | undefined) {
  if (answer === undefined) throw new Error('The response is empty.');
  return [answer[0], answer[1]] as const;
}
