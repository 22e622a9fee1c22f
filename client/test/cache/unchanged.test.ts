import { describe, expect, it } from 'vitest';
import { isJsonObject } from '../../../src/protocol/json.js';
import type { Session } from '../../src/call/session.js';
import type { Invocation } from '../../src/index.js';
import { memory } from '../../src/index.js';
import { makeFaultyFetch } from '../support/faulty-fetch.js';
import { type GadgetShape, useGadgets } from '../support/gadgets.js';
import { makeGate, times } from '../support/gate.js';

// Updates of objects that others change meanwhile.

const served = useGadgets();
const LAST = { ifUnchanged: true } as const;

/** Sends requests, but opens no event source. */
const fetchQuietly: typeof fetch = (input, init) =>
  new Headers(init?.headers).get('accept') === 'text/event-stream'
    ? Promise.reject(new TypeError('There is no event source.'))
    : fetch(input, init);

/** Opens a client that has read everything, and that the server tells of nothing. */
async function open(options: Parameters<typeof served.connect>[0] = {}) {
  const jmap = await served.connect({ fetch: fetchQuietly, ...options });
  await jmap.sync.settled();
  return { jmap, Gadget: jmap.account().Gadget };
}
type Opened = Awaited<ReturnType<typeof open>>;

/** Makes a gadget and resolves to its id. */
async function make({ jmap, Gadget }: Opened, values: object = {}): Promise<string> {
  const { result } = Gadget.create({ title: 'Lamp', rank: 1, tags: { old: true }, ...values });
  await jmap.sync.settled();
  const end = await result;
  return end.ok ? end.object.id : '';
}

/** Changes a gadget as another device does, of which the client doesn't hear. */
async function changeElsewhere(id: string, patch: GadgetShape['patch']): Promise<void> {
  const { Gadget } = await served.elsewhere();
  const answer = await Gadget.set({ update: { [id]: patch } });
  expect(answer.notUpdated).toBeNull();
}

async function readElsewhere(id: string) {
  const { Gadget } = await served.elsewhere();
  return (await Gadget.get({ ids: [id] })).list[0];
}

/** The arguments of each /set that was sent. */
const sets = () =>
  served
    .proxy()
    .api()
    .flatMap(({ methodCalls }) => methodCalls)
    .filter(([name]) => name === 'Gadget/set')
    .map(([, args]) => args);

describe('two devices', () => {
  it('that change members of one map keep both', async () => {
    const one = await open();
    const id = await make(one);
    await changeElsewhere(id, { 'tags/blue': true });
    const write = one.Gadget.update(id, ({ tags }) => {
      tags['red'] = true;
    });
    const tags = { old: true, blue: true, red: true };
    await one.jmap.sync.settled();
    expect(await write.result).toMatchObject({ ok: true, object: { tags } });
    expect(await readElsewhere(id)).toMatchObject({ tags });
  });

  it('that change one value end with the last one', async () => {
    const one = await open();
    const id = await make(one);
    await changeElsewhere(id, { rank: 2 });
    one.Gadget.update(id, { rank: 3 });
    await one.jmap.sync.settled();
    expect(await readElsewhere(id)).toMatchObject({ rank: 3 });
  });
});

