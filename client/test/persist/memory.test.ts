import { expect, it } from 'vitest';
import { memory } from '../../src/persist/memory.js';
import { describeStore } from './contract.js';

const store = memory();

describeStore('the store in memory', { makeStore: () => store });

it('two stores in memory have nothing in common', async () => {
  const [one, other] = [await memory().open('n'), await memory().open('n')];
  await one.commit([{ table: 'meta', key: 'k', value: 1 }], {});
  expect(await other.load('meta')).toEqual([]);
});
