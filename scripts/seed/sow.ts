import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { createAccount, listAccounts } from '../../src/accounts/index.js';
import { listAccountCreatedKinds } from '../../src/hooks/task-kinds.js';
import { createRegistry } from '../../src/methods/registry.js';
import { createIdGenerator } from '../../src/protocol/ids.js';
import type { JsonObject, JsonValue } from '../../src/protocol/json.js';
import { readConfig } from '../../src/server/config.js';
import { projectRoot } from '../../src/server/package-root.js';
import { loadProject } from '../../src/server/project.js';
import { printError, UsageError } from '../cli.js';
import { withDirectory } from '../directory.js';
import { openGate, type Send } from './gate.js';
import type { SeedAccount, SeedObject, SeedType } from './read.js';

/** Counts of a run. */
export interface Sown {
  created: number;
  updated: number;
  unchanged: number;
  /** Whether the server took every object. */
  isWhole: boolean;
}

/** The ids of objects by account, type and creation id, as earlier runs made them. */
type Record3 = Record<string, Record<string, Record<string, string>>>;

const FILE = 'seed.json';
/** Objects of a call: as many as servers should take at least (RFC 8620 2). */
const AT_ONCE = 500;

/** Writes the objects of a seed file, by a server at `url` or else in this process. */
export async function sow(accounts: readonly SeedAccount[], url?: string): Promise<Sown> {
  const { dataDir } = readConfig(process.env, process.cwd());
  const file = join(dataDir, FILE);
  const known: Record3 = existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : {};
  const sown: Sown = { created: 0, updated: 0, unchanged: 0, isWhole: true };
  const owners = await findAccounts(accounts);
  const gate = await openGate(url);
  try {
    for (const account of accounts) {
      const { id, owner } = owners.get(account.name) ?? { id: '', owner: '' };
      const send = await gate.as(owner);
      known[id] ??= {};
      await sowAccount(account, { id, send, ids: known[id], sown });
    }
  } finally {
    await gate.close();
    mkdirSync(dataDir, { recursive: true, mode: 0o700 });
    writeFileSync(file, `${JSON.stringify(known, null, 2)}\n`);
  }
  return sown;
}

/** Returns each account's id and owner by its name; makes those that are missing. */
async function findAccounts(accounts: readonly SeedAccount[]) {
  const found = new Map<string, { readonly id: string; readonly owner: string }>();
  const tasks = listAccountCreatedKinds(
    createRegistry((await loadProject(projectRoot())).registry),
  );
  await withDirectory(async (prisma) => {
    const there = await listAccounts(prisma);
    for (const { name, user, place } of accounts) {
      const [first, second] = there.filter((one) => one.name === name);
      if (first !== undefined && second !== undefined)
        throw new UsageError(`${place}: two accounts are named so: ${first.id}, ${second.id}.`);
      if (user !== undefined && first !== undefined && first.owner !== user)
        throw new UsageError(`${place}: the account belongs to ${first.owner}, not to ${user}.`);
      const account = { name, user, tasks };
      const id = first?.id ?? (await createAccount(prisma, createIdGenerator(), account));
      found.set(name, { id, owner: first?.owner ?? user ?? 'owner' });
    }
  });
  return found;
}

interface Sowing {
  readonly id: string;
  readonly send: Send;
  /** By type and creation id. */
  readonly ids: Record<string, Record<string, string>>;
  readonly sown: Sown;
}

async function sowAccount({ types }: SeedAccount, sowing: Sowing): Promise<void> {
  for (const type of types)
    for (let at = 0; at < type.objects.length; at += AT_ONCE)
      await sowObjects({ ...type, objects: type.objects.slice(at, at + AT_ONCE) }, sowing);
}