describe('an update that asks for what it has seen', () => {
  it('is refused where the server has another value, with both', async () => {
    const one = await open();
    const id = await make(one);
    await changeElsewhere(id, { 'tags/blue': true, rank: 5 });
    const write = one.Gadget.update(
      id,
      (gadget) => {
        gadget.tags['red'] = true;
        gadget.title = 'Lantern';
      },
      LAST,
    );
    expect(write.object).toMatchObject({ title: 'Lantern', rank: 1 });
    await one.jmap.sync.settled();
    expect(await write.result).toEqual({
      ok: false,
      error: {
        type: 'conflict',
        description: 'Changed since: tags.',
        seen: { tags: { old: true } },
        current: { tags: { old: true, blue: true } },
      },
    });
    expect(await readElsewhere(id)).toMatchObject({ title: 'Lamp', rank: 5 });
  });

  it('is made where others have changed other properties and objects', async () => {
    const one = await open();
    const id = await make(one);
    const other = await make(one);
    await changeElsewhere(id, { rank: 7 });
    await changeElsewhere(other, { title: 'Bulb' });
    const write = one.Gadget.update(id, { title: 'Lantern' }, LAST);
    await one.jmap.sync.settled();
    expect(await write.result).toMatchObject({ ok: true, object: { title: 'Lantern', rank: 7 } });
    expect(sets().filter((args) => 'ifInState' in args)).toHaveLength(2);
  });

  it('goes behind earlier writes of its object, and before later ones', async () => {
    const one = await open();
    const id = await make(one);
    const writes = [
      one.Gadget.update(id, { title: 'Lamp 2' }),
      one.Gadget.update(id, { title: 'Lamp 3' }, LAST),
      one.Gadget.update(id, { title: 'Lamp 4' }, LAST),
      one.Gadget.update(id, { rank: 4 }),
      one.Gadget.create({ title: 'Bulb' }),
    ];
    await one.jmap.sync.settled();
    for (const { result } of writes) expect(await result).toMatchObject({ ok: true });
    const updates = sets().flatMap(({ update = {} }) => Object.values(update as object));
    expect(updates).toEqual([
      { title: 'Lamp 2' },
      { title: 'Lamp 3' },
      { title: 'Lamp 4' },
      { rank: 4 },
    ]);
  });

  it('takes for seen what the server makes of an earlier write', async () => {
    const one = await open();
    const { object } = one.Gadget.create({ title: 'Lamp' });
    const write = one.Gadget.update(object.$key, { list: ['a'] }, LAST);
    await one.jmap.sync.settled();
    expect(await write.result).toMatchObject({ ok: true, object: { list: ['a'] } });
  });

  it('takes for seen what an update before it makes, while the create has no answer', async () => {
    const isFirst = times(1);
    let go: () => void = () => undefined;
    const going = new Promise<void>((resolve) => {
      go = resolve;
    });
    const { fetch: slow, requests } = makeGate({
      judge: () => undefined,
      async after({ methodCalls }) {
        if (methodCalls.some(([, args]) => args['create']) && isFirst()) await going;
      },
    });
    const { jmap, Gadget } = await open({ fetch: slow });
    const before = requests.length;
    const { object } = Gadget.create({ title: 'New' });
    await expect.poll(() => requests.length).toBeGreaterThan(before);
    const plain = Gadget.update(object.$key, { rank: 1 });
    const checked = Gadget.update(object.$key, { rank: 2 }, LAST);
    go();
    await jmap.sync.settled();
    expect(await plain.result).toMatchObject({ ok: true });
    expect(await checked.result).toMatchObject({ ok: true, object: { rank: 2 } });
  });

  it('goes in one call with its like', async () => {
    const one = await open();
    const ids = [await make(one), await make(one), await make(one)];
    const before = sets().length;
    for (const id of ids) one.Gadget.update(id, { rank: 9 }, LAST);
    await one.jmap.sync.settled();
    expect(sets().slice(before)).toMatchObject([{ ifInState: expect.any(String) }]);
    for (const id of ids) expect(await readElsewhere(id)).toMatchObject({ rank: 9 });
  });

  it('of an object that is gone is refused as the server does', async () => {
    const one = await open();
    const id = await make(one);
    await (await served.elsewhere()).Gadget.set({ destroy: [id] });
    const write = one.Gadget.update(id, { rank: 9 }, LAST);
    await one.jmap.sync.settled();
    expect(await write.result).toMatchObject({ ok: false, error: { type: 'notFound' } });
    expect(await one.Gadget.update('none', { rank: 9 }, LAST).result).toMatchObject({
      error: { type: 'notFound' },
    });
  });

  it('that waited in the store is a problem, and is made when it is repeated', async () => {
    const store = memory();
    const one = await open({ store });
    const id = await make(one);
    served.proxy().decide(() => 'drop');
    expect(await one.Gadget.update(id, { rank: 9 }, LAST).saved).toBe(true);
    await one.jmap.close();
    served.proxy().decide(() => 'pass');
    await changeElsewhere(id, { rank: 2 });
    const { jmap } = await open({ store });
    const [problem] = jmap.problems.getSnapshot();
    const [seen, current] = [{ rank: 1 }, { rank: 2 }];
    expect(problem?.error).toMatchObject({ type: 'conflict', seen, current });
    problem?.retry();
    await jmap.sync.settled();
    expect(jmap.problems.getSnapshot()).toEqual([]);
    expect(await readElsewhere(id)).toMatchObject({ rank: 9 });
  });
});

