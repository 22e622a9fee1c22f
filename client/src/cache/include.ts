import type { TypeTable } from '../schema/tables.js';
import type { Replica, Row } from '../store/replica.js';

/** A reference whose objects stand beside it in the rows of a list. */
interface Inclusion {
  /** The property without its `Id` or `Ids`. */
  readonly name: string;
  readonly property: string;
  /** The type of the objects. */
  readonly type: string;
  /** The property has several ids: an array, or the keys of an object. */
  readonly isMany: boolean;
}

/** Returns the references of these names. Throws where the type has no such reference. */
function findInclusions(table: TypeTable, names: readonly string[]): readonly Inclusion[] {
  const all = Object.entries(table.properties).flatMap(
    ([property, { references = [] }]): readonly Inclusion[] => {
      const [reference] = references;
      const [, name, many] = /^(.+)Id(s?)$/.exec(property) ?? [];
      if (name === undefined || typeof reference?.type !== 'string') return [];
      const hasPlace = reference.at?.length === (many === 's' ? 1 : undefined);
      if (!hasPlace || table.properties[name] !== undefined) return [];
      return [{ name, property, type: reference.type, isMany: many === 's' }];
    },
  );
  return names.map((name) => {
    const found = all.find((one) => one.name === name);
    if (found !== undefined) return found;
    const legal = all.map((one) => `"${one.name}"`).join(', ') || 'none';
    throw new Error(`${table.name} can't include "${name}". It can include: ${legal}.`);
  });
}

/** A row with the objects that it had when it was made. */
interface Joined {
  readonly row: Row;
  readonly parts: readonly unknown[];
}

/** Puts the objects that rows refer to beside their ids. */
export class Include {
  readonly #inclusions: readonly Inclusion[];
  readonly #replica: Replica;
  /** Rows stay the same while nothing of them, and of the objects beside them, changes. */
  #made = new WeakMap<Row, Joined>();

  constructor(table: TypeTable, names: readonly string[], replica: Replica) {
    this.#inclusions = findInclusions(table, names);
    this.#replica = replica;
  }

  /** Returns the rows with the objects beside their ids. */
  join(rows: readonly Row[]): readonly Row[] {
    return this.#inclusions.length === 0 ? rows : rows.map((row) => this.#joinOne(row));
  }

  /** Returns the ids that rows refer to, with their types. */
  *idsIn(rows: readonly Row[]): Iterable<readonly [type: string, id: string]> {
    for (const { property, type } of this.#inclusions)
      for (const row of rows) for (const id of readIds(row, property)) yield [type, id];
  }

  #joinOne(row: Row): Row {
    const parts = this.#inclusions.map((inclusion) => this.#find(row, inclusion));
    const known = this.#made.get(row);
    if (known !== undefined && parts.flat().every((part, at) => part === known.parts[at]))
      return known.row;
    const named = this.#inclusions.map(({ name, isMany }, at) => {
      const found = parts[at] ?? [];
      return [name, isMany ? Object.freeze(found) : (found[0] ?? null)] as const;
    });
    const joined = Object.freeze({ ...row, ...Object.fromEntries(named) }) as Row;
    this.#made.set(row, { row: joined, parts: parts.flat() });
    return joined;
  }

  #find(row: Row, { property, type }: Inclusion): readonly Row[] {
    return readIds(row, property).flatMap((id) => this.#replica.row(type, id) ?? []);
  }
}

function readIds(row: Row, property: string): readonly string[] {
  const value = row[property];
  if (typeof value === 'string') return [value];
  const ids = Array.isArray(value) ? value : Object.keys(value ?? {});
  return ids.filter((id) => typeof id === 'string');
}
