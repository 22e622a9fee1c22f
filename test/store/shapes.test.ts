import { describe, expect, it } from 'vitest';
import type { DataTypeDefinition, FilterDefinition } from '../../src/capability/definition.js';
import type { JsonValue } from '../../src/protocol/json.js';
import type { FilterNode, QueryPlan, SortKey } from '../../src/store/port.js';
import { postgresql } from '../../src/store/postgresql/dialect.js';
import type { Dialect } from '../../src/store/sql/dialect.js';
import { raw, render } from '../../src/store/sql/fragment.js';
import { windowQuery } from '../../src/store/sql/query.js';
import { sqlite } from '../../src/store/sqlite/dialect.js';
import { Random } from '../support/random.js';
import { Gadget } from './gadget.js';

/** Windows that are composed once for their shape, beside those of filters that are too large for that. */

const DIALECTS: readonly Dialect[] = [sqlite, postgresql];
const ROUNDS = Number(process.env['TEST_ROUNDS'] ?? 400);

/** Each filter once more with an index. */
const FILTERED: readonly FilterDefinition[] = Gadget.filters.flatMap((each) => [
  each,
  { ...each, name: `${each.name}Indexed`, indexed: true as const },
]);
const TYPE: DataTypeDefinition = { ...Gadget, filters: FILTERED };

/** The same filter among so many that ask for nothing that it is composed for its values. */
function large(filter: FilterNode): FilterNode {
  const nothing = Array.from({ length: 40 }, (): FilterNode => ({ kind: 'all' }));
  return { kind: 'operator', operator: 'AND', conditions: [filter, ...nothing] };
}

function valueFor({ property, operator }: FilterDefinition, random: Random): JsonValue {
  if (operator === 'isNull') return random.chance(0.5);
  if (operator === 'equals' && random.integer(0, 3) === 0) return null;
  const one = (): JsonValue => {
    switch (property.kind) {
      case 'boolean':
        return random.chance(0.5);
      case 'integer':
      case 'number':
        return random.integer(-5, 5);
      case 'date':
        return `20${random.integer(10, 99)}-01-01T00:00:00Z`;
      default:
        return random.pick(['Éa', 'two words', 'x', '', 'é"\\', '2020-01-01T00:00:00+01:00']);
    }
  };
  if (operator !== 'in') return one();
  return [one(), random.chance(0.5) ? one() : null];
}

function drawFilter(random: Random, depth: number): FilterNode {
  if (depth === 0 || random.integer(0, 2) > 0) {
    const filter = random.pick(FILTERED);
    return { kind: 'condition', filter, value: valueFor(filter, random) };
  }
  if (random.integer(0, 9) === 0) return { kind: random.pick(['all', 'none'] as const) };
  const conditions = Array.from({ length: random.integer(1, 4) }, () =>
    drawFilter(random, depth - 1),
  );
  return { kind: 'operator', operator: random.pick(['AND', 'OR', 'NOT'] as const), conditions };
}

function drawPlan(random: Random): QueryPlan {
  const sort = Gadget.sorts
    .filter(() => random.integer(0, 3) === 0)
    .map(
      (each): SortKey => ({
        sort: each,
        ascending: random.chance(0.5),
        collation: random.pick(['i;unicode-casemap', 'i;octet'] as const),
      }),
    );
  return { filter: drawFilter(random, random.integer(0, 3)), sort };
}

describe('a window that is composed once for its shape', () => {
  it('is the one that is composed for its values', () => {
    const random = new Random(7);
    let recurring = 0;
    for (let round = 0; round < ROUNDS; round += 1) {
      const plan = drawPlan(random);
      const dialect = random.pick(DIALECTS);
      const window = { position: random.integer(0, 9), limit: random.integer(1, 99) };
      const list = raw(random.pick(['"id"', 'json_quote("id") AS "row"']));
      const leads = random.chance(0.5);
      // Everything has a statement of its own.
      if (plan.filter.kind === 'all') continue;
      const compose = (asked: QueryPlan) =>
        windowQuery({ type: TYPE, accountId: `a${round}`, dialect }, asked, window, {
          list,
          leads,
        });
      const known = compose(plan);
      const anew = compose({ ...plan, filter: large(plan.filter) });
      expect(anew.recurs).toBeUndefined();
      expect(render(known, dialect.placeholder)).toBe(render(anew, dialect.placeholder));
      expect(known.values).toEqual(anew.values);
      expect(known.scans).toBe(anew.scans);
      if (known.recurs === true) recurring += 1;
    }
    expect(recurring).toBeGreaterThan(ROUNDS / 10);
  });

  it('is forgotten where shapes are long, before they are many', () => {
    const filter = FILTERED.find(
      ({ operator, property }) => operator === 'equals' && property.nullable,
    );
    if (filter === undefined) throw new Error('Some property may be null.');
    const windowOf = (round: number) => {
      const conditions = Array.from({ length: 20 }, (_, at): FilterNode => {
        return { kind: 'condition', filter, value: (round >> at) % 2 === 1 ? null : 'x' };
      });
      const plan: QueryPlan = {
        filter: { kind: 'operator', operator: 'AND', conditions },
        sort: [],
      };
      const list = raw(`'${'x'.repeat(2000)}' AS "row"`);
      return windowQuery(
        { type: Gadget, accountId: 'a', dialect: sqlite },
        plan,
        { position: 0, limit: 1 },
        { list },
      ).texts;
    };
    const [first, again] = [windowOf(0), windowOf(0)];
    expect(again).toBe(first);
    for (let round = 1; round < 150; round += 1) windowOf(round);
    expect(windowOf(0)).toEqual(first);
    for (let round = 1; round < 150; round += 1) windowOf(round);
    expect(windowOf(0)).not.toBe(first);
  });
});
