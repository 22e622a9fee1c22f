import type { Client } from '../../support/client.js';

/** The types of rights.yaml that have many objects, parents first. */
export const TYPES = [
  ...['Plain', 'Private', 'Notice', 'Report', 'Draft', 'Job'],
  ...['List', 'Item', 'Part'],
];

/** The name of the second notice. */
export const PUBLIC = 'Notice public';
/** A list to which users move what they may. */
export const TARGET = 'List target';

/** A list that is shared with nobody. */
export const HIDDEN = 'List hidden';

/** The text of an object: nobody else's answer has it. */
export function secretOf(name: string): string {
  return `secret <${name}>`;
}

/** The objects in the order of their creates: a name and its type. */
const OBJECTS: readonly (readonly [name: string, type: string])[] = [
  ...TYPES.map((type) => [type, type] as const),
  [PUBLIC, 'Notice'],
  [TARGET, 'List'],
];

interface Making {
  readonly owner: Client;
  /** The user who creates drafts. */
  readonly maker: Client;
  readonly accountId: string;
  /** An object of each name is made for each. */
  readonly keys: readonly string[];
}

/** Creates the objects. `values`: those of a type beside its text. Returns ids by key and name. */
export async function createObjects(
  { owner, maker, accountId, keys }: Making,
  values: Readonly<Record<string, object>>,
): Promise<ReadonlyMap<string, Map<string, string>>> {
  const ids = new Map(keys.map((key) => [key, new Map<string, string>()]));
  for (const [name, type] of OBJECTS) {
    const create = Object.fromEntries(
      [...ids].map(([key, own]) => {
        const links = {
          ...(type === 'Item' && { listId: own.get('List') }),
          ...(type === 'Part' && { itemId: own.get('Item') }),
          ...(name === PUBLIC && { public: true }),
        };
        return [key, { text: secretOf(name), ...values[type], ...links }];
      }),
    );
    const client = type === 'Draft' ? maker : owner;
    const { created, notCreated } = await client.set(type, { accountId, create });
    if (notCreated !== null) throw new Error(`${name}: ${JSON.stringify(notCreated)}`);
    for (const [key, own] of ids) own.set(name, String(created?.[key]?.['id']));
  }
  return ids;
}

/** Changes the text of each object. */
export async function updateAll(
  owner: Client,
  accountId: string,
  all: Iterable<ReadonlyMap<string, string>>,
): Promise<void> {
  const ids = [...all];
  for (const [name, type] of [...OBJECTS, [HIDDEN, 'List'] as const]) {
    const patch = { text: `${secretOf(name)} changed` };
    const update = Object.fromEntries(ids.map((own) => [own.get(name) ?? '', patch]));
    const { notUpdated } = await owner.set(type, { accountId, update });
    if (notUpdated !== null) throw new Error(`${name}: ${JSON.stringify(notUpdated)}`);
  }
}
