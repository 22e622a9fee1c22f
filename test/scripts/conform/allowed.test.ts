import { expect, it } from 'vitest';
import { CHECKS } from '../../../scripts/conform/checks/index.js';
import { ALLOWED } from './allowed.js';
import { allowedTests } from './allowed-tests.js';

it('names checks that there are', () => {
  const ids = CHECKS.map(({ id }) => id);
  expect(ALLOWED.flatMap(({ checks }) => checks).filter((id) => !ids.includes(id))).toEqual([]);
});

// Some of them; the others are in the long tier.
const SOME = /SetError|own in the responses|status alone|account that is not there|times/;
allowedTests(ALLOWED.filter(({ name }) => SOME.test(name)));
