import { describe, expect, it } from 'vitest';
import type { ValidationIssue, Validator } from '../../src/capability/validation.js';
import { judgeProperties } from '../../src/methods/issues.js';

/** Refuses lists with "wrong", makes each 1 outside of lists 2, and notes what it is given. */
function judging(seen: string[][]): Validator {
  const validator = (values: Record<string, unknown>): boolean => {
    seen.push(Object.keys(values));
    const errors: ValidationIssue[] = [];
    for (const [name, value] of Object.entries(values)) {
      if (value === 1) values[name] = 2;
      if (!Array.isArray(value) || !value.includes('wrong')) continue;
      errors.push({ instancePath: `/${name}/1`, schemaPath: '', keyword: 'type', params: {} });
    }
    (validator as Validator).errors = errors;
    return errors.length === 0;
  };
  return validator as Validator;
}

describe('values of properties are judged', () => {
  it('each large one alone, with a pause before it, if the validator left them out', () => {
    const seen: string[][] = [];
    const list = Array.from({ length: 20_000 }, () => 'wrong');
    const text = 'x'.repeat(20_000);
    const values = { list, one: 1, text, short: ['wrong'] };
    const steps = judgeProperties(judging(seen), values);
    let pauses = 0;
    let step = steps.next();
    for (; step.done !== true; step = steps.next()) pauses += 1;
    expect(pauses).toBe(3);
    expect(seen).toEqual([['one', 'short'], ['list'], ['text']]);
    expect(step.value.map(({ member, text }) => [member, text])).toEqual([
      ['short', '"short/1" breaks the rule type'],
      ['list', '"list/1" breaks the rule type'],
    ]);
    expect(values).toEqual({ list, one: 2, text, short: ['wrong'] });
  });
});
