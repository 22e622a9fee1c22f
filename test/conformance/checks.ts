import { afterAll, beforeAll, describe, it } from 'vitest';
import type { Check, ServerCheck, TypeCheck } from '../../conform/src/check.js';
import { CHECKS } from '../../conform/src/checks/index.js';
import type { TransportName } from '../../conform/src/client/connection.js';
import { bearer } from '../../conform/src/client/credentials.js';
import { NotApplicable } from '../../conform/src/not-applicable.js';
import { missing, runOf } from '../../conform/src/run.js';
import { lookAround } from '../../conform/src/subject/beside.js';
import type { World } from '../../conform/src/subject/described.js';
import { Server } from '../../conform/src/subject/server.js';
import { Subject } from '../../conform/src/subject/subject.js';
import type { Fixtures } from '../support/fixtures.js';
import { SocketClient } from '../support/socket-client.js';
import { DECISIONS } from './decisions/index.js';

/** The checks of the conformance runner, and those of this server's decisions. */
export const ALL_CHECKS: readonly Check[] = Object.freeze([...CHECKS, ...DECISIONS]);

const SERVER_CHECKS = ALL_CHECKS.filter((one): one is ServerCheck => one.scope === 'server');
export const TYPE_CHECKS = ALL_CHECKS.filter((one): one is TypeCheck => one.scope === 'type');

/** The server of a file's fixtures, as the runner sees it; over a WebSocket where its client uses one. */
export function useServer(fixtures: () => Fixtures, given?: TransportName): () => Server {
  let server: Server | undefined;
  beforeAll(async () => {
    const { u1 } = fixtures();
    const others = [...bearerOf(fixtures, 'u2'), ...bearerOf(fixtures, 'u3')];
    const transport = given ?? (u1 instanceof SocketClient ? 'websocket' : 'http');
    server = await Server.connect({
      url: u1.url,
      authorization: bearer(u1.token),
      others,
      transport,
    });
  });
  afterAll(() => server?.close());
  return () => {
    if (server === undefined) throw new Error('The server is there inside tests only.');
    return server;
  };
}

/** A file makes the fixtures that it uses: one that it didn't make throws where it is read. */
function bearerOf(fixtures: () => Fixtures, name: 'u2' | 'u3'): string[] {
  try {
    return [bearer(fixtures()[name].token)];
  } catch {
    return [];
  }
}

const decided: ReadonlySet<Check> = new Set(DECISIONS);

const told = (check: ServerCheck | TypeCheck): string => {
  const { id, specification, section, level } = check;
  return `${specification} ${section}, ${decided.has(check) ? 'decision' : level}: ${id}`;
};

/** Each check of the server is a test. */
export function serverConformance(server: () => Server): void {
  describe('the server', () => {
    for (const check of SERVER_CHECKS)
      it(told(check), async ({ skip }) => {
        await orSkipped(skip, async () => {
          const reason = check.applies?.(server()) ?? null;
          if (reason !== null) throw new NotApplicable(reason);
          await check.run(server());
        });
      });
  });
}

/** Each check of a type is a test, for those types of a world that are named or all of them. */
export function typeConformance(
  server: () => Server,
  world: World,
  names: Iterable<string> = world.keys(),
  checks: readonly TypeCheck[] = TYPE_CHECKS,
): void {
  for (const name of names) {
    describe(name, () => {
      let subject: Subject | undefined;
      beforeAll(async () => {
        subject = new Subject(server(), world, name);
        await lookAround(subject);
        for (const id of [subject.A1, subject.A2])
          if (subject.has('set')) await subject.prepare(id);
      });
      afterAll(() => subject?.tidy());
      for (const check of checks)
        it(told(check), async ({ skip }) => {
          await orSkipped(skip, async () => {
            if (subject === undefined) throw new Error('The subject was not made.');
            const reason = missing(check, subject) ?? check.applies?.(subject) ?? null;
            if (reason !== null) throw new NotApplicable(reason);
            await runOf(check, subject);
          });
        });
    });
  }
}

/** What doesn't apply is skipped, with its reason. */
async function orSkipped(skip: (note?: string) => void, work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (!(error instanceof NotApplicable)) throw error;
    skip(error.message);
  }
}