/** Writes objects of one type, by one /set. */
async function sowObjects({ name, objects, place }: SeedType, sowing: Sowing): Promise<void> {
  sowing.ids[name] ??= {};
  const ids = sowing.ids[name];
  const stored = await readStored(name, objects, sowing, place);
  const create: Record<string, JsonObject> = {};
  const update: Record<string, JsonObject> = {};
  const createdIds = Object.assign({}, ...Object.values(sowing.ids)) as Record<string, string>;
  for (const { creationId, value } of objects) {
    const id = ids[creationId] ?? '';
    const before = stored.get(id);
    if (before === undefined) {
      delete createdIds[creationId];
      create[creationId] = value;
    } else {
      const patch = patchOf(before, value, createdIds);
      if (Object.keys(patch).length === 0) sowing.sown.unchanged += 1;
      else update[id] = patch;
    }
  }
  if (Object.keys(create).length + Object.keys(update).length === 0) return;
  const args = { accountId: sowing.id, create, update };
  const answer = await sowing.send([`${name}/set`, args], createdIds);
  count(answer, { objects, ids, sown: sowing.sown, name, place });
}

/** Returns the objects of earlier runs that are still there, by id. */
async function readStored(
  type: string,
  objects: readonly SeedObject[],
  { id: accountId, send, ids }: Sowing,
  place: string,
): Promise<ReadonlyMap<string, JsonObject>> {
  const wanted = objects.flatMap(({ creationId }) => ids[type]?.[creationId] ?? []);
  const answer = await send([`${type}/get`, { accountId, ids: wanted }], {});
  if (answer[0] === 'error')
    throw new UsageError(
      `${place}: ${type}/get: ${String(answer[1]['type'])}. ${hintOf(answer[1])}`,
    );
  const list = answer[1]['list'] as readonly JsonObject[];
  return new Map(list.map((object) => [String(object['id']), object]));
}

function hintOf({ type, description }: JsonObject): string {
  if (type === 'unknownMethod') return 'No such type is served.';
  return typeof description === 'string' ? description : '';
}

/** Returns the properties whose values differ from the stored ones. */
function patchOf(
  before: JsonObject,
  value: JsonObject,
  createdIds: Readonly<Record<string, string>>,
): JsonObject {
  return Object.fromEntries(
    Object.entries(value).filter(
      ([name, given]) => !isDeepStrictEqual(before[name], resolved(given, createdIds)),
    ),
  );
}

/** Returns a value with the ids of known objects in place of their creation ids. */
function resolved(value: JsonValue, createdIds: Readonly<Record<string, string>>): JsonValue {
  if (typeof value === 'string') return nameOf(value, createdIds);
  if (Array.isArray(value)) return value.map((item) => resolved(item, createdIds));
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [
      nameOf(name, createdIds),
      resolved(inner as JsonValue, createdIds),
    ]),
  );
}

function nameOf(text: string, createdIds: Readonly<Record<string, string>>): string {
  return text.startsWith('#') ? (createdIds[text.slice(1)] ?? text) : text;
}

interface Counting {
  readonly objects: readonly SeedObject[];
  readonly ids: Record<string, string>;
  readonly sown: Sown;
  readonly name: string;
  readonly place: string;
}

/** Counts what a /set has done, and tells what it refused. */
function count([method, answer]: readonly [string, JsonObject], counting: Counting): void {
  const { objects, ids, sown, name, place } = counting;
  if (method === 'error')
    throw new UsageError(`${place}: ${name}/set: ${String(answer['type'])}. ${hintOf(answer)}`);
  const part = (key: string) => (answer[key] ?? {}) as Record<string, JsonObject>;
  for (const [creationId, { id }] of Object.entries(part('created'))) {
    ids[creationId] = String(id);
    sown.created += 1;
  }
  sown.updated += Object.keys(part('updated')).length;
  const keys = new Map(Object.entries(ids).map(([creationId, id]) => [id, creationId]));
  const refused = [...Object.entries(part('notCreated')), ...Object.entries(part('notUpdated'))];
  for (const [key, { type, description }] of refused) {
    const creationId = keys.get(key) ?? key;
    const at = objects.find((object) => object.creationId === creationId)?.place ?? place;
    const why = typeof description === 'string' ? `: ${description}` : '';
    printError(`${at}: ${name} ${creationId}: ${String(type)}${why}`);
    sown.isWhole = false;
  }
}
