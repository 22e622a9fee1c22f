import type { ModelProperty, ModelType } from '../../src/descriptor/model.js';
import type { ApiResponse, Call } from '../support/client.js';
import type { Json, JsonMap } from '../support/json.js';
import { typeOf } from './account.js';
import { Disagreement } from './agree.js';
import { Dice } from './dice.js';
import type { Event, Oracle } from './oracle.js';
import { Requests } from './requests.js';
import { isMap } from './schema.js';
import type { Session, Talker } from './session.js';
import type { Source } from './world.js';

/**
 * Several clients at once. The server says by states which call came first. The answers are put in
 * an order in which the model gives each of them, where every client's own calls follow each other.
 * A call whose states are not the model's is not the next one, so there is mostly one that can be.
 */

/** Calls that are tried before the order is given up: no round has needed a hundredth. */
const MOST = 50_000;

/** A round: each client sends its requests one after the other, all of them at the same time. */
export async function round(
  session: Session,
  talkers: readonly Talker[],
  numbers: readonly number[],
): Promise<number> {
  const [first] = talkers;
  if (first === undefined) throw new Error('There is no client.');
  const dice = new Dice(numbers);
  const sent = talkers.map(() =>
    Array.from({ length: 1 + dice.below(3) }, () => request(session, dice)),
  );
  const answers = await Promise.all(
    talkers.map(async (talker, n): Promise<(readonly [readonly Call[], ApiResponse])[]> => {
      const answered: (readonly [readonly Call[], ApiResponse])[] = [];
      for (const calls of sent[n] ?? []) answered.push([calls, await talker.api(calls)]);
      return answered;
    }),
  );
  const queues = answers.map((all) =>
    all.flatMap(([calls, response]) => session.oracle.events(calls, response)),
  );
  const reads = session.readsAll();
  const read = await first.api(reads);
  putInOrder(session.oracle, queues, session.oracle.events(reads, read));
  session.noteStates();
  return queues.flat().length;
}

/** Of a client that knows what it was told before the round. */
function request(session: Session, dice: Dice): readonly Call[] {
  const isSwapped = dice.chance(30);
  const [own = '', other = ''] = isSwapped ? [...session.accounts].reverse() : session.accounts;
  const requests = new Requests(session, dice, own, other);
  const act = dice.pick(['set', 'set', 'set', 'copy', 'query', 'queryChanges', 'changes', 'get']);
  const able = session.typeWith(dice, act);
  const name = able ?? session.typeWith(dice, 'get') ?? '';
  const get: Call = [`${name}/get`, requests.get(name), 'g'];
  const caches = session.queries.filter(
    ({ type, question }) => !readsUpdated(typeOf(session.types, type), question),
  );
  const cache = caches.length === 0 ? undefined : dice.pick(caches);
  switch (able === undefined ? 'set' : act) {
    case 'copy':
      return [[`${name}/copy`, requests.copy(name), 'c'], get];
    case 'query': {
      const args = withoutUpdated(typeOf(session.types, name), requests.query(name));
      const ids = { resultOf: 'q', name: `${name}/query`, path: '/ids' };
      return [
        [`${name}/query`, args, 'q'],
        [`${name}/get`, { accountId: own, '#ids': ids }, 'g'],
      ];
    }
    case 'queryChanges':
      return cache === undefined ? [get] : cache.calls({}).slice(0, 1);
    case 'changes':
      return [[`${name}/changes`, requests.changes(name), 'h'], get];
    case 'get':
      return [get];
    default: {
      const type = session.typeWith(dice, 'set') ?? '';
      const set: Call = [`${type}/set`, requests.set(type), 's'];
      return dice.chance(40) ? [set, [`${type}/get`, requests.get(type), 'g']] : [set];
    }
  }
}

