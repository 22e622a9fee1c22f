import * as fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Client, MethodResponse } from '../support/client.js';
import { useFixtures } from '../support/fixtures.js';
import { sharedProject } from '../support/shared-project.js';
import { SocketClient } from '../support/socket-client.js';
import { Disagreement } from './agree.js';
import { FAULTS, falsified } from './falsify.js';
import { roundsAgree, sequences, sequencesAgree } from './sequences.js';
import { begin, type Exchange, replay, run, type Talker } from './session.js';
import { SUBJECTS, USING } from './worlds.js';

// Random sequences of all standard methods: a model of RFC 8620 and of the project's decisions
// would have given the same answers.
const { fixtures } = useFixtures(async () => ({ project: await sharedProject() }), ['A2']);

let socket: SocketClient | undefined;
beforeAll(async () => {
  socket = await SocketClient.open(fixtures().u1.with(USING));
});
afterAll(() => socket?.close());

/**
 * The same each time: what others find is for model.long.test.ts, and no reason to refuse another
 * change.
 */
const SEED = 8;

/** A slow machine does all of it, too. */
const SLOW = 120_000;

const accounts = () => [fixtures().A1, fixtures().A2];
const overHttp = (): Client => fixtures().u1.with(USING);
const overSocket = (): Client => {
  if (socket === undefined) throw new Error('The socket is there inside tests only.');
  return socket;
};

describe('random sequences answer as a model does', () => {
  for (const [name, types] of SUBJECTS) {
    it(
      `${name}, over HTTP`,
      async () => {
        const counts = { runs: 4, steps: 30, seed: SEED };
        expect(await sequencesAgree(overHttp(), types, accounts(), counts)).toBeGreaterThan(0);
      },
      SLOW,
    );

    it(
      `${name}, over a WebSocket`,
      async () => {
        const counts = { runs: 3, steps: 20, seed: SEED };
        expect(await sequencesAgree(overSocket(), types, accounts(), counts)).toBeGreaterThan(0);
      },
      SLOW,
    );
  }
});

describe('several clients at once are answered in an order that a model explains', () => {
  for (const [name, types] of SUBJECTS) {
    it(
      `${name}, two over HTTP and two over a WebSocket`,
      async () => {
        const talkers = [overHttp(), overSocket(), overHttp(), overSocket()];
        const counts = { runs: 3, steps: 8, seed: SEED };
        expect(await roundsAgree(talkers, types, accounts(), counts)).toBeGreaterThan(0);
      },
      SLOW,
    );
  }
});

describe('several clients at once: answers that no order explains', () => {
  it.each(['get: an object is left out', 'set: oldState of another moment'])(
    '%s',
    async (title) => {
      const fault = FAULTS.get(title);
      if (fault === undefined) throw new Error(`There is no fault ${title}.`);
      const wrong: Talker = {
        api: async (calls) => {
          const response = await overHttp().api(calls);
          const methodResponses = response.methodResponses.map((one): MethodResponse => {
            const [name, args, callId] = one;
            const isItsMethod = name.endsWith(`/${title.slice(0, title.indexOf(':'))}`);
            return [name, (isItsMethod ? fault(args, name) : null) ?? args, callId];
          });
          return { ...response, methodResponses };
        },
      };
      const talkers = [overHttp(), overSocket(), wrong];
      const types = SUBJECTS.get('Todo') ?? new Map();
      // The first rounds mostly show it; in which one the wrong client has something to answer is
      // by chance.
      const counts = { runs: 500, steps: 8, seed: SEED };
      await expect(roundsAgree(talkers, types, accounts(), counts)).rejects.toThrow(
        /No order .*clients/,
      );
    },
    SLOW,
  );
});

describe('the model finds what a server does wrong', () => {
  it('each of the faults, in recorded answers', async () => {
    const types = SUBJECTS.get('Gadget') ?? new Map();
    // The same numbers each time, so that every fault shows.
    const [sequence = []] = fc.sample(
      sequences(150).filter((one) => one.length > 120),
      {
        seed: 5,
        numRuns: 1,
      },
    );
    const session = await begin(overHttp(), types, accounts());
    await run(session, sequence);
    const comesTo = (exchanges: readonly Exchange[]): string => {
      try {
        replay(types, session.begun, exchanges);
        return 'agreed';
      } catch (error) {
        if (error instanceof Disagreement) return 'found';
        throw error;
      }
    };
    expect(comesTo(session.exchanges)).toBe('agreed');
    const outcomes = [...FAULTS].map(([title, fault]) => {
      const wrong = falsified(session.exchanges, title, fault);
      return [title, wrong === null ? 'does not show' : comesTo(wrong)] as const;
    });
    const expected = [...FAULTS.keys()].map((title) => [title, 'found'] as const);
    expect(Object.fromEntries(outcomes)).toEqual(Object.fromEntries(expected));
  });
});
