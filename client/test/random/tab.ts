import { Random } from '../../../conform/src/random.js';
import { withCache } from '../../src/cache/cache-store.js';
import { CORE, type Session } from '../../src/call/session.js';
import { connect } from '../../src/index.js';
import type { OpenStore, Page, Store } from '../../src/persist/port.js';
import { QuotaError, StoreLostError } from '../../src/persist/store-errors.js';
import { guardCalls, overrideCalls } from '../support/wrap-store.js';
import { Ice } from '../tabs/doubles.js';
import type { Device } from './device.js';
import { TOLD_OCTETS } from './files.js';
import { type MarkedWrite, markOf, marksIn, tagsOf } from './marks.js';
import { hasWrites, Network } from './network.js';
import { Recorder } from './recorder.js';
import { type AnyRow, type RandomClient, type RandomSchema, TYPE_NAMES } from './schema.js';
import { shorten } from './trace.js';
import type { World } from './world.js';

const ONCE = 'urn:jmapsmith:once';
const QUOTA_ERROR = 'QuotaExceededError';

/** A client of a device, with its network: both may freeze, and end without a word. */
export class Tab {
  readonly number: number;
  readonly name: string;
  readonly ice = new Ice();
  readonly network: Network;
  readonly schema: RandomSchema;
  client!: RandomClient;
  isFrozen = false;
  isKilled = false;
  /** Others have taken its roles: what it has not committed counts for nothing. */
  isRobbed = false;
  /** Resolves when the client has ended, where a command has closed it. */
  closing: Promise<void> | null = null;
  /** The client has all objects of its store, and what it shows can be checked. */
  isRead = false;
  /** Its store has refused a commit: what it shows may be newer. */
  isFull = false;
  #isLost = false;
  #losses = 0;
  /** How many losses there had been when the store was opened last. */
  #opened = 0;
  /** Accounts of which the store has more pages. */
  readonly #unread = new Set<string>();
  /** Calls of the store that have not come to an end. */
  #calls = 0;
  readonly #world: World;
  readonly #device: Device;
  readonly #random: Random;
  readonly #answered = new Set<string>();
  readonly #records = new Map<string, Recorder>();

