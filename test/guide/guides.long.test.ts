import { afterAll, beforeAll, expect, it } from 'vitest';
import { usePostgresql } from '../support/postgresql.js';
import { guideNames } from './blocks.js';
import { GuideRunner } from './runner.js';

// Each guide but one begins with a copy of the project that the first one makes.
const DATABASE = 'postgresql://shop:PASSWORD@127.0.0.1:5432';
const postgresql = usePostgresql();
let runner: GuideRunner | undefined;

beforeAll(async () => {
  const { createDatabase } = postgresql();
  runner = await GuideRunner.open({
    [`${DATABASE}/shop`]: await createDatabase('shop'),
    [`${DATABASE}/trial`]: await createDatabase('trial'),
  });
  await runner.follow('first-type');
}, 600_000);

afterAll(async () => {
  await runner?.close();
});

/** The first one; and one with a test of its own, beside this one. */
const ALONE = ['first-type', 'browser'];

it.each(guideNames().filter((name) => !ALONE.includes(name)))(
  'docs/guide/%s.md does what it says',
  async (name) => {
    await runner?.follow(name);
  },
);

it('the guides are those that docs/README.md lists', () => {
  expect(guideNames()).toEqual([
    'browser',
    'client',
    'evolution',
    'first-type',
    'hooks',
    'identity',
    'production',
    'push',
    'sharing',
  ]);
});
