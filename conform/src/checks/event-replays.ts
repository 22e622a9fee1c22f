import { expect } from 'expect';
import { typeChecks } from '../check.js';
import type { EventStream } from '../client/events.js';
import { StreamError } from '../client/no-answer.js';
import { NotApplicable } from '../not-applicable.js';
import type { Subject } from '../subject/subject.js';
import {
  awaitState,
  findAnother,
  listStates,
  listTypes,
  makeChange,
  readChanges,
} from './awaited-states.js';
import { withEvents } from './event-source.js';

/** RFC 8620 7.3: what a client that connects again is told of the time between. */

/** Makes a change and returns the id of its event. Throws NotApplicable where it has none. */
async function seeChange(subject: Subject): Promise<string> {
  const { server, A1, type } = subject;
  return await withEvents(server, { types: type }, async (stream) => {
    await awaitState(stream, A1, type, await makeChange(subject));
    return await stream.takeId().catch((error: unknown) => {
      if (!(error instanceof StreamError)) throw error;
      throw new NotApplicable('The server gives no event ids: nothing tells what was seen.');
    });
  });
}

/** Connects again with the id of the last event, and asks for changes of the type. */
const connectAgain = (
  { server, type }: Subject,
  lastEventId: string,
  work: (stream: EventStream) => Promise<void>,
): Promise<void> => withEvents(server, { types: type, lastEventId }, work);

export const eventReplayChecks = typeChecks('7.3', { methods: ['get', 'set'] }, [
  {
    id: 'events-missed',
    level: 'should',
    needs: { room: 2 },
    rule:
      'A client that connects again with the id of the last event is told at once what it has ' +
      'missed, with the present state.',
    run: async (subject) => {
      const lastEventId = await seeChange(subject);
      const missed = await makeChange(subject);
      await connectAgain(subject, lastEventId, async (stream) => {
        await awaitState(stream, subject.A1, subject.type, missed);
        expect(await stream.takeId()).not.toBe(lastEventId);
      });
    },
  },
  {
    id: 'events-missed-nothing',
    level: 'should',
    needs: { room: 2 },
    rule: 'One that has missed nothing is told of the next change alone.',
    run: async (subject) => {
      const { A1, type } = subject;
      const lastEventId = await seeChange(subject);
      await connectAgain(subject, lastEventId, async (stream) => {
        const state = await makeChange(subject);
        await awaitState(stream, A1, type, state);
        expect(listStates(readChanges(stream), A1, type)).toEqual([state]);
      });
    },
  },
  {
    id: 'events-missed-types',
    level: 'must',
    needs: { room: 3 },
    rule: 'Only the types that are asked for are told of changes that were missed.',
    applies: ({ world }) => (world.size > 1 ? null : 'No other type is described.'),
    run: async (subject) => {
      const other = findAnother(subject);
      const lastEventId = await seeChange(subject);
      try {
        await makeChange(other);
        await makeChange(subject);
        await connectAgain(subject, lastEventId, async (stream) => {
          await awaitState(stream, subject.A1, subject.type, await makeChange(subject));
          expect(listTypes(readChanges(stream))).toEqual([subject.type]);
        });
      } finally {
        await other.tidy();
      }
    },
  },
  {
    id: 'events-unknown-id-goes-on',
    level: 'must',
    rule: 'A stream that was opened with an id that the server never gave tells the next change.',
    run: (subject) =>
      connectAgain(subject, 'x-nobody', async (stream) => {
        await awaitState(stream, subject.A1, subject.type, await makeChange(subject));
      }),
  },
  {
    id: 'events-format',
    level: 'must',
    rule:
      'The stream is UTF-8 and has the form of event streams: `retry` is a number, an id has no ' +
      'NUL, and the media type names no other charset.',
    run: (subject) =>
      withEvents(subject.server, { types: subject.type }, async (stream) => {
        await awaitState(stream, subject.A1, subject.type, await makeChange(subject));
        expect(stream.wrong).toEqual([]);
        expect(stream.contentType).toMatch(/^text\/event-stream *(; *charset="?utf-8"? *)?$/i);
      }),
  },
]);
