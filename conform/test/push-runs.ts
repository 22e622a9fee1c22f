import { afterAll, beforeAll } from 'vitest';
import { isOfPush } from '../../test/conformance/checks.js';
import { CHECKS } from '../src/checks/index.js';
import { bearer } from '../src/client/credentials.js';
import type { Outcome } from '../src/outcome.js';
import { PushSink } from '../src/push/sink.js';
import { run } from '../src/run.js';
import { readWorld } from '../src/subject/described.js';
import { Server } from '../src/subject/server.js';
import { CERTIFICATE } from './certificate.js';
import type { PushFlaw } from './push-flaws.js';
import { PUSHED, PushServer } from './push-server.js';

const IDLE = { planned: () => undefined, started: () => undefined, ended: () => undefined };
const world = readWorld([PUSHED]);

/** The ids of the checks of push subscriptions. */
export const PUSH_IDS: readonly string[] = CHECKS.filter(isOfPush).map(({ id }) => id);

interface PushRun {
  /** The flaw of the server; null for none. */
  readonly flaw: PushFlaw | null;
  readonly checks: readonly string[];
  /** Without a sink no push reaches the runner. */
  readonly hasSink?: boolean;
  /** ms in which a push must come. */
  readonly patience?: number;
}

interface PushRan {
  readonly outcomes: readonly Outcome[];
  /** Subscriptions that are left. */
  readonly left: number;
}

/** Returns what runs checks against a server of push subscriptions, in the tests of a file. */
export function usePushRuns(): (options: PushRun) => Promise<PushRan> {
  let sink: PushSink | undefined;
  beforeAll(async () => {
    sink = await PushSink.start({ url: 'https://127.0.0.1:0/', port: 0, certificate: CERTIFICATE });
  });
  afterAll(() => sink?.close());
  return async ({ flaw, checks, hasSink = true, patience = 4000 }) => {
    const pushing = await PushServer.start(flaw);
    const server = await Server.connect({
      ...{ url: pushing.url, authorization: bearer('mine'), others: [bearer('theirs')] },
      ...{ wire: { patience }, strict: false, ...(hasSink && sink ? { sink } : {}) },
    });
    try {
      const selection = { checks, types: ['Thing', 'Gizmo'] };
      const outcomes = await run({ server, world, checks: CHECKS, selection }, IDLE);
      return { outcomes, left: pushing.count };
    } finally {
      server.close();
      pushing.close();
    }
  };
}
