import { mkdir, rm } from 'node:fs/promises';
import { Client, CORE } from '../../../test/support/client.js';
import { runTools } from '../../../test/support/operator.js';
import type { RunningServer } from '../../../test/support/server.js';
import { startServer } from '../../../test/support/server.js';
import { MOST_OCTETS } from './files.js';
import { GADGETS, LEDGER } from './schema.js';

const ADMIN = 'urn:jmapsmith:admin';

/** So small that lists of the server are asked for anew now and then. */
const ENV = {
  ...{ ADMIN: 'on', RATE_LIMITS: 'off', QUERY_CHANGES_MAX: '6' },
  MAX_SIZE_UPLOAD: String(MOST_OCTETS),
};

type Creates = Readonly<Record<string, { readonly id: string; readonly token?: string }>>;

export interface GroundOptions {
  readonly project: string;
  readonly env: Readonly<Record<string, string>>;
  /** Makes an empty database of PostgreSQL, and returns its URL; without it, SQLite is used. */
  readonly makeDatabase?: (() => Promise<string>) | undefined;
}

/** A server on which seeds run, one after another: each has users and accounts of its own. */
export class Ground {
  #server: RunningServer;
  #project: string;
  #env: Readonly<Record<string, string>>;
  readonly #token: string;
  readonly #makeDatabase: GroundOptions['makeDatabase'];

  private constructor(server: RunningServer, token: string, options: GroundOptions) {
    this.#server = server;
    this.#token = token;
    this.#project = options.project;
    this.#env = options.env;
    this.#makeDatabase = options.makeDatabase;
  }

  /** Ends the process, of a sudden or not, and starts another one on its data. */
  async restart(isKilled: boolean, project = this.#project): Promise<void> {
    if (isKilled) await this.#server.kill();
    else await this.#server.stop();
    await this.#start(project);
  }

