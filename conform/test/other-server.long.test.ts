import { expect, it } from 'vitest';
import { CHECKS } from '../src/checks/index.js';
import type { JsonMap } from '../src/client/json.js';
import { readWorld } from '../src/subject/described.js';
import { OWN, ran, statuses } from './other-runs.js';
import { OtherServer, THINGS } from './other-server.js';

it('a pattern costs no checks: texts are drawn from it', async () => {
  const name = 'name: { type: string, maxLength: 100';
  const pattern = '^[A-Z]{2}-[0-9]{4}$';
  const text = THINGS.text.replace(name, `${name}, pattern: "${pattern}"`);
  const rule =
    (regex: RegExp) =>
    ({ name: value }: JsonMap): JsonMap | undefined =>
      typeof value === 'string' && regex.test(value)
        ? undefined
        : { type: 'invalidProperties', properties: ['name'] };
  const all = CHECKS.filter(({ scope }) => scope === 'type').map(({ id }) => id);
  const accounts = { a: OWN, b: OWN };
  const free = await ran(await OtherServer.start({ accounts, rule: rule(/^.{0,100}$/su) }), all);
  const other = await OtherServer.start({ accounts, rule: rule(new RegExp(pattern)) });
  const bound = await ran(other, all, { world: readWorld([{ ...THINGS, text }]) });
  const [before, after] = [free, bound].map(statuses);
  const differing = all.filter((id) => before?.[id] !== after?.[id]);
  // No text of other scripts, or of any length, is one of the pattern's.
  expect(differing.map((id) => [id, after?.[id]])).toEqual([
    ['get-unicode', 'notApplicable'],
    ['set-text-length', 'notApplicable'],
  ]);
  expect(Object.values(after ?? {}).filter((one) => one === 'passed').length).toBeGreaterThan(50);
  expect(other.ids).toEqual([]);
});
