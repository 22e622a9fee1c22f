import { afterEach, beforeAll } from 'vitest';
import { type Fixtures, makeFixtures } from '../../../test/support/fixtures.js';
import { useServer } from '../../../test/support/server.js';
import { sharedProject } from '../../../test/support/shared-project.js';
import type * as jmap from '../../src/index.js';
import { connect, memory } from '../../src/index.js';
import { useFaultyProxy } from './faulty-proxy.js';

// As the generator emits it, for part of test/conformance/gadget.yaml and examples/tracker.yaml.

export interface Gadget {
  readonly id: jmap.Id<'Gadget'>;
  readonly title: string;
  readonly rank: number;
  readonly tags: Readonly<Record<string, true>>;
  readonly meta: {
    readonly a?: { readonly b?: { readonly c?: number } };
    readonly note?: string | null;
  };
  readonly parentId: jmap.Id<'Gadget'> | null;
  readonly blobId: jmap.BlobId | null;
  readonly album: Readonly<Record<jmap.BlobId, true>>;
  /** The client doesn't know its default. */
  readonly list: readonly string[];
}
export interface GadgetCreate extends Partial<Omit<Gadget, 'id' | 'title'>> {
  readonly title: string;
}
export interface GadgetUpdate extends Required<GadgetCreate> {}
export interface GadgetShape {
  readonly name: 'Gadget';
  readonly object: Gadget;
  readonly create: GadgetCreate;
  readonly update: GadgetUpdate;
  readonly patch: jmap.Patch<GadgetUpdate, Exclude<keyof GadgetUpdate, 'title'>> & {
    readonly [pointer: `${'tags' | 'meta' | 'album'}/${string}`]: unknown;
  };
  readonly filter: { readonly title?: string | null };
  readonly sort: jmap.Comparator<'title'>;
  readonly error: jmap.StandardSetError<'Gadget', keyof GadgetCreate>;
}

export interface Tracked {
  readonly id: jmap.Id<'Project'>;
  readonly key: string;
  readonly name: string;
}
export interface ProjectShape {
  readonly name: 'Project';
  readonly object: Tracked;
  readonly create: { readonly key: string; readonly name: string };
  readonly update: { readonly name: string };
  readonly patch: { readonly name?: string };
  readonly filter: { readonly key?: string | null };
  readonly sort: jmap.Comparator<'key'>;
  readonly error: jmap.StandardSetError<'Project', 'key' | 'name'>;
}
export interface Issue {
  readonly id: jmap.Id<'Issue'>;
  readonly projectId: jmap.Id<'Project'>;
  readonly number: number;
  readonly title: string;
}
export interface IssueShape {
  readonly name: 'Issue';
  readonly object: Issue;
  readonly create: Omit<Issue, 'id'>;
  readonly update: { readonly title: string };
  readonly patch: { readonly title?: string };
  readonly filter: { readonly title?: string | null };
  readonly sort: jmap.Comparator<'title'>;
  readonly error: jmap.StandardSetError<'Issue', keyof Omit<Issue, 'id'>>;
}

type Standard<Shape extends jmap.TypeShape, M extends jmap.Mode> = jmap.Get<Shape, M> &
  jmap.Changes<Shape, M> &
  jmap.SetMethod<Shape, M> &
  jmap.Query<Shape, M>;
interface Methods<M extends jmap.Mode> {
  readonly Gadget: Standard<GadgetShape, M>;
  readonly Project: Standard<ProjectShape, M>;
  readonly Issue: Standard<IssueShape, M>;
}
export interface GadgetsProject {
  readonly alone: Methods<'alone'>;
  readonly batch: Methods<'batch'>;
}

const TRACKER = 'https://example.com/jmap/tracker';

const gadgetProperties: jmap.TypeTable['properties'] = {
  id: { kind: 'string', format: 'id', access: 'serverSet' },
  title: { kind: 'string' },
  rank: { kind: 'integer', default: 0 },
  tags: { kind: 'json', default: {} },
  meta: { kind: 'json', default: {} },
  parentId: { kind: 'string', isNullable: true, default: null, references: [{ type: 'Gadget' }] },
  blobId: { kind: 'string', isNullable: true, default: null, references: [{ type: null }] },
  album: { kind: 'json', default: {}, references: [{ type: null, at: ['key'] }] },
  plan: { kind: 'json', references: [{ type: 'Gadget', at: ['steps', '*', 'gadgetId'] }] },
};

function table(
  name: string,
  capability: string,
  properties: jmap.TypeTable['properties'],
): jmap.TypeTable {
  const methods = ['get', 'changes', 'set', 'query'];
  return { name, capability, hash: '', methods, properties, filters: {}, sorts: {} };
}

export const gadgets: jmap.Schema<GadgetsProject> = {
  types: [
    table('Gadget', 'https://example.com/jmap/gadgets', gadgetProperties),
    table('Project', TRACKER, { key: { kind: 'string' }, name: { kind: 'string' } }),
    table('Issue', TRACKER, {
      projectId: { kind: 'string', references: [{ type: 'Project' }] },
      number: { kind: 'integer' },
      title: { kind: 'string' },
    }),
  ],
  groups: [],
};

const SYNC = 'urn:jmapsmith:sync';

/** Returns a table as a project has it that is as new as the server. */
function withHash(type: jmap.TypeTable, { capabilities }: jmap.Session): jmap.TypeTable {
  const { types } = capabilities[SYNC] as {
    readonly types: Readonly<Record<string, { readonly hash: string }>>;
  };
  return { ...type, hash: types[type.name]?.hash ?? '' };
}

type Options = Partial<jmap.StoreOptions> & { readonly store?: jmap.CacheStore };

/** A server of these types behind a proxy, for the tests of a file; clients have stores. */
export function useGadgets(env: Readonly<Record<string, string>> = {}) {
  const server = useServer(async () => ({ project: await sharedProject(), env }));
  let fixtures: Fixtures;
  let schema = gadgets;
  beforeAll(async () => {
    fixtures = await makeFixtures(server(), []);
    const { session, close } = await connect(gadgets, {
      url: server().url,
      token: fixtures.u1.token,
    });
    schema = { ...gadgets, types: gadgets.types.map((each) => withHash(each, session)) };
    await close();
  });
  const proxy = useFaultyProxy(() => server().url);
  const open: jmap.CachedClient<GadgetsProject>[] = [];
  afterEach(async () => {
    proxy().cut();
    for (const client of open.splice(0)) await client.close();
  });
  const elsewhere = async () =>
    (await connect(gadgets, { url: server().url, token: fixtures.u1.token })).account();
  return {
    server,
    proxy,
    /** The account as another device has it. */
    elsewhere,
    /** The octets of the gadgets of a title, as another device reads them. */
    async readFiles(title: string): Promise<readonly string[]> {
      const me = await elsewhere();
      const { list } = await me.Gadget.get({ properties: ['title', 'blobId'] });
      const ids = list.flatMap((gadget) => (gadget.title === title ? (gadget.blobId ?? '') : []));
      return Promise.all(ids.map(async (id) => (await me.download(id)).text()));
    },
    /** Requests to the API and files don't come to the server. */
    goOffline: () => proxy().decide(({ method }) => (method === 'POST' ? 'drop' : 'pass')),
    goOnline: () => proxy().decide(() => 'pass'),
    async connect({ store = memory(), ...options }: Options = {}) {
      const { token } = fixtures.u1;
      const client = await connect(schema, { url: proxy().url, token, ...options, store });
      open.push(client);
      return client;
    },
  };
}
