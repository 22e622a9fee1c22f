import type { Random } from '../../../conform/src/random.js';
import type { JsonObject, JsonValue } from '../../../src/protocol/json.js';
import type { AnyRow } from './schema.js';

const COLOURS = ['red', 'blue', 'green'] as const;
const CODES = ['c1', 'c2', 'c3', 'c4', 'c5', 'c6'] as const;
const DATES = ['2026-01-01T00:00:00Z', '2026-02-01T00:00:00Z', null] as const;

/** Returns the values of a new Gadget; they name other objects where these are given. */
export function drawGadget(
  random: Random,
  mark: string,
  { parent, link }: { readonly parent: string | null; readonly link: string | null },
): JsonObject {
  const values: Record<string, JsonValue> = { title: `${mark} x${random.integer(0, 3)}` };
  const add = (chance: number, name: string, value: () => JsonValue): void => {
    if (random.chance(chance)) values[name] = value();
  };
  add(0.6, 'rank', () => random.integer(-3, 3));
  add(0.15, 'code', () => random.pick(CODES));
  add(0.3, 'kind', () => random.pick(['small', 'large']));
  add(0.3, 'score', () => random.pick([0, 1.5, null]));
  add(0.3, 'due', () => random.pick(DATES));
  add(0.4, 'tags', () => ({ [random.pick(COLOURS)]: true }));
  add(0.3, 'meta', () => ({ note: 'new' }));
  add(0.2, 'list', () => ['one', 'two']);
  if (parent !== null && random.chance(0.3)) values['parentId'] = parent;
  if (link !== null && random.chance(0.3)) values['links'] = { [link]: true };
  return values;
}

interface EditOptions {
  readonly mark: string;
  /** The name of another object, where there is one. */
  readonly other: string | null;
}

type Draft = Record<string, JsonValue>;

/** A change of a Gadget, as a patch and as a recipe. */
interface Change {
  readonly patch: (random: Random, options: EditOptions, row: AnyRow) => JsonObject;
  readonly recipe: (draft: Draft, random: Random, options: EditOptions) => void;
}

function membersOf(draft: Draft, name: string): Draft {
  const members = { ...(draft[name] as JsonObject) };
  draft[name] = members;
  return members;
}

export function escapeName(name: string): string {
  return name.replace(/~/g, '~0').replace(/\//g, '~1');
}

/** The first word of a title stays: it is the mark of the object. */
function rename(title: JsonValue | undefined, random: Random): string {
  return `${String(title).split(' ')[0]} x${random.integer(0, 3)}`;
}

const CHANGES: readonly Change[] = [
  {
    patch: (random) => ({ rank: random.integer(-3, 3) }),
    recipe: (draft, random) => {
      draft['rank'] = random.integer(-3, 3);
    },
  },
  {
    patch: (random, _, row) => ({ title: rename(row['title'], random) }),
    recipe: (draft, random) => {
      draft['title'] = rename(draft['title'], random);
    },
  },
  {
    patch: (random) => ({ 'meta/note': random.pick(['one', 'two', null]) }),
    recipe: (draft, random) => {
      membersOf(draft, 'meta')['note'] = random.pick(['one', 'two']);
    },
  },
  {
    patch: (random) => ({ 'meta/a/b/c': random.integer(0, 9) }),
    recipe: (draft, random) => {
      membersOf(draft, 'meta')['a'] = { b: { c: random.integer(0, 9) } };
    },
  },
  {
    patch: (random) => ({ list: random.pick([['one'], ['two', 'three'], []]) }),
    recipe: (draft) => {
      draft['list'] = [...((draft['list'] ?? []) as readonly JsonValue[]), 'more'].slice(-5);
    },
  },
  {
    patch: (random) => ({ [`tags/${random.pick(COLOURS)}`]: random.pick([true, null]) }),
    recipe: (draft, random) => {
      const tags = membersOf(draft, 'tags');
      const colour = random.pick(COLOURS);
      if (colour in tags) delete tags[colour];
      else tags[colour] = true;
    },
  },
  {
    patch: (random) => ({ score: random.pick([0, 2, null]), due: random.pick(DATES) }),
    recipe: (draft, random) => {
      draft['due'] = random.pick(DATES);
    },
  },
  {
    patch: (random) => ({ code: random.pick([...CODES, null]) }),
    recipe: (draft) => {
      draft['code'] = null;
    },
  },
  {
    patch: (_, { other }) => ({ parentId: other }),
    recipe: (draft, _, { other }) => {
      draft['parentId'] = other;
    },
  },
  {
    patch: (_, { other }) => (other === null ? {} : { [`links/${escapeName(other)}`]: true }),
    recipe: (draft, _, { other }) => {
      if (other !== null) membersOf(draft, 'links')[other] = true;
    },
  },
];

/** Returns a change of a row, as a patch or as a recipe; it adds a mark to the tags. */
export function drawEdit(
  random: Random,
  row: AnyRow,
  options: EditOptions,
): JsonObject | ((draft: Draft) => void) {
  const { patch, recipe } = random.pick(CHANGES);
  const { mark } = options;
  if (random.chance(0.5)) return { [`tags/${mark}`]: true, ...patch(random, options, row) };
  return (draft) => {
    recipe(draft, random, options);
    membersOf(draft, 'tags')[mark] = true;
  };
}
