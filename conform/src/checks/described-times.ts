import { expect } from 'expect';
import type { ModelProperty } from '../../../src/descriptor/model.js';
import { typeChecks } from '../check.js';
import { entry, type Matcher, satisfying } from '../expected.js';
import { NotApplicable } from '../not-applicable.js';
import { listWritable } from '../subject/described.js';
import type { Server } from '../subject/server.js';
import type { Subject } from '../subject/subject.js';

/** `default: { now: true }`: the time of a create that gives none. */

/** ms that the clocks of a server's machines may be apart. */
const SLACK = 60_000;

const HOUR = 3_600_000;

/** Returns the properties that a create without them sets to the present time. */
const findTimed = (subject: Subject): readonly ModelProperty[] =>
  listWritable(subject.described).filter(
    (one) => one.defaultNow === true && !subject.isSampled(one),
  );

/** Returns the present time by the server's clock, in ms since 1970 (RFC 9110 6.6.1). */
async function readClock({ user }: Server): Promise<number> {
  const { headers } = await user.http.send(user.session.url);
  const now = Date.parse(headers.get('date') ?? '');
  if (Number.isNaN(now)) throw new NotApplicable('The answers of the server have no Date.');
  return now;
}

/**
 * Matches a time between two moments. One without an offset may be of any time zone, where it isn't
 * known that the server means UTC.
 */
function matchTime(
  { format }: ModelProperty,
  isStrict: boolean,
  [from, to]: readonly [number, number],
): Matcher {
  const isLocal = format === 'local-date-time' || format === 'local-date';
  const zones = isLocal && !isStrict ? 14 * HOUR : 0;
  // Of a day, its start.
  const day = format === 'local-date' ? 24 * HOUR : 0;
  const [low, high] = [from - SLACK - zones - day, to + SLACK + zones];
  const words = `a time from ${new Date(low).toISOString()} to ${new Date(high).toISOString()}`;
  return satisfying(words, (text) => {
    const zoned = format === 'local-date-time' ? `${text}Z` : String(text);
    const moment = Date.parse(zoned);
    return typeof text === 'string' && moment >= low && moment <= high;
  });
}

export const describedTimeChecks = typeChecks('5.3', { methods: ['get', 'set'] }, [
  {
    id: 'described-times-now',
    level: 'must',
    rule:
      'A date whose default is the present time has it after a create without it, whose response ' +
      'tells it, and after an update to null.',
    restsOn: 'which dates have the present time as default',
    applies: (subject) =>
      findTimed(subject).length > 0 ? null : 'No date of the type has the present time as default.',
    async run(subject) {
      const { server } = subject;
      const before = await readClock(server);
      const { created } = await subject.set({ create: { k: subject.create('put') } });
      const made = entry(created, 'k');
      const item = await subject.read(made.id);
      const after = await readClock(server);
      for (const property of findTimed(subject)) {
        const { name, access } = property;
        const time = matchTime(property, server.strict, [before, after]);
        const told = made[name];
        expect({ [name]: [told, item[name]] }).toEqual({ [name]: [time, told] });
        if (access !== 'mutable') continue;
        await subject.update(made.id, { [name]: subject.listGood(property)[0] ?? null });
        const { set } = await subject.update(made.id, { [name]: null });
        const now = (await subject.read(made.id))[name];
        const again = matchTime(property, server.strict, [before, await readClock(server)]);
        // A client has asked for the default: not every server tells it again.
        const toldAgain = server.strict ? set?.[name] : (set?.[name] ?? now);
        expect({ [name]: [toldAgain, now] }).toEqual({ [name]: [again, toldAgain] });
      }
    },
  },
]);
