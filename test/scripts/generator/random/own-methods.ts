import fc from 'fast-check';
import { expect } from 'vitest';
import { canonical } from './canonical.js';
import type { RandomDescriptor } from './descriptors.js';
import { madeOf } from './hook-files.js';
import { ACCOUNT_ID, type Served } from './serve.js';
import { type Json, valuesOf } from './values.js';

/**
 * Calls the own methods of a descriptor: each gives back its arguments and what its hook file
 * makes.
 */
export async function callMethods(
  served: Served,
  { methods = {}, $defs = {} }: RandomDescriptor,
  seed: number,
): Promise<void> {
  for (const [name, method] of Object.entries(methods)) {
    const account = method.account === 'none' ? {} : { accountId: ACCOUNT_ID };
    const made = madeOf(method.response.properties.made, $defs);
    for (const drawn of fc.sample(valuesOf(method.arguments, $defs), { seed, numRuns: 2 })) {
      const given = { ...(drawn as { [key: string]: Json }), ...account };
      const answer = await served.call(name, given, { isWhole: true });
      expect(canonical(answer), name).toBe(canonical({ given, made }));
    }
    const wrong = await served.call(name, { ...account, 'no argument': 1 }, { isWhole: true });
    expect(wrong.error, name).toBe('invalidArguments');
  }
}