describe('an update of a member whose parent has gone', () => {
  it('is made with the whole property, as the server has it', async () => {
    const one = await open();
    const id = await make(one, { meta: { a: { b: { c: 1 } } } });
    await changeElsewhere(id, { meta: { note: 'new' } });
    const write = one.Gadget.update(id, { 'meta/a/b/c': 2 });
    await one.jmap.sync.settled();
    const meta = { note: 'new', a: { b: { c: 2 } } };
    expect(await write.result).toMatchObject({ ok: true, object: { meta } });
    expect(await readElsewhere(id)).toMatchObject({ meta });
  });

  it('is refused where the server refuses that too', async () => {
    const refuse: typeof fetch = async (url, init) =>
      Response.json(refuseUpdates(await (await fetch(url, init)).json()));
    const one = await open({ fetch: refuse });
    const id = await make(one);
    const write = one.Gadget.update(id, { 'tags/red': true });
    await one.jmap.sync.settled();
    expect(await write.result).toMatchObject({ ok: false, error: { type: 'invalidPatch' } });
    expect(sets().slice(1)).toMatchObject([
      { update: { [id]: { 'tags/red': true } } },
      { update: { [id]: { tags: { old: true, red: true } } } },
    ]);
  });
});

/** Returns an answer of the server with refusals in the place of updates. */
function refuseUpdates(body: { readonly methodResponses?: readonly Invocation[] }) {
  const methodResponses = body.methodResponses?.map(([name, args, id]) => {
    if (name !== 'Gadget/set' || !isJsonObject(args['updated'])) return [name, args, id];
    const refused = Object.keys(args['updated']).map((key) => [key, { type: 'invalidPatch' }]);
    return [name, { ...args, updated: null, notUpdated: Object.fromEntries(refused) }, id];
  });
  return { ...body, ...(methodResponses && { methodResponses }) };
}

const ONCE = 'urn:jmapsmith:once';

function forgetOnce(session: Session): Session {
  const { [ONCE]: _once, ...capabilities } = session.capabilities;
  return { ...session, capabilities };
}

it('a lost answer is no conflict behind changes elsewhere that keep its effect', async () => {
  const one = await open({ fetch: makeFaultyFetch(() => null, forgetOnce) });
  const id = await make(one);
  served.proxy().decideNext('lose', 'drop', 'drop');
  const write = one.Gadget.update(id, { 'tags/red': true }, LAST);
  const tagsOf = async () => (await readElsewhere(id))?.tags;
  await expect.poll(tagsOf).toMatchObject({ red: true });
  await changeElsewhere(id, { 'tags/blue': true });
  await one.jmap.sync.settled();
  const tags = { old: true, red: true, blue: true };
  expect(await write.result).toMatchObject({ ok: true, object: { tags } });
});

it.each([
  { server: 'that makes calls once', edit: (session: Session) => session },
  { server: 'of the RFC alone', edit: forgetOnce },
])('its own lost answer is no conflict: a server $server', async ({ edit }) => {
  const one = await open({ fetch: makeFaultyFetch(() => null, edit) });
  const id = await make(one);
  served.proxy().decideNext('lose');
  const write = one.Gadget.update(id, { rank: 9 }, LAST);
  await one.jmap.sync.settled();
  expect(await write.result).toMatchObject({ ok: true, object: { rank: 9 } });
  await changeElsewhere(id, { rank: 3 });
  const late = one.Gadget.update(id, { rank: 9 }, LAST);
  await one.jmap.sync.settled();
  expect(await late.result).toMatchObject({ error: { type: 'conflict', current: { rank: 3 } } });
});
