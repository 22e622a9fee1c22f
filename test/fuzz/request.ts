import type { Call } from '../support/client.js';
import type { Json, JsonMap } from '../support/json.js';
import type { Draw } from './draw.js';
import { mutated } from './mutate.js';
import { oddCall, oddName, oddValue, withReference } from './odd.js';
import { type Body, bodyOf } from './text.js';
import { validCall } from './valid.js';

/** One request of a run, before it is known how it is sent. */
export interface FuzzRequest extends Body {
  readonly number: number;
  /**
   * Made as the specifications have it: it must be answered, and no call's arguments be refused.
   */
  readonly clean: boolean;
}

/** The envelope of request `draw.number`: valid, near valid, or changed anywhere. */
export function makeRequest(draw: Draw): FuzzRequest {
  const calls = callsOf(draw);
  const using = [...draw.world.capabilities];
  let tree: Json = { using, methodCalls: calls as unknown as Json };
  if (draw.chance(0.15)) tree['createdIds'] = createdIds(draw);
  if (draw.chance(0.04)) oddEnvelope(draw, tree);
  const changes = draw.weighted<number>([
    [6, () => 0],
    [2, () => 1],
    [1, () => draw.integer(2, 4)],
  ]);
  for (let n = 0; n < changes; n += 1) tree = mutated(draw, tree);
  const body = bodyOf(draw, tree);
  return { ...body, number: draw.number, clean: draw.clean };
}

function callsOf(draw: Draw): Call[] {
  const count = draw.weighted<number>([
    [10, () => 1],
    [5, () => 2],
    [3, () => draw.integer(3, 5)],
  ]);
  const callIds = Array.from({ length: count }, (_, n) => `c${n}`);
  return callIds.map((callId) => {
    const call = draw.chance(0.55) ? validCall(draw, callId) : oddCall(draw, callId);
    return draw.chance(0.15) ? withReference(draw, call, callIds) : call;
  });
}

function createdIds(draw: Draw): JsonMap {
  const known = draw.pool.of(`${draw.pick(draw.world.types).name}/id`);
  return Object.fromEntries(draw.some(known, 3).map((id, n) => [`k${n}`, id]));
}

function oddEnvelope(draw: Draw, tree: JsonMap): void {
  draw.odd(null);
  draw.weighted<unknown>([
    [2, () => (tree['using'] = draw.some(draw.world.capabilities, 3))],
    [1, () => (tree['using'] = ['urn:nobody', oddName(draw)])],
    [1, () => (tree['using'] = oddValue(draw))],
    [1, () => (tree['methodCalls'] = oddValue(draw))],
    [1, () => (tree['methodCalls'] = [])],
    [1, () => (tree['methodCalls'] = echoes(draw.pick([31, 32, 33, 200])))],
    [1, () => (tree['createdIds'] = oddValue(draw))],
    [1, () => (tree['createdIds'] = manyIds(draw.pick([4096, 4097])))],
    [1, () => (tree[oddName(draw)] = oddValue(draw))],
    [1, () => (tree['methodCalls'] = doubling())],
    [1, () => (tree['padding'] = 'x'.repeat(draw.pick([60_000, 99_000, 100_500])))],
  ]);
}

const echoes = (count: number): Json =>
  Array.from({ length: count }, (_, n) => ['Core/echo', { n }, `c${n}`]);

const manyIds = (count: number): JsonMap =>
  Object.fromEntries(Array.from({ length: count }, (_, n) => [`k${n}`, `i${n}`]));

/** Each call has what the one before answered, twice. */
function doubling(): Json {
  const calls: Json[] = [['Core/echo', { a: 'x'.repeat(100) }, 'c0']];
  for (let n = 1; n < 32; n += 1) {
    const whole = { resultOf: `c${n - 1}`, name: 'Core/echo', path: '' };
    calls.push(['Core/echo', { '#a': whole, '#b': whole }, `c${n}`]);
  }
  return calls;
}
