import type { TypeTable } from '../schema/tables.js';
import type { Replica, Row, Touched } from '../store/replica.js';

/** A reference whose objects stand beside it in the rows of a list. */
interface Inclusion {
  /** The property without its `Id` or `Ids`. */
  readonly name: string;
  readonly property: string;
  /** The type of the objects. */
  readonly type: string;
  /** The property has several ids: items of an array or members, or the keys of an object. */
  readonly place: 'one' | 'items' | 'keys';
}

/** Where the ids of a property are: by the end of its name, and their place in it. */
const PLACES: readonly (readonly [end: string, at: string, place: Inclusion['place']])[] = [
  ['', '', 'one'],
  ['s', '*', 'items'],
  ['s', 'key', 'keys'],
];

/** Returns the references of these names. Throws where the type has no such reference. */
function findInclusions(
  table: TypeTable,
  names: readonly string[],
  replica: Replica,
): readonly Inclusion[] {
  const all = Object.entries(table.properties).flatMap(
    ([property, { references = [] }]): readonly Inclusion[] => {
      const [reference] = references;
      const [, name, many] = /^(.+)Id(s?)$/.exec(property) ?? [];
      if (name === undefined || typeof reference?.type !== 'string') return [];
      const at = reference.at?.join('/') ?? '';
      const [, , place] = PLACES.find((one) => one[0] === many && one[1] === at) ?? [];
      const isFree = table.properties[name] === undefined && replica.hasType(reference.type);
      if (place === undefined || !isFree) return [];
      return [{ name, property, type: reference.type, place }];
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
  readonly parts: readonly (readonly Row[])[];
}

/** Puts the objects that rows refer to beside their ids. */
export class Include {
  readonly #inclusions: readonly Inclusion[];
  readonly #replica: Replica;
  /** Rows stay the same while nothing of them, and of the objects beside them, changes. */
  #made = new WeakMap<Row, Joined>();
  /** The rows that were joined last, and what has become of them. */
  #last: readonly [rows: readonly Row[], joined: readonly Row[]] | null = null;

  constructor(table: TypeTable, names: readonly string[], replica: Replica) {
    this.#inclusions = findInclusions(table, names, replica);
    this.#replica = replica;
  }

  /** Returns whether the client keeps a part of a type alone whose objects stand in rows. */
  get isPartial(): boolean {
    return this.#inclusions.some(({ type }) => this.#replica.coverage(type) === 'known');
  }

  /**
   * Returns the rows with the objects beside their ids. `touched`: nothing else has changed since
   * the last call.
   */
  join(rows: readonly Row[], touched?: Touched): readonly Row[] {
    if (this.#inclusions.length === 0) return rows;
    const isTouched = this.#inclusions.some(({ type }) => touched?.has(type) ?? true);
    if (isTouched || this.#last?.[0] !== rows)
      this.#last = [rows, rows.map((row) => this.#joinOne(row))];
    return this.#last[1];
  }

  /** Returns the ids that rows refer to, with their types. */
  *idsIn(rows: readonly Row[]): Iterable<readonly [type: string, id: string]> {
    for (const inclusion of this.#inclusions)
      for (const row of rows) for (const id of readIds(row, inclusion)) yield [inclusion.type, id];
  }

  #joinOne(row: Row): Row {
    const parts = this.#inclusions.map((inclusion) => this.#find(row, inclusion));
    const known = this.#made.get(row);
    const isSame = parts.every((part, at) => isSameList(part, known?.parts[at]));
    if (known !== undefined && isSame) return known.row;
    const named = this.#inclusions.map(({ name, place }, at) => {
      const found = parts[at] ?? [];
      return [name, place === 'one' ? (found[0] ?? null) : Object.freeze(found)] as const;
    });
    const joined = Object.freeze({ ...row, ...Object.fromEntries(named) }) as Row;
    this.#made.set(row, { row: joined, parts });
    return joined;
  }

  #find(row: Row, { type, ...inclusion }: Inclusion): readonly Row[] {
    return readIds(row, inclusion).flatMap((id) => this.#replica.row(type, id) ?? []);
  }
}

function isSameList(one: readonly Row[], other: readonly Row[] | undefined): boolean {
  return one.length === other?.length && one.every((row, at) => row === other[at]);
}

type IdsPlace = Pick<Inclusion, 'property' | 'place'>;

function readIds(row: Row, { property, place }: IdsPlace): readonly string[] {
  const value = row[property] ?? null;
  const ids =
    typeof value !== 'object' || value === null
      ? [value]
      : place === 'keys'
        ? Object.keys(value)
        : Object.values(value);
  return ids.filter((id) => typeof id === 'string');
}
