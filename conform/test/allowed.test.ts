import { expect, it } from 'vitest';
import { ALL_CHECKS } from '../../test/conformance/checks.js';
import { ALLOWED, ANYWHERE } from './allowed.js';
import { allowedTests } from './allowed-tests.js';

it('names checks that there are', () => {
  const ids = ALL_CHECKS.map(({ id }) => id);
  const named = [
    ...[...ALLOWED, ...ANYWHERE].flatMap(({ checks }) => checks),
    ...ALLOWED.flatMap(({ decisions }) => decisions),
  ];
  expect(named.filter((id) => !ids.includes(id))).toEqual([]);
});

// Some of them; the others are in the long tier.
const SOME =
  /SetError|own in the responses|status alone|account that is not there|times|oldState|removed/;
allowedTests(
  ALLOWED.filter(({ name }) => SOME.test(name)),
  ANYWHERE.filter(({ name }) => SOME.test(name)),
);
