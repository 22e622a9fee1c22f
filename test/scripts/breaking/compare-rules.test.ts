import { describe, expect, it } from 'vitest';
import { compareModels } from '../../../scripts/generator/breaking/compare.js';
import type { TypeRules } from '../../../src/capability/definition.js';
import type { ModelError, ModelType } from '../../../src/descriptor/model.js';
import { model, property, todo, type } from '../migrations/models.js';

const STATUS = property('status', 'string', { default: 'draft' });
const AT = STATUS.at;

/** Returns the changes from one form of a type to another, a line each. */
function compare(before: Partial<ModelType>, after: Partial<ModelType>): readonly string[] {
  const of = (more: Partial<ModelType>) => model([{ ...todo([STATUS]), ...more }]);
  return compareModels(of(before), of(after)).map(
    ({ breaking, layer, where, what }) =>
      `${breaking ? 'breaking' : 'fine'} ${layer} ${where}: ${what}`,
  );
}

const rules = (all: TypeRules): Partial<ModelType> => ({ rules: all });
const steps = (to: readonly string[], more: object = {}): Partial<ModelType> =>
  rules({ transitions: [{ property: 'status', steps: [{ from: 'draft', to }], ...more }] });
const LOCK = { when: [{ property: 'status', values: ['sent'] }], properties: ['text', 'done'] };

describe('breaking: rules that depend on values', () => {
  it('break clients if they come, and not if they go', () => {
    expect(compare({}, steps(['sent']))).toEqual([
      'breaking wire Todo.status: changes along transitions alone now',
    ]);
    expect(compare(steps(['sent']), {})).toEqual([
      'fine wire Todo.status: changes to any value now',
    ]);
  });

  it('break clients if a step goes, a new object may begin otherwise or an error changes', () => {
    expect(compare(steps(['sent', 'void']), steps(['sent', 'paid'], { error: 'no' }))).toEqual([
      'breaking wire Todo.status: transitions removed: draft -> void',
      'fine wire Todo.status: transitions added: draft -> paid',
      'breaking wire Todo.status: another error refuses its transitions',
    ]);
    const begins = 'wire Todo.status: a new object may begin with other values';
    const initial = { initial: ['draft'] };
    expect(compare(steps(['sent']), steps(['sent'], initial))).toEqual([`breaking ${begins}`]);
    expect(compare(steps(['sent'], initial), steps(['sent']))).toEqual([`fine ${begins}`]);
    const wider = { initial: ['draft', 'sent'] };
    expect(compare(steps(['x'], initial), steps(['x'], wider))).toEqual([`fine ${begins}`]);
  });

  it('break clients if they forbid or require more, in whatever order', () => {
    const turned = { ...LOCK, properties: ['done', 'text'] };
    expect(compare(rules({ immutable: [LOCK] }), rules({ immutable: [turned] }))).toEqual([]);
    expect(compare(rules({ immutable: [LOCK] }), {})).toEqual([
      'fine wire Todo: immutableWhen has a rule less',
    ]);
    expect(compare(rules({ required: [LOCK] }), rules({ immutable: [LOCK] }))).toEqual([
      'breaking wire Todo: immutableWhen has another rule',
      'fine wire Todo: requiredWhen has a rule less',
    ]);
  });

  it('are the same after a rename of the property that they name', () => {
    const renamed = { ...STATUS, name: 'phase', column: 'phase', renamedFrom: 'status' };
    const lock = { ...LOCK, when: [{ property: 'phase', values: ['sent'] }] };
    const before = model([{ ...todo([STATUS]), ...rules({ immutable: [LOCK] }) }]);
    const after = model([{ ...todo([renamed]), ...rules({ immutable: [lock] }) }]);
    expect(compareModels(before, after).map(({ what }) => what)).not.toContain(
      'immutableWhen has another rule',
    );
  });
});

describe('breaking: errors of a type', () => {
  const error = (name: string, members: Readonly<Record<string, string>> = {}): ModelError => ({
    name,
    description: '',
    at: AT,
    members: {
      type: 'object',
      properties: Object.fromEntries(
        Object.entries(members).map(([member, kind]) => [member, { type: kind as 'string' }]),
      ),
      required: Object.keys(members),
      additionalProperties: false,
    },
  });

  it('may come and go', () => {
    const [a, b] = [{ errors: [error('a')] }, { errors: [error('b')] }];
    expect(compare(a, b)).toEqual([
      'fine wire Todo: error b added',
      'fine wire Todo: error a removed',
    ]);
  });

  it('break clients if a member goes or has another type', () => {
    const of = (members: Readonly<Record<string, string>>) => ({ errors: [error('a', members)] });
    const changed = 'wire Todo: members of the error a changed';
    expect(compare(of({ n: 'integer' }), of({}))).toEqual([`breaking ${changed}: n is gone`]);
    expect(compare(of({}), of({ n: 'integer' }))[0]).toContain(`fine ${changed}`);
    expect(compare(of({ n: 'integer' }), of({ n: 'string' }))[0]).toContain(`breaking ${changed}`);
  });

  it('break clients if another one refuses the destroy of what is referred to', () => {
    const link = (more: object) => {
      const reference = { type: 'Todo', place: [], onDestroy: 'restrict', acyclic: false } as const;
      const one = { nullable: true, default: null, references: [{ ...reference, ...more }] };
      return model([type('Todo', [property('aboveId', 'string', one)])]);
    };
    expect(compareModels(link({}), link({ error: 'hasChild' }))).toEqual([
      {
        layer: 'wire',
        breaking: true,
        where: 'Todo.aboveId',
        what: 'restrict: objectIsLinked -> hasChild',
      },
    ]);
  });
});
