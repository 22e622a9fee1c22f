import { describe, expect, it } from 'vitest';
import type { ValidationIssue, Validator } from '../../src/capability/validation.js';
import { complaintSteps } from '../../src/methods/issues.js';

/**
 * Needs `small`, refuses "wrong" in lists, makes each 1 of a list of one item 2, and notes what it
 * is given.
 */
function judging(required: boolean, seen: string[][]): Validator {
  const validator = ((data: Record<string, unknown>): boolean => {
    seen.push(Object.keys(data));
    const errors: ValidationIssue[] = [];
    if (required && !('list' in data)) {
      errors.push({
        instancePath: '',
        schemaPath: '',
        keyword: 'required',
        params: { missingProperty: 'list' },
      });
    }
    if (required && !('small' in data)) {
      errors.push({
        instancePath: '',
        schemaPath: '',
        keyword: 'required',
        params: { missingProperty: 'small' },
      });
    }
    const { list } = data;
    if (Array.isArray(list) && list.includes('wrong')) {
      errors.push({ instancePath: '/list/1', schemaPath: '', keyword: 'type', params: {} });
    }
    validator.errors = errors;
    return errors.length === 0;
  }) as unknown as Validator & { errors: unknown };
  return validator;
}

describe('an object with large properties', () => {
  it('is judged with a pause before each of them, and nothing of it is missing', () => {
    const seen: string[][] = [];
    const data = {
      list: Array.from({ length: 20_000 }, () => 'wrong'),
      text: 'x'.repeat(20_000),
    };
    const steps = complaintSteps(judging(true, seen), data, judging(false, seen));
    let pauses = 0;
    let step = steps.next();
    for (; step.done !== true; step = steps.next()) pauses += 1;
    expect(pauses).toBe(2);
    expect(seen).toEqual([[], ['list'], ['text']]);
    expect(step.value.map(({ member, text }) => [member, text])).toEqual([
      ['small', '"small" is missing'],
      ['list', '"list/1" breaks the rule type'],
    ]);
  });

  it('that are small is judged at once', () => {
    const seen: string[][] = [];
    const step = complaintSteps(judging(true, seen), { list: ['a', 'b'], small: 1 }).next();
    expect(step).toEqual({ done: true, value: [] });
    expect(seen).toEqual([['list', 'small']]);
  });
});
