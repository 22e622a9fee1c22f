import { describe, expect, it } from 'vitest';
import { CALLS, exitCodes, WRONG } from './first-generate.js';

const RUNS = { package: 50, repository: 5 };

describe.each(Object.keys(CALLS) as (keyof typeof CALLS)[])('generate of the %s', (call) => {
  it.each(Object.entries(WRONG))('exits with 2 for %s, each time', async (_, files) => {
    const codes = await exitCodes(call, files, RUNS[call]);
    expect(codes).toEqual(Array.from({ length: RUNS[call] }, () => 2));
  });
});
