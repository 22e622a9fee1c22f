import { describe, expect, it } from 'vitest';
import { divideNested } from '../../../../scripts/generator/emit/nested-validators.js';
import { emitValidators } from '../../../../scripts/generator/emit/validators.js';
import { addIssues } from '../../../../src/capability/runtime.js';

/** A tree as the generator writes it out: each level holds two of the next. */
const tree = (level: number): Readonly<Record<string, unknown>> =>
  level === 0
    ? { title: 'Tree', beyondDepth: 12 }
    : {
        type: 'object',
        title: 'Tree',
        properties: { left: tree(level - 1), right: tree(level - 1), size: { type: 'integer' } },
      };

describe('levels of a definition that contains itself', () => {
  it('are functions of their own, however often a level has the next one', () => {
    const { schemas, definitions } = divideNested([{ properties: { a: tree(8), b: tree(8) } }]);
    expect([...definitions.keys()]).toEqual(Array.from({ length: 8 }, (_, n) => `Tree-${n + 1}`));
    expect(schemas).toEqual([{ properties: { a: { $ref: 'Tree-8' }, b: { $ref: 'Tree-8' } } }]);
    expect(definitions.get('Tree-2')).toEqual({
      type: 'object',
      title: 'Tree',
      properties: {
        left: { $ref: 'Tree-1' },
        right: { $ref: 'Tree-1' },
        size: { type: 'integer' },
      },
    });
  });

  it('make code that grows by the same with each level', () => {
    const lengthOf = (levels: number): number =>
      emitValidators([{ name: 'update', words: '', schema: tree(levels) }]).length;
    const step = lengthOf(5) - lengthOf(4);
    expect(lengthOf(10) - lengthOf(5)).toBeLessThan(5 * step * 1.1);
    expect(emitValidators([{ name: 'update', words: '', schema: tree(3) }])).not.toContain(
      'concat(',
    );
  });

  it('leave other schemas as they are', () => {
    const schema = { type: 'object', title: 'Plain', properties: { a: { type: 'string' } } };
    expect(divideNested([schema])).toEqual({ schemas: [schema], definitions: new Map() });
  });
});

it('addIssues keeps every rule, and of one rule a hundred at most', () => {
  const issue = (schemaPath: string) => ({
    instancePath: '/a',
    schemaPath,
    keyword: 'type',
    params: {},
  });
  const many = Array.from({ length: 1000 }, () => issue('#/a/type'));
  let kept = addIssues(null, many);
  for (let n = 0; n < 10; n += 1) kept = addIssues(kept, many);
  kept = addIssues(kept, [issue('#/b/type')]);
  expect(kept).toHaveLength(101);
  expect(addIssues(kept, null)).toBe(kept);
});
