import { afterAll, beforeAll, expect, it } from 'vitest';
import { usePostgresql } from '../support/postgresql.js';
import { guideNames } from './blocks.js';
import { GuideRunner } from './runner.js';

// Each guide goes on where the first one ends.
const postgresql = usePostgresql();
const runners: GuideRunner[] = [];
let first: GuideRunner;

beforeAll(async () => {
  first = await GuideRunner.open();
  runners.push(first);
  await first.follow('first-type');
}, 600_000);

afterAll(async () => {
  for (const runner of runners) await runner.close();
});

it.each(guideNames().filter((name) => name !== 'first-type'))(
  'docs/guide/%s.md does what it says',
  async (name) => {
    const { createDatabase } = postgresql();
    const runner = await first.fork({
      'postgresql://shop:PASSWORD@127.0.0.1:5432/shop': await createDatabase(`${name}_shop`),
      'postgresql://shop:PASSWORD@127.0.0.1:5432/trial': await createDatabase(`${name}_trial`),
    });
    runners.push(runner);
    await runner.follow(name);
  },
);

it('there are five guides', () => {
  expect(guideNames()).toEqual(['client', 'evolution', 'first-type', 'hooks', 'production']);
});
