import type { DataTypeDefinition, PropertyDefinition } from '../../capability/definition.js';
import type {
  BlobRow,
  BlobUse,
  ChangeKind,
  ChangeRecordAt,
  NewBlob,
  NewChange,
  RecordKind,
} from '../port.js';
import type { Row } from './row-codec.js';

/** Rows of the engine's own tables, as they are read, and as JSON that one statement writes. */

/** In the order of their numbers: `access` has ACCESS_KIND. */
const KINDS: readonly RecordKind[] = ['created', 'updated', 'destroyed', 'access', 'own'];

/** How the database writes the kind of a record of a user's own values. */
export const OWN_KIND = KINDS.indexOf('own');

/** How the database writes a kind, and by how much a change of it changes the number of objects. */
export const CHANGE_KINDS: Readonly<
  Record<ChangeKind, { readonly number: number; readonly growth: number }>
> = Object.freeze({
  created: { number: 0, growth: 1 },
  updated: { number: 1, growth: 0 },
  destroyed: { number: 2, growth: -1 },
});

/** Reads change records of columns `number, objectId, kind, at, properties`. */
export function changesOf(
  type: DataTypeDefinition,
  rows: readonly Row[],
): readonly ChangeRecordAt[] {
  // Most records of a page have the same text.
  const known = new Map<unknown, ChangeRecordAt['properties']>([[null, null]]);
  return rows.map((row): ChangeRecordAt => {
    const kind = KINDS[row[2] as number] as RecordKind;
    const isGroup = kind === 'destroyed' && typeof row[4] === 'string';
    const text = isGroup ? null : row[4];
    let properties = known.get(text);
    if (properties === undefined) {
      properties = propertiesIn(type, text as string);
      known.set(text, properties);
    }
    return {
      number: row[0] as number,
      objectId: row[1] as string,
      kind,
      at: row[3] as number,
      properties,
      ...(isGroup ? { group: groupIn(row[4] as string) } : {}),
    };
  });
}

/** Characters that a record may take to name columns. */
const MAX_COLUMNS_TEXT = 250;

/** Returns properties as a change record names them: null for more than it has room for. */
export function changedColumns(properties: readonly PropertyDefinition[] | null): string | null {
  return properties === null ? null : columnsText(properties.map(({ column }) => column));
}

/** Returns columns as a change record names them: null for more than it has room for. */
export function columnsText(columns: readonly string[]): string | null {
  const text = columns.join('\n');
  return text.length > MAX_COLUMNS_TEXT ? null : text;
}

/**
 * Returns the names of properties that a change record names. Null if it names a column that no
 * property of this version has: another version wrote it. The database may have brought that
 * value into a column of this version.
 */
function propertiesIn(type: DataTypeDefinition, text: string): ChangeRecordAt['properties'] {
  if (text === '') return [];
  const names: string[] = [];
  for (const column of text.split('\n')) {
    const property = type.properties.find((one) => one.column === column);
    if (property === undefined) return null;
    names.push(property.name);
  }
  return names;
}

/** In front of the group in the record of a destroyed object; alone for none. */
const GROUP = '=';

/** Returns a group as a change record has it: null where it has no room for it. */
export function groupText({ group }: NewChange): string | null {
  if (group === undefined) return null;
  if (group === null) return '';
  return group.length > MAX_COLUMNS_TEXT ? null : GROUP + group;
}

function groupIn(text: string): string | null {
  return text === '' ? null : text.slice(GROUP.length);
}

/** Returns rows `[objectId, kind]` as JSON, with the group behind them where one is noted. */
export function changeRows(changes: readonly NewChange[]): string {
  return JSON.stringify(
    changes.map((change) => {
      const { number } = CHANGE_KINDS[change.kind];
      const text = groupText(change);
      return text === null ? [change.objectId, number] : [change.objectId, number, text];
    }),
  );
}

/** Returns how much changes add to the number of objects. */
export function growth(changes: readonly NewChange[]): number {
  return changes.reduce((objects, { kind }) => objects + CHANGE_KINDS[kind].growth, 0);
}

/** Reads a blob of columns `id, type, size, uploaderId` and whether something refers to it. */
export function blobOf(row: Row): BlobRow {
  return {
    id: row[0] as string,
    type: row[1] as string,
    size: row[2] as number,
    uploaderId: row[3] as string,
    // SQLite's Booleans are numbers.
    referenced: row[4] === true || row[4] === 1,
  };
}

/** Reads a blob of columns `id, size` and the number of references to it. */
export function useOf(row: Row): BlobUse {
  const [id, size, references] = row as readonly [string, number, number];
  return { id, size, references };
}

/** Returns rows `[id, type, size, uploaderId]` as JSON; of those with the same id the first one. */
export function blobRows(blobs: readonly NewBlob[]): string {
  const rows = new Map<string, readonly unknown[]>();
  for (const { id, type, size, uploaderId } of blobs)
    if (!rows.has(id)) rows.set(id, [id, type, size, uploaderId]);
  return JSON.stringify([...rows.values()]);
}
