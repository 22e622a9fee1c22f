import { describe, expect, it } from 'vitest';
import { ALL_CHECKS, isOfSharing } from '../../test/conformance/checks.js';
import { ALLOWED } from './allowed.js';
import { faultTests } from './fault-tests.js';
import { FAULTS } from './faults/index.js';
import { PUSH_FLAWS } from './push-flaws.js';
import { SHARING_FAULTS } from './sharing-tests.js';

const ids = ALL_CHECKS.map(({ id }) => id);

describe('each check of the runner', () => {
  it('has an id of its own', () => {
    expect(new Set(ids).size).toBe(ALL_CHECKS.length);
  });

  it('has a fault that it must notice, and no fault names another', () => {
    const noticed = new Set([
      ...FAULTS.flatMap(({ checks }) => checks),
      ...ALLOWED.flatMap(({ decisions }) => decisions),
      ...Object.values(PUSH_FLAWS).flat(),
      ...SHARING_FAULTS.flatMap(({ checks }) => checks),
    ]);
    expect(ids.filter((id) => !noticed.has(id))).toEqual([]);
    expect([...noticed].filter((id) => !ids.includes(id))).toEqual([]);
  });
});

// One of each section, by the first fault that it must notice: all of them take minutes, and are in
// the long tier.
const seen = new Set<string>();
const some = ALL_CHECKS.filter((one) => !isOfSharing(one)).filter(({ specification, section }) => {
  const name = `${specification} ${section}`;
  return !seen.has(name) && seen.add(name);
});
const first = new Set(
  some.flatMap(({ id }) => FAULTS.find(({ checks }) => checks.includes(id)) ?? []),
);
// Without a proxy they all pass in test/conformance/standard.test.ts.
faultTests({ faults: [...first], checks: some, passing: some.slice(0, 3) });