/** When a cascade changed an object the model learns from /get, which is after the round. */
function withoutUpdated(
  type: ModelType,
  { filter = null, sort = null, ...rest }: JsonMap,
): JsonMap & { readonly sort: readonly Json[] } {
  const isUpdated = (property: ModelProperty | undefined) => property?.role === 'updated';
  const reads = (node: Json): boolean =>
    isMap(node) &&
    (Array.isArray(node['conditions'])
      ? node['conditions'].some(reads)
      : type.filters.some(({ name, property }) => name in node && isUpdated(property)));
  const comparators = (Array.isArray(sort) ? sort : []).filter((one) => {
    const found = type.sorts.find(({ name }) => isMap(one) && name === one['property']);
    return !isUpdated(found?.property);
  });
  return { ...rest, filter: reads(filter) ? null : filter, sort: comparators };
}

function readsUpdated(type: ModelType, question: JsonMap): boolean {
  const { filter = null, sort } = withoutUpdated(type, question);
  const asked = Array.isArray(question['sort']) ? question['sort'] : [];
  return sort.length < asked.length || (filter === null && (question['filter'] ?? null) !== null);
}

interface Place {
  /** How many of each client's events have had their turn. */
  readonly done: readonly number[];
  /** The accounts after each event, oldest first. */
  readonly past: readonly ReadonlyMap<string, Source>[];
  /** Where in `past` each client's last event is: what a copy read is not older. */
  readonly since: readonly number[];
}

const isRead = ({ call }: Event): boolean => !/\/(set|copy)$/.test(call);

/**
 * Takes all events into the model, in an order that explains them and what was read at the `end`.
 * Only that order tells what a copy had from its original.
 */
export function putInOrder(
  oracle: Oracle,
  queues: readonly (readonly Event[])[],
  end: readonly Event[],
): void {
  let tried = 0;
  let furthest = -1;
  let reasons = new Set<string>();

  const note = ({ done }: Place, event: Event, error: Disagreement): void => {
    const reached = done.reduce((a, b) => a + b, 0);
    if (reached < furthest) return;
    if (reached > furthest) reasons = new Set();
    furthest = reached;
    reasons.add(`${showEvent(event)}\n  ${error.message}`);
  };

  const tries = (place: Place, event: Event, source?: Place['past'][number]) => {
    tried += 1;
    if (tried > MOST) throw new Error(`No order was found in ${MOST} tries.`);
    const undo = oracle.mark(event.scope);
    try {
      oracle.step(event, source);
      return undo;
    } catch (error) {
      undo();
      if (!(error instanceof Disagreement)) throw error;
      note(place, event, error);
      return null;
    }
  };

  const endsSo = (place: Place): boolean => {
    const undos: (() => void)[] = [];
    for (const event of end) {
      const undo = tries(place, event);
      if (undo !== null) {
        undos.push(undo);
        continue;
      }
      for (const one of undos.reverse()) one();
      return false;
    }
    return true;
  };

  const goesOn = (place: Place): boolean => {
    const { done, past, since } = place;
    if (queues.every((queue, n) => done[n] === queue.length)) return endsSo(place);
    for (const [client, queue] of queues.entries()) {
      const event = queue[done[client] ?? 0];
      if (event === undefined) continue;
      // Octets and objects of a copy are read before its transaction begins: maybe some events ago.
      const isCopy = event.call.endsWith('/copy');
      const sources = isCopy ? past.slice(since[client] ?? 0).reverse() : [undefined];
      for (const source of sources) {
        const undo = tries(place, event, source);
        if (undo === null) continue;
        const next: Place = {
          done: done.with(client, (done[client] ?? 0) + 1),
          past: [...past, oracle.still()],
          since: since.with(client, past.length),
        };
        if (goesOn(next)) return true;
        undo();
        // A call that only reads might as well have been here: another order of it explains no
        // more.
        if (isRead(event)) return false;
      }
    }
    return false;
  };

  const none = queues.map(() => 0);
  if (goesOn({ done: none, past: [oracle.still()], since: none })) return;
  const all = queues.flatMap((queue, n) => queue.map((event) => `  ${n}: ${showEvent(event)}`));
  throw new Disagreement(
    `No order of what ${queues.length} clients were answered at once is the model's. After ` +
      `${furthest} answers:\n${[...reasons].join('\n')}\nThe answers by client, each client's in ` +
      `the order in which they came:\n${all.join('\n')}`,
  );
}

const showEvent = ({ call, args, answer }: Event): string => JSON.stringify([call, args, answer]);
