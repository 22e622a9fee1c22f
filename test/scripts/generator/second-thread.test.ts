import { afterEach, expect, test } from 'vitest';
import type { DiffRequest } from '../../../scripts/generator/migrations/engine.js';
import { JOBS } from '../../../scripts/generator/thread/jobs.js';
import { SecondThread } from '../../../scripts/generator/thread/second.js';

/** From sources, as here, the generator itself starts no thread: test/package runs it compiled. */
const MODULE = new URL('./thread-from-sources.mjs', import.meta.url);

const MODULES = [
  [
    { name: 'update', words: 'New values.', schema: { type: 'string', maxLength: 3 } },
    { name: 'create', words: 'A whole one.', schema: { $ref: 'update' } },
  ],
];

const NEW_TABLE: DiffRequest = {
  provider: 'sqlite',
  from: null,
  to: 'datasource db {\n  provider = "sqlite"\n}\n\nmodel A {\n  id String @id\n}\n',
};

let thread: SecondThread | undefined;

afterEach(async () => {
  await thread?.end();
  thread = undefined;
});

function started(): SecondThread {
  thread = new SecondThread(MODULE);
  return thread;
}

test('a second thread gives the very texts that this one gives', async () => {
  const there = started();
  const texts = await Promise.all([
    there.do('validators', [MODULES]),
    there.do('diff', [NEW_TABLE]),
    there.do('validators', [[]]),
  ]);
  expect(texts).toEqual([await JOBS.validators(MODULES), await JOBS.diff(NEW_TABLE), []]);
  expect(texts[1]).toContain('CREATE TABLE "A"');
});

test('an error of a job is thrown here with its message, and the next job is done', async () => {
  const there = started();
  const schema = { nonsense: true };
  const wrong = [[{ name: 'a', words: '', schema }]];
  await expect(there.do('validators', [wrong])).rejects.toThrow(/unknown keyword: "nonsense"/);
  await expect(there.do('diff', [{ ...NEW_TABLE, to: 'nonsense' }])).rejects.toThrow();
  await expect(there.do('validators', [[]])).resolves.toEqual([]);
});

test('a thread that ends leaves nobody waiting', async () => {
  const there = started();
  const first = there.do('validators', [MODULES]);
  const told = expect(first).rejects.toThrow('The second thread ended too early.');
  await there.end();
  await told;
  await expect(there.do('validators', [[]])).rejects.toThrow('ended too early');
});

test('a thread that cannot start says why', async () => {
  thread = new SecondThread(new URL('./there-is-none.js', import.meta.url));
  await expect(thread.do('validators', [[]])).rejects.toThrow(/Cannot find module/);
});
