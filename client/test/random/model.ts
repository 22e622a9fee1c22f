import { isJsonObject, type JsonObject, type JsonValue } from '../../../src/protocol/json.js';
import type { Change, OpenStore, Table } from '../../src/persist/port.js';
import type { TypeTable } from '../../src/schema/tables.js';

/** The rows of an account in a store, without its name. */
export interface StoredAccount {
  readonly objects: ReadonlyMap<string, JsonObject>;
  readonly log: readonly JsonObject[];
  readonly aliases: ReadonlyMap<string, string>;
  /** The states that types have reached; without one, a type is being read. */
  readonly cursors: ReadonlyMap<string, string>;
  /** Ids of objects that are ahead of these states. */
  readonly early: ReadonlySet<string>;
}

/** Reads what a store has of an account. */
export async function readStored(store: OpenStore, accountId: string): Promise<StoredAccount> {
  const load = async (table: Table) => {
    const rows = await store.load(table, `${accountId} `);
    return rows.map(([key, value]) => [key.slice(accountId.length + 1), value] as const);
  };
  const [objects, log, aliases, types] = await Promise.all(
    (['objects', 'log', 'aliases', 'types'] as const).map(load),
  );
  const states = (types ?? []).flatMap(([type, state]) =>
    isJsonObject(state) && typeof state['cursor'] === 'string' && state['coverage'] != null
      ? [[type, state['cursor']] as const]
      : [],
  );
  return {
    objects: new Map(objects as [string, JsonObject][]),
    log: (log ?? []).map(([, write]) => write as JsonObject),
    aliases: new Map(
      (aliases ?? []).map(([key, alias]) => [key, (alias as { readonly id: string }).id]),
    ),
    cursors: new Map(states),
    early: new Set((types ?? []).flatMap(([, state]) => listEarly(state))),
  };
}

function listEarly(state: JsonValue): readonly string[] {
  return isJsonObject(state) ? ((state['early'] ?? []) as readonly string[]) : [];
}

/** The view by plain words: rows by their keys, `$pending` included. */
export type View = ReadonlyMap<string, JsonObject>;

/** Returns the view of a type: the log applied to the objects, write by write. */
export function makeView({ objects, log, aliases }: StoredAccount, table: TypeTable): View {
  const keys = new Map(Array.from(aliases, ([key, id]) => [id, key]));
  const view = new Map<string, JsonObject | null>();
  for (const [name, object] of objects) {
    const [type, id = ''] = name.split(' ');
    if (type === table.name) view.set(keys.get(id) ?? id, object);
  }
  const written = new Set<string>();
  for (const write of log) {
    if (write['type'] !== table.name) continue;
    const key = String(write['key']);
    written.add(key);
    view.set(key, applyWrite(view.get(key) ?? null, nameIds(write, aliases) as JsonObject, table));
  }
  const rows = new Map<string, JsonObject>();
  for (const [key, object] of view) {
    if (object === null) continue;
    const id = object['id'] ?? key;
    rows.set(key, { ...object, id, $key: key, $pending: written.has(key) });
  }
  return rows;
}

function applyWrite(
  object: JsonObject | null,
  write: JsonObject,
  { properties }: TypeTable,
): JsonObject | null {
  if (write['kind'] === 'destroy') return null;
  const defaults: Record<string, JsonValue> = {};
  for (const [name, property] of Object.entries(properties)) {
    // Nobody shows a secret.
    const isShown = property.access !== 'secret';
    if (isShown && property.default !== undefined) defaults[name] = property.default;
  }
  if (write['kind'] === 'create') {
    const { provisional, values } = write;
    return { ...defaults, ...toObject(provisional), ...object, ...toObject(values) };
  }
  if (object === null) return null;
  const draft = structuredClone(object) as Record<string, JsonValue>;
  for (const [pointer, value] of Object.entries(toObject(write['patch']))) {
    const path = pointer.split('/').map((token) => token.replace(/~1/g, '/').replace(/~0/g, '~'));
    if (path.length === 1) draft[pointer] = value ?? defaults[pointer] ?? null;
    else setAt(draft, path, value);
  }
  return draft;
}

function setAt(draft: Record<string, JsonValue>, path: readonly string[], value: JsonValue): void {
  const [name = '', ...rest] = path;
  if (rest.length > 0) {
    const inner = { ...toObject(draft[name]) };
    setAt(inner, rest, value);
    draft[name] = inner;
  } else if (value === null) delete draft[name];
  else draft[name] = value;
}

function toObject(value: JsonValue | undefined): JsonObject {
  return isJsonObject(value) ? value : {};
}

/** Puts the ids that are known in the place of local keys; `key` names the object itself. */
function nameIds(value: JsonValue, aliases: ReadonlyMap<string, string>): JsonValue {
  if (typeof value === 'string') return aliases.get(value) ?? value;
  if (Array.isArray(value)) return value.map((item: JsonValue) => nameIds(item, aliases));
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [
      name
        .split('/')
        .map((token) => aliases.get(token) ?? aliases.get(token.replace(/^~0/, '~')) ?? token)
        .join('/'),
      nameIds(inner, aliases),
    ]),
  );
}

/** A row of a store that a commit writes, for the trace. */
export function nameChange({ table, key, value }: Change): string {
  return `${value === undefined ? '-' : '+'}${table} ${key}`;
}

/** Returns a text that two equal values have alike, whatever the order of their members. */
export function canonical(value: unknown): string {
  return JSON.stringify(value, (_, inner: unknown) =>
    typeof inner === 'object' && inner !== null && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([one], [other]) => (one < other ? -1 : 1)))
      : inner,
  );
}
