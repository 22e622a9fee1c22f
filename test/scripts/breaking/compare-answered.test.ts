import { expect, it } from 'vitest';
import { compareModels } from '../../../scripts/generator/breaking/compare.js';
import type {
  Model,
  ModelAnswered,
  ModelProperty,
  ModelType,
} from '../../../src/descriptor/model.js';
import { model, property, type } from '../migrations/models.js';

const AT = { file: 'capabilities/todos.yaml', line: 1, column: 1 };

function answered(name: string, more: Partial<ModelAnswered> = {}): ModelAnswered {
  const schema = { type: 'string' as const };
  return { name, sources: ['text'], description: '', schema, at: AT, ...more };
}

type Parts = Pick<Partial<ModelType>, 'answered' | 'query'> & {
  readonly text?: Partial<ModelProperty>;
};

function lines(before: Parts, after: Parts): readonly string[] {
  const methods = (['query', 'queryChanges'] as const).map((name) => ({ name, at: AT }));
  const of = ({ text = {}, ...more }: Parts) =>
    model([
      type('Todo', [property('text', 'string', { default: '', ...text })], { methods, ...more }),
    ]);
  return compareModels(of(before), of(after)).map(
    ({ layer, breaking, where, what }) =>
      `${breaking ? 'breaking' : 'fine'} ${layer} ${where}: ${what}`,
  );
}

it('breaking: an answered property that comes is fine, and one that goes breaks clients', () => {
  const [one, other] = [answered('preview'), answered('size')];
  expect(lines({ answered: [one] }, { answered: [other] })).toEqual([
    'fine wire Todo.size: answered property added',
    'breaking wire Todo.preview: answered property removed',
  ]);
});

it('breaking: tells what clients see of other values and of requests', () => {
  const was = answered('preview');
  const now = answered('preview', { optional: true, onRequest: true, schema: { type: 'integer' } });
  expect(lines({ answered: [was] }, { answered: [now] })).toEqual([
    'breaking wire Todo.preview: is given only on request now',
    'breaking wire Todo.preview: may be absent now',
    expect.stringContaining('breaking wire Todo.preview: its values changed'),
  ]);
  expect(lines({ answered: [now] }, { answered: [was] }).slice(0, 2)).toEqual([
    'fine wire Todo.preview: is given without a request, too',
    'fine wire Todo.preview: is never absent any more',
  ]);
  expect(lines({}, { text: { onRequest: true } })).toEqual([
    'breaking wire Todo.text: is given only on request now',
  ]);
});

it('breaking: tells with which stored properties an answered one changes now', () => {
  const by = (...sources: readonly string[]) => ({ answered: [answered('preview', { sources })] });
  expect(lines(by('text', 'due'), by('due', 'text'))).toEqual([]);
  expect(lines(by('text', 'due'), by('text', 'done', 'rank'))).toEqual([
    'fine sync Todo.preview: changes with due no more',
    'fine sync Todo.preview: changes with done, rank too',
  ]);
  const [old, now] = ['text', 'words'].map((name) => {
    const more = name === 'text' ? {} : { renamedFrom: 'text' };
    return model([type('Todo', [property(name, 'string', more)], by(name))]);
  });
  const told = compareModels(old as Model, now as Model);
  expect(told.filter(({ what }) => what.startsWith('changes with'))).toEqual([]);
});

it('breaking: a family may have further names, and keeps those that it has', () => {
  const family = (...parts: NonNullable<ModelAnswered['parts']>) => ({
    answered: [answered('header:*', { onRequest: true, parts })],
  });
  const [field, form] = [{ key: 'field' }, { key: 'form', optional: true as const }];
  const narrow = family(field, { ...form, values: ['asText'] });
  const wide = family(field, { ...form, values: ['asText', 'asDate'] });
  expect(lines(family(field), narrow)).toEqual([
    'fine wire Todo.header:*: its names changed: all old ones are left',
  ]);
  expect(lines(narrow, wide)).toEqual([
    'fine wire Todo.header:*: its names changed: all old ones are left',
  ]);
  expect(lines(wide, narrow)).toEqual(['breaking wire Todo.header:*: its names changed']);
});

it('breaking: a shape of results that goes, or is by another property, breaks clients', () => {
  const tree = (by: string) => ({ query: { tree: { by, sort: 'sortAsTree' } } });
  const both = (what: string) => ['query', 'queryChanges'].map((verb) => `${what} Todo/${verb}`);
  expect(lines({}, tree('a')).map((line) => line.replace(/: .*/, ''))).toEqual(both('fine wire'));
  expect(lines(tree('a'), {}).map((line) => line.replace(/: .*/, ''))).toEqual(
    both('breaking wire'),
  );
  expect(lines(tree('a'), tree('b'))).toContain('breaking wire Todo/query: tree is by b, not a');
});
