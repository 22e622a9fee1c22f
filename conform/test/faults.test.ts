import { describe, expect, it } from 'vitest';
import { CHECKS } from '../src/checks/index.js';
import { faultTests } from './fault-tests.js';
import { FAULTS } from './faults/index.js';

const ids = CHECKS.map(({ id }) => id);

describe('each check of the runner', () => {
  it('has an id of its own', () => {
    expect(new Set(ids).size).toBe(CHECKS.length);
  });

  it('has a fault that it must notice, and no fault names another', () => {
    const noticed = new Set(FAULTS.flatMap(({ checks }) => checks));
    expect(ids.filter((id) => !noticed.has(id))).toEqual([]);
    expect([...noticed].filter((id) => !ids.includes(id))).toEqual([]);
  });
});

// Some of each section: all of them take minutes, and are in the long tier.
const seen = new Set<string>();
const some = CHECKS.filter(({ specification, section }) => {
  const name = `${specification} ${section}`;
  return !seen.has(name) && seen.add(name);
});
faultTests(FAULTS, some);
