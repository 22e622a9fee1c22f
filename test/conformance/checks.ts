import { afterAll, beforeAll, describe, it } from 'vitest';
import type { Check, ServerCheck, TypeCheck } from '../../conform/src/check.js';
import { CHECKS } from '../../conform/src/checks/index.js';
import type { TransportName } from '../../conform/src/client/connection.js';
import { bearer } from '../../conform/src/client/credentials.js';
import { NotApplicable } from '../../conform/src/not-applicable.js';
import { runTypeCheck } from '../../conform/src/run.js';
import { lookAround } from '../../conform/src/subject/beside.js';
import type { World } from '../../conform/src/subject/described.js';
import { Server } from '../../conform/src/subject/server.js';
import { Subject } from '../../conform/src/subject/subject.js';
import { findMissing } from '../../conform/src/usable.js';
import type { Fixtures } from '../support/fixtures.js';
import { SocketClient } from '../support/socket-client.js';
import { DECISIONS } from './decisions/index.js';

/** The checks of the conformance runner, and those of this server's decisions. */
export const ALL_CHECKS: readonly Check[] = Object.freeze([...CHECKS, ...DECISIONS]);

/** Tells whether a check is of push subscriptions: conform/test/push.test.ts has a sink. */
export const isOfPush = ({ id }: Check): boolean => id.startsWith('push-');

/** Tells whether a check is of quotas or of sharing: conform/test/sharing.test.ts has both. */
export const isOfSharing = ({ specification, id }: Check): boolean =>
  ['RFC 9425', 'RFC 9670'].includes(specification) || id.startsWith('view-');

const HERE = ALL_CHECKS.filter((one) => !isOfPush(one) && !isOfSharing(one));
const SERVER_CHECKS = HERE.filter((one): one is ServerCheck => one.scope === 'server');
export const TYPE_CHECKS = HERE.filter((one): one is TypeCheck => one.scope === 'type');

/**
 * The server of a file's fixtures, as the runner sees it; over a WebSocket where its client uses
 * one.
 */
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
      strict: true,
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

/** RFC section: the rule. The id, by which `npm run conform -- --check` finds it, is at the end. */
const titleOf = (check: Check): string => {
  const { id, specification, section, level, rule } = check;
  const strictness = decided.has(check) ? 'decision' : level;
  return `${specification} ${section}: ${rule} (${strictness}, ${id})`;
};

/**
 * Each check of the server is a test, but those that another file shows: this server's limits or
 * types rule them out.
 */
export function serverConformance(server: () => Server, elsewhere: ReadonlySet<string>): void {
  describe('the server', () => {
    for (const check of SERVER_CHECKS.filter(({ id }) => !elsewhere.has(id)))
      it(titleOf(check), async () => {
        applicable(check, 'the server', check.applies?.(server()) ?? null);
        await check.run(server());
      });
  });
}

/**
 * Each check that applies to a type is a test, for those types of a world that are named or all of
 * them.
 */
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
      const described = new Subject(UNASKED, world, name);
      for (const check of checks.filter((one) => !isRuledOut(one, described)))
        it(titleOf(check), async () => {
          if (subject === undefined) throw new Error('The subject was not made.');
          applicable(check, name, findMissing(check, subject) ?? check.applies?.(subject) ?? null);
          await runTypeCheck(check, subject);
        });
    });
  }
}

/**
 * Stands for the server while tests are listed: it has no account and no sample, and nothing else
 * is known of it.
 */
const UNASKED = new Proxy({} as Server, {
  get(_, name) {
    if (name === ('listWritable' satisfies keyof Server)) return () => [];
    if (name === ('samples' satisfies keyof Server)) return new Map();
    throw new UnaskedError(`${String(name)} is known of a running server alone.`);
  },
});

class UnaskedError extends Error {
  override readonly name = 'UnaskedError';
}

/** Returns the checks that no descriptor of these types rules out, so that they run for one. */
export function checksOf(types: readonly (readonly [World, string])[]): ReadonlySet<TypeCheck> {
  const described = types.map(([world, name]) => new Subject(UNASKED, world, name));
  return new Set(TYPE_CHECKS.filter((check) => described.some((one) => !isRuledOut(check, one))));
}

/**
 * Whether a type's descriptor rules a check out. A check that depends on the server isn't ruled
 * out.
 */
function isRuledOut(check: TypeCheck, described: Subject): boolean {
  try {
    return (findMissing(check, described) ?? check.applies?.(described) ?? null) !== null;
  } catch (error) {
    if (error instanceof UnaskedError || error instanceof NotApplicable) return false;
    throw error;
  }
}

/** Fails a test of what doesn't apply: `needs` or `applies` of its check should tell. */
function applicable(check: Check, to: string, reason: string | null): void {
  if (reason !== null) throw new Error(`${check.id} does not apply to ${to}: ${reason}`);
}
