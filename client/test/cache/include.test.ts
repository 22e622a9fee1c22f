import { describe, expect, it, vi } from 'vitest';
import { Include } from '../../src/cache/include.js';
import type { TypeTable } from '../../src/schema/tables.js';
import { Replica, type Touched } from '../../src/store/replica.js';
import { makeTable } from '../support/toy-server.js';

const NOTE: TypeTable = {
  ...makeTable('Note'),
  properties: { listId: { kind: 'string', references: [{ type: 'List' }] } },
};

function join() {
  const replica = new Replica([NOTE, makeTable('List')]);
  const put = (type: string, object: { readonly id: string }): Touched =>
    replica.apply({ objects: new Map([[type, new Map([[object.id, { ...object }]])]]) });
  put('List', { id: 'l' });
  put('Note', { id: 'n', listId: 'l' } as { readonly id: string });
  const include = new Include(NOTE, ['list'], replica);
  const rows = [...replica.rows('Note')];
  return { replica, put, include, rows, joined: include.join(rows) };
}

describe('rows with the objects that they refer to', () => {
  it('are the same array, and no row is looked at, where nothing of them has changed', () => {
    const { replica, put, include, rows, joined } = join();
    const touched = put('Note', { id: 'other' });
    const look = vi.spyOn(replica, 'row');
    expect(include.join(rows, touched)).toBe(joined);
    expect(look).not.toHaveBeenCalled();
  });

  it('are others where such an object has changed, or where nobody knows', () => {
    const { put, include, rows } = join();
    const touched = put('List', { id: 'l', name: 'new' } as { readonly id: string });
    expect(include.join(rows, touched)).toMatchObject([{ list: { id: 'l', name: 'new' } }]);
    put('List', { id: 'l', name: 'newer' } as { readonly id: string });
    expect(include.join(rows)).toMatchObject([{ list: { id: 'l', name: 'newer' } }]);
  });
});