  /** Makes a backup of all accounts. */
  async backUp(): Promise<void> {
    await rm(this.#backup, { force: true });
    await this.#server.tool('scripts/backup', [this.#backup]);
  }

  /** Goes back to the last backup. */
  async restore(): Promise<void> {
    const { dataDir } = this.#server;
    await this.#server.stop();
    await rm(dataDir, { recursive: true });
    await mkdir(dataDir);
    this.#env = { ...this.#env, ...(await nameDatabase(this.#makeDatabase)) };
    const env = { ...this.#server.env, ...this.#env };
    await runTools({
      ...{ root: this.#project, env },
      steps: [['scripts/restore', [this.#backup]]],
    });
    await this.#start(this.#project);
  }

  /** Has the server forget all states. */
  async resetStates(): Promise<void> {
    await this.#server.tool('scripts/account', ['reset-states']);
  }

  async #start(project: string): Promise<void> {
    const { dataDir, url } = this.#server;
    const env = { ...this.#env, PORT: new URL(url).port };
    this.#server = await startServer({ project, dataDir, env });
    this.#project = project;
  }

  get #backup(): string {
    return `${this.#server.dataDir}.tar`;
  }

  static async open({ project, env: more, makeDatabase }: GroundOptions): Promise<Ground> {
    const env = { ...ENV, ...more, ...(await nameDatabase(makeDatabase)) };
    const server = await startServer({ project, env });
    const [, , token = ''] = await server.tools([
      ['scripts/account', ['create', '--name', 'operator', '--user', 'operator']],
      ['scripts/user', ['roles', 'operator', 'admin']],
      ['scripts/token', ['create', '--user', 'operator']],
    ]);
    return new Ground(server, token, { project, env, makeDatabase });
  }

  get url(): string {
    return this.#server.url;
  }

  async close(): Promise<void> {
    await this.#server.remove();
    await rm(this.#backup, { force: true });
  }

  /** Makes the accounts of a seed. */
  async makePlace(): Promise<Place> {
    const [users = {}, accounts = {}, tokens = {}] = await this.direct([
      ['AdminUser/set', { create: { user: makeName(), writer: makeName() } }],
      [
        'AdminAccount/set',
        {
          create: {
            own: { name: 'Own', owner: '#user' },
            shared: { name: 'Shared', owner: '#writer' },
          },
        },
      ],
      ['AdminToken/set', { create: { ours: { user: '#user' }, theirs: { user: '#writer' } } }],
      ['AdminGrant/set', { create: { w: { account: '#own', user: '#writer' } } }],
    ]);
    const text = (made: Creates, name: string, member: 'id' | 'token') =>
      made[name]?.[member] ?? '';
    const ids = {
      user: text(users, 'user', 'id'),
      own: text(accounts, 'own', 'id'),
      shared: text(accounts, 'shared', 'id'),
    };
    const token = { id: text(tokens, 'ours', 'id'), text: text(tokens, 'ours', 'token') };
    return new Place(this, ids, { user: token, writer: text(tokens, 'theirs', 'token') });
  }

  /** Calls /set of the directory; returns what each call has created. */
  async direct(calls: readonly (readonly [string, object])[]): Promise<readonly Creates[]> {
    const operator = new Client(this.url, this.#token, [CORE, ADMIN]);
    const { methodResponses } = await operator.api(
      calls.map(([name, args], at) => [name, { accountId: 'directory', ...args }, `c${at}`]),
    );
    return methodResponses.map(([name, response]) => {
      const { notCreated, notDestroyed } = response;
      if (name === 'error' || notCreated || notDestroyed)
        throw new Error(`The directory refuses: ${JSON.stringify(response)}`);
      return (response['created'] ?? {}) as unknown as Creates;
    });
  }
}

/** Returns the variable of a server that has a database of its own. */
async function nameDatabase(
  makeDatabase: GroundOptions['makeDatabase'],
): Promise<Readonly<Record<string, string>>> {
  return makeDatabase === undefined ? {} : { DATABASE_URL: await makeDatabase() };
}

function makeName(): object {
  return { name: `u${crypto.randomUUID()}` };
}

interface PlaceIds {
  readonly user: string;
  readonly own: string;
  readonly shared: string;
}

/** The accounts of a seed: the user's own, and one that another user may share. */
export class Place {
  readonly own: string;
  readonly shared: string;
  readonly #ground: Ground;
  readonly #ids: PlaceIds;
  readonly #writer: string;
  #token: { readonly id: string; readonly text: string };

  constructor(
    ground: Ground,
    ids: PlaceIds,
    tokens: { readonly user: Place['token']; readonly writer: string },
  ) {
    this.#ground = ground;
    this.#ids = ids;
    this.own = ids.own;
    this.shared = ids.shared;
    this.#token = tokens.user;
    this.#writer = tokens.writer;
  }

  get url(): string {
    return this.#ground.url;
  }

  get token(): { readonly id: string; readonly text: string } {
    return this.#token;
  }

  /** The user of the clients, by raw calls. */
  get reader(): Client {
    return new Client(this.url, this.#token.text, [CORE, GADGETS, LEDGER]);
  }

  get user(): string {
    return this.#ids.user;
  }

  /** Another user, who writes in both accounts by raw calls. */
  get writer(): Client {
    return new Client(this.url, this.#writer, [CORE, GADGETS, LEDGER]);
  }

  /** Returns the state of the user's session. */
  async readState(): Promise<string> {
    const session = await new Client(this.url, this.#token.text).session();
    return String(session['state']);
  }

  /** Ends the user's token; there is another one at once. */
  async renewToken(): Promise<void> {
    const { id } = this.#token;
    const [made] = await this.#ground.direct([
      ['AdminToken/set', { create: { t: { user: this.#ids.user } } }],
    ]);
    this.#token = { id: made?.['t']?.id ?? '', text: made?.['t']?.token ?? '' };
    await this.#ground.direct([['AdminToken/set', { destroy: [id] }]]);
  }

  /** Lets the user reach the shared account, or not. */
  async share(isShared: boolean): Promise<void> {
    const { user, shared } = this.#ids;
    const args = isShared
      ? { create: { g: { account: shared, user } } }
      : { destroy: [`${shared}-${user}`] };
    await this.#ground.direct([['AdminGrant/set', args]]);
  }
}
