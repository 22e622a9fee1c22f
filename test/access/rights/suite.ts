import { afterAll, beforeAll, expect, it } from 'vitest';
import { ROUTES } from '../../../src/http/routes.js';
import { createRegistry } from '../../../src/methods/registry.js';
import { loadProject } from '../../../src/server/project.js';
import type { Client } from '../../support/client.js';
import { EventStream, type ServerEvent } from '../../support/event-source.js';
import { useProject } from '../rules-rig.js';
import { askAll, type Cell } from './ask.js';
import { ASKER_NAMES, ASKERS, type AskerName } from './askers.js';
import { FORBIDDEN } from './forbidden.js';
import { HOOKS } from './hooks.js';
import { secretOf } from './objects.js';
import { PROBES } from './probes.js';
import { openScene, type Scene, type Spot, userOf } from './scene.js';
import { hiddenFrom, WORDS } from './table.js';

/** The administration has tests of its own (test/methods/admin). */
const ADMIN = /^Admin/;

/** Asks everything of the table of one server. `database`: resolves to its URL; null: SQLite. */
export function rightsSuite(database: () => Promise<string | null>): void {
  const root = useProject('rights/rights.yaml', HOOKS);
  let scene: Scene;
  let cells: readonly Cell[];

  beforeAll(async () => {
    scene = await openScene(root(), await database());
  }, 600_000);
  afterAll(() => scene.close());

  it('a push tells those of a change who see the object, and no others', async () => {
    const expected = [...(WORDS.get('List reads') ?? [])].map(([asker, word]) => [
      asker,
      word === 'ok',
    ]);
    expect(await listTold(scene)).toEqual(expected);
  });

  const size = `${PROBES.size} rows by ${ASKER_NAMES.length} askers`;
  it(`calls have the answers of the table: ${size}`, async () => {
    cells = await askAll(scene);
    const wrong = cells.flatMap(({ row, method, asker, word, asked, answered }) => {
      const expected = WORDS.get(row)?.get(asker);
      if (word === expected) return [];
      const who = ASKERS[asker].description;
      return [`${row}, ${method}, ${who}: ${word}, not ${expected}: ${asked} ${answered}`];
    });
    expect(wrong).toEqual([]);
    expect(new Set(cells.map(({ row, asker }) => `${row} ${asker}`)).size).toBe(
      WORDS.size * ASKER_NAMES.length,
    );
  });

  it('the table has a row for each method, and for each route of an account', async () => {
    const { registry } = await loadProject(root());
    const methods = [...createRegistry(registry).methods.keys()];
    const asked = new Set(cells.map(({ method }) => method));
    expect(methods.filter((name) => !ADMIN.test(name) && !asked.has(name))).toEqual([]);
    const templates = Object.values(ROUTES).map(({ template }) => template);
    const ofAccounts = templates.filter((template) => template.includes(':accountId'));
    expect(ofAccounts.map((template) => template.split('/')[2]).sort()).toEqual(
      [...asked].flatMap((method) => /^(?:GET|POST) (\w+load)$/.exec(method)?.[1] ?? []).sort(),
    );
    expect([...PROBES.keys()].sort()).toEqual([...WORDS.keys()].sort());
  });

  it('a right that lacks is named, with the property', () => {
    const texts = new Map<string, Set<string>>();
    for (const { row, forbidden } of cells)
      for (const text of forbidden) texts.set(row, (texts.get(row) ?? new Set()).add(text));
    expect(Object.fromEntries([...texts].map(([row, all]) => [row, [...all].sort()]))).toEqual(
      FORBIDDEN,
    );
  });

  it('no answer names what the asker can’t see', () => {
    const leaks = cells.flatMap((cell) => findLeaks(cell, scene.spots));
    expect(leaks).toEqual([]);
  });

  it('an object out of sight is answered as one that there isn’t, octet by octet', () => {
    // A user who may create objects in a list, and may not see it, is told that and no more.
    const own = 'You would not see the object.';
    const pairs = cells.filter(
      ({ alike, forbidden }) => alike !== null && !forbidden.includes(own),
    );
    expect(pairs.length).toBeGreaterThan(500);
    const different = pairs.filter(({ alike }) => alike?.[0] !== alike?.[1]);
    expect(different.map(({ row, asker, alike }) => [row, asker, alike])).toEqual([]);
  });
}

/** The ids and texts of what the asker can't see that an answer has, and the call hasn't. */
function findLeaks(
  { row, asker, asked, answered }: Cell,
  spots: ReadonlyMap<AskerName, Spot>,
): readonly string[] {
  return [...hiddenFrom(asker)].flatMap((name) => {
    const ids = [...spots.values()].map((spot) => spot.ids.get(name) ?? '');
    const told = [...ids, secretOf(name)].filter(
      (text) => answered.includes(text) && !asked.includes(text),
    );
    return told.map((text) => `${row} tells ${asker} of ${name}: ${text} ${answered}`);
  });
}

/** Returns, of each asker, whether its event source tells of a change of the lists. */
async function listTold(
  scene: Scene,
): Promise<readonly (readonly [asker: AskerName, isTold: boolean])[]> {
  const { people, clients, spots } = scene;
  const { accountId } = people;
  const streams = new Map<AskerName, EventStream>();
  for (const [asker, client] of clients)
    streams.set(asker, await EventStream.open(client, { types: '*', closeafter: 'no', ping: '0' }));
  const owner = clients.get('ow') as Client;
  const lists = [...spots.values()].map(({ ids }) => [ids.get('List') ?? '', { color: 'blue' }]);
  await owner.set('List', { accountId, update: Object.fromEntries(lists) });
  const isOfList = ({ data }: ServerEvent): boolean => {
    const changed = data['changed'] as Readonly<Record<string, object>> | undefined;
    return Object.hasOwn(changed?.[accountId] ?? {}, 'List');
  };
  // Accounts have no order between them: the others are looked at once these have been told.
  for (const [asker, word] of WORDS.get('List reads') ?? [])
    if (word === 'ok') await streams.get(asker)?.find(isOfList);
  const told = [...streams].map(async ([asker, stream]) => {
    if (stream.status === 401) return [asker, false] as const;
    const events = await eventsUpToNow(scene, asker, stream);
    stream.close();
    return [asker, events.some(isOfList)] as const;
  });
  return Promise.all(told);
}

/** Waits for the event of a later change, in the asker's own account. */
async function eventsUpToNow(
  { clients, spots }: Scene,
  asker: AskerName,
  stream: EventStream,
): Promise<readonly ServerEvent[]> {
  const accountId = spots.get(asker)?.home ?? '';
  const writer = clients.get(userOf(asker)) as Client;
  const create = { k: { text: 'a marker' } };
  const { newState } = await writer.set('Plain', { accountId, create });
  await stream.state(accountId, 'Plain', newState);
  return stream.events;
}
