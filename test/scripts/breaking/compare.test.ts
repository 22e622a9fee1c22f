import { describe, expect, it } from 'vitest';
import { compareModels } from '../../../scripts/generator/breaking/compare.js';
import { find, model, property, TODO_PROPERTIES, todo, type } from '../migrations/models.js';

const told = (...models: Parameters<typeof compareModels>) =>
  compareModels(...models).map(
    ({ layer, breaking, where, what }) =>
      `${breaking ? 'breaking' : 'fine'} ${layer} ${where}: ${what}`,
  );

describe('breaking: changes from one model to another', () => {
  it('are none between equals', () => {
    expect(told(model([todo()]), model([todo()]))).toEqual([]);
  });

  it('are fine where something is added, and old states go', () => {
    const rank = property('rank', 'integer', { default: 0 });
    expect(told(model([todo()]), model([todo([rank])]))).toEqual([
      'fine wire Todo.rank: property added',
      'fine storage Todo.rank: column added',
      'fine sync Todo: old states are refused: clients fetch the type anew',
    ]);
  });

  it('break clients where a property is renamed, and keep its values', () => {
    const text = find(TODO_PROPERTIES, 'text');
    const title = { ...text, name: 'title', column: 'title', renamedFrom: 'text' };
    const after = type('Todo', [title, find(TODO_PROPERTIES, 'done')]);
    expect(told(model([todo()]), model([after]))).toEqual([
      'breaking wire Todo.title: property renamed from text',
      'fine storage Todo.title: column renamed, values kept',
      'fine sync Todo: old states are refused: clients fetch the type anew',
    ]);
  });

  it('break both where a type goes', () => {
    expect(told(model([todo()]), model([]))).toEqual([
      'breaking wire Todo: type removed',
      'breaking storage Todo: its table and all data in it go',
    ]);
  });
});