  private constructor(world: World, device: Device) {
    this.#world = world;
    this.#device = device;
    this.number = device.count;
    const { seed, wire } = world;
    this.schema = world.schema;
    const name = `${device.name}.${device.count}`;
    this.name = name;
    const own = seed * 1_000 + device.count * 10 + Number(device.name.slice(1));
    this.#random = new Random(own + 0x570e);
    this.network = new Network({
      ice: this.ice,
      random: new Random(own),
      judge: (hasWrites) => world.judge(hasWrites),
      edit: (session) => editSession(session, world),
      onRequest: (request, fault) => {
        const hasCrashed = ['down', 'gateway', 'busy'].includes(fault ?? '');
        if (hasCrashed && request.methodCalls.some(hasWrites)) wire(device).noteCrash();
        world.trace(`${name} sends ${shorten(request.methodCalls)}`);
        // A tab whose roles were taken has to forget the answers that it has not committed.
        wire(device).request(request, device.isRobbed ? new Set() : this.#answered);
      },
      onAnswer: (_, answer, isDelivered) => {
        const fate = isDelivered ? 'gets' : 'misses';
        world.trace(`${name} ${fate} ${shorten(answer.methodResponses)}`);
        wire(device).answer(answer, isDelivered);
        if (isDelivered) for (const id of wire(device).endsOf(answer)) this.#answered.add(id);
      },
      onUpload: (key, octets, fate) => {
        world.trace(`${name} sends the file ${key}, ${octets?.length} octets: ${fate}`);
        wire(device).upload(key, octets);
      },
    });
  }

  static async open(world: World, device: Device): Promise<Tab> {
    const tab = new Tab(world, device);
    const { place } = world;
    tab.client = await connect(tab.schema, {
      url: place.url,
      token: () => place.token.text,
      store: withCache(tab.#wrap(device.store)),
      fetch: tab.network.fetch,
      uploadQuota: world.profile.quota,
      coverage: Object.fromEntries(world.profile.known.map((type) => [type, 'known'])),
      retry: 0,
    });
    tab.client.onSession(() => tab.#takeSession());
    tab.#takeSession();
    tab.client.sync.subscribe(({ storage }) => {
      if (storage === 'lost') device.hasLost = true;
    });
    tab.client.problems.subscribe((problems) => {
      if (tab.isKilled) return;
      for (const { type, kind, values, error } of problems) {
        // The title of an update has the mark of the create, which was not refused.
        const marks = marksIn(type, values).filter((mark) => kind !== 'update' || mark[0] === 't');
        world.marks.refuse(marks, error.type);
      }
    });
    return tab;
  }

  /** Resolves when the client has read its store. */
  async settleStore(): Promise<void> {
    // Behind its last page the client reads once more.
    for (let rests = 0; rests < 3; rests += 1) {
      await new Promise((resolve) => setTimeout(resolve, 5));
      // One that has no room for what it writes first is lost, and not read before there is room.
      if (this.client.sync.getSnapshot().storage === 'lost') this.#device.fill(0);
      if (this.#unread.size > 0 || this.#calls > 0) rests = 0;
    }
    this.isRead = true;
    for (const record of this.records) record.look();
  }

  /** It is one of the clients of its device, and nobody has taken its roles. */
  get isInUse(): boolean {
    return this.#device.tabs.includes(this) && !this.isRobbed;
  }

  /** It shares its store with no other tab. */
  get isAlone(): boolean {
    return this.#device.browser === null;
  }

  /** The store has all that the client has given it. */
  get isStored(): boolean {
    const { storage } = this.client.sync.getSnapshot();
    return this.isQuiet && storage === 'kept' && this.#opened === this.#losses;
  }

  /** Nothing of it waits for its store. */
  get isQuiet(): boolean {
    return !this.isFrozen && this.#calls === 0;
  }

  get records(): readonly Recorder[] {
    return [...this.#records.values()];
  }

  record(accountId: string): Recorder | undefined {
    return this.#records.get(accountId);
  }

  endRecords(): void {
    for (const record of this.records) record.end();
  }

  freeze(): void {
    if (this.isFrozen) return;
    this.isFrozen = true;
    this.ice.freeze();
  }

  thaw(): void {
    this.isFrozen = false;
    this.ice.thaw();
  }

  /** The process is gone: nothing more comes to its network and its store. */
  kill(): void {
    this.isKilled = true;
    this.network.kill();
    this.#device.browser?.end(this);
  }

  /** Its store is lost: what was opened before fails from now on. */
  loseStore(): void {
    this.#isLost = true;
    this.#losses += 1;
    this.#device.hasLost = true;
  }

  /** Its store may be opened again. */
  findStore(): void {
    this.#isLost = false;
  }

  /** Others take its roles, as from a tab that has been frozen for long. */
  rob(): void {
    this.isRobbed = true;
    this.#device.isRobbed = true;
    this.#device.browser?.rob(this);
  }

  async close(): Promise<void> {
    this.endRecords();
    if (!this.isKilled) this.thaw();
    this.kill();
    this.thaw();
    await this.client.close();
  }

  /** Fails where a client doesn't show a write that an earlier one has saved. */
  checkSaved(record: Recorder, saved: readonly MarkedWrite[]): void {
    const { marks, fail, wire } = this.#world;
    const { name, wasFull } = this.#device;
    const shown = TYPE_NAMES.flatMap((type) =>
      record.rows(type).map((row) => ({ mark: markOf(type, row), row })),
    );
    for (const write of saved) {
      const { kind, type, key, mark, device, accountId } = write;
      if (device !== name || accountId !== record.accountId || write.client >= this.number)
        continue;
      if (write.end !== null || marks.refused.has(mark) || marks.open.has(mark)) continue;
      // A full store keeps a write until it is answered, and has no room for what the answer makes.
      if (wasFull && wire(this.#device).hasEnded(mark)) continue;
      const isThere =
        kind === 'create'
          ? marks.isDoomed(type, mark) || shown.some((one) => one.mark === mark)
          : shown.every(({ row }) => (row.$key !== key && row.id !== key) || hasTag(row, mark));
      if (!isThere && kind !== 'destroy') fail(`${name} forgot ${mark}, which was saved`);
    }
  }

  /** Follows accounts that the user reaches, and leaves those that are gone. */
  #takeSession(): void {
    if (this.isKilled) return;
    const { accounts } = this.client.session;
    const { own, shared } = this.#world.place;
    for (const id of [own, shared]) {
      const record = this.#records.get(id);
      if (accounts[id] === undefined) {
        record?.end();
        this.#records.delete(id);
        this.#device.forget(id);
      } else if (record === undefined) {
        const made = new Recorder(this.#world, this.#device, this, id);
        this.#records.set(id, made);
        made.look();
      }
    }
  }

  /** Returns the store as this client has it: frozen with it, and gone with it. */
  #wrap(store: Store): Store {
    const { browser } = this.#device;
    return {
      open: async (name) => {
        this.#device.noteData(name);
        if (this.#isLost) throw new StoreLostError('The store is lost.');
        return this.#end(await store.open(name));
      },
      ...(browser && { tabs: (name, open) => browser.open(name, open, this) }),
    };
  }

  #end(store: OpenStore): OpenStore {
    const losses = this.#losses;
    this.#opened = losses;
    const own = overrideCalls(store, {
      loadPage: (...args) => this.#readPage(store, args),
      load: (...args) => this.#load(store, args),
      commit: (...args) => this.#commit(store, args),
      fence: async () => {
        const epoch = await store.fence();
        this.#device.browser?.noteFence(epoch);
        return epoch;
      },
    });
    const ended = guardCalls(own, async (call) => {
      this.#calls += 1;
      try {
        await this.ice.wait();
        if (this.isKilled) throw new StoreLostError('The client is gone.');
        if (this.#losses > losses) throw new StoreLostError('The store is lost.');
        const result = await call();
        await this.#delay();
        await this.ice.wait();
        return result;
      } finally {
        this.#calls -= 1;
      }
    });
    return { ...ended, close: () => store.close() };
  }

  /** A client that reads all objects in one go asks for no further page. */
  async #load(
    store: OpenStore,
    args: Parameters<OpenStore['load']>,
  ): ReturnType<OpenStore['load']> {
    const [table, prefix = ''] = args;
    const rows = await store.load(...args);
    if (table === 'objects') this.#unread.delete(prefix);
    return rows;
  }

  /** Pages may be so small that a client starts with a part of its objects. */
  async #readPage(store: OpenStore, args: Parameters<OpenStore['loadPage']>): Promise<Page> {
    const { page: size } = this.#world.profile;
    const { rows, isLast } = await store.loadPage(...args);
    const page = { rows: rows.slice(0, size), isLast: isLast && rows.length <= size };
    if (page.isLast) this.#unread.delete(args[1]);
    else this.#unread.add(args[1]);
    return page;
  }

  /** Nobody commits under an epoch once there is a later one. */
  async #commit(store: OpenStore, args: Parameters<OpenStore['commit']>): Promise<void> {
    const latest = this.#device.browser?.epoch ?? 0;
    if (this.#mayBeFull(args[0]) && this.#device.isFull(this.#random)) {
      this.isFull = true;
      this.#world.trace(`${this.name} has no room for ${args[0].map(({ table }) => table)}`);
      throw new QuotaError('There is no room.', { cause: new DOMException('', QUOTA_ERROR) });
    }
    await store.commit(...args);
    const { epoch = latest } = args[1];
    if (epoch < latest)
      this.#world.fail(`${this.#device.name} has a commit of ${epoch} behind the fence ${latest}`);
  }

  /** Stores that tabs share have room for writes, unless they may be lost. */
  #mayBeFull(changes: Parameters<OpenStore['commit']>[0]): boolean {
    const { losesStores } = this.#world.profile;
    const rows = changes.filter(({ value }) => value !== undefined);
    const isAny = this.isAlone || losesStores;
    return isAny ? rows.length > 0 : rows.some(({ table, key }) => isOfServer(table, key));
  }

  /** Calls of a store that tabs share take their time. */
  async #delay(): Promise<void> {
    const isSlow = this.#device.browser !== null && this.#random.chance(0.2);
    if (isSlow) await new Promise((resolve) => setTimeout(resolve, this.#random.integer(0, 3)));
  }
}

/** Returns whether a row has what the server has, too. */
function isOfServer(table: string, key: string): boolean {
  return ['objects', 'types', 'lists', 'blobs'].includes(table) || /^(?:step|shown) /.test(key);
}

/** Rows without tags have the marks of no updates. */
function hasTag(row: AnyRow, mark: string): boolean {
  return !('tags' in row) || tagsOf(row).includes(mark);
}

function editSession(session: Session, { profile }: World): Session {
  const { [CORE]: core, [ONCE]: once, ...others } = session.capabilities;
  const capabilities = {
    ...others,
    [CORE]: { ...core, maxSizeUpload: TOLD_OCTETS, ...profile.limits },
    ...(profile.hasOnceKeys && once && { [ONCE]: once }),
  };
  return { ...session, capabilities };
}
