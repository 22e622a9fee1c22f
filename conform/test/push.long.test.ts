import { expect, it } from 'vitest';
import { PUSH_IDS, usePushRuns } from './push-runs.js';

const ran = usePushRuns();

it('all checks of push pass, those of types for one, and nothing stays', async () => {
  const { outcomes, left } = await ran({ flaw: null, checks: PUSH_IDS });
  const wrong = outcomes.filter(({ status }) => status === 'failed' || status === 'defect');
  expect(wrong.map(({ check, failure }) => [check.id, failure?.message])).toEqual([]);
  const passed = outcomes.filter(({ status }) => status === 'passed');
  expect(passed.map(({ check }) => check.id).sort()).toEqual([...PUSH_IDS].sort());
  expect(left).toBe(0);
});
