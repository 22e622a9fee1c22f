import type { PrismaClient } from '../../../build/prisma/engine-sqlite/client.js';
import { isId } from '../../protocol/ids.js';
import {
  DIRECTORY,
  type Directory,
  type DirectoryCreation,
  type DirectoryObject,
  type DirectoryTransaction,
  type DirectoryType,
  type DirectoryUpdate,
  RefusedError,
  type StateAndDirectory,
} from '../admin-port.js';
import { available } from '../available.js';
import { type Change, changeAccess, retryBusy, type TransactionClient } from '../change.js';
import { directoryState } from '../directory-log.js';
import { loadPrincipals } from '../load-principals.js';
import type { Credential, Principal } from '../principal.js';
import { adminAccounts } from './admin-accounts.js';
import { adminGrants } from './admin-grants.js';
import { adminTokens } from './admin-tokens.js';
import { adminUsers } from './admin-users.js';
import type { DirectoryKind, DirectoryScene, DirectoryServices, Which } from './directory-kind.js';

const KINDS: Readonly<Record<DirectoryType, DirectoryKind>> = {
  AdminUser: adminUsers,
  AdminAccount: adminAccounts,
  AdminGrant: adminGrants,
  AdminToken: adminTokens,
};

/** In messages. */
const ROWS = 'users, accounts, access and tokens';

/** All statements of one see the same data. */
const SNAPSHOT = { maxWait: 10_000, timeout: 10_000, isolationLevel: 'Serializable' } as const;

/** The rows of users, accounts, access and tokens as objects of the directory. */
export class DirectoryRows implements Directory {
  readonly #prisma: PrismaClient;
  readonly #services: DirectoryServices;

  constructor(prisma: PrismaClient, services: DirectoryServices) {
    this.#prisma = prisma;
    this.#services = services;
  }

  read(type: DirectoryType, ids: Which): Promise<StateAndDirectory> {
    const readAll = async (client: TransactionClient): Promise<StateAndDirectory> => {
      const number = Number(await directoryState(client, type));
      return { number, objects: await KINDS[type].read(client, possible(ids)) };
    };
    return available(ROWS, () => retryBusy(() => this.#prisma.$transaction(readAll, SNAPSHOT)));
  }

  async change<T>(
    type: DirectoryType,
    { userId: actorId, credential }: Pick<Principal, 'userId' | 'credential'>,
    work: (transaction: DirectoryTransaction) => Promise<T>,
  ): Promise<T> {
    // Beside the result: a change of nothing is undone, and has one too.
    const outcome: { done: { readonly value: T } | null } = { done: null };
    const run = async (change: Change): Promise<true | null> => {
      await requireReach(change, credential);
      const scene = { ...this.#services, change, actorId };
      outcome.done = { value: await work(new RowTransaction(KINDS[type], type, scene)) };
      return change.acts === 0 ? null : true;
    };
    await available(ROWS, () => changeAccess(this.#prisma, run, actorId));
    if (outcome.done === null) throw new Error('The change of the directory did not run.');
    return outcome.done.value;
  }
}

/**
 * Throws RefusedError where the credential may not change the directory. No other change is open
 * meanwhile, so two administrators can't take each other's role. Scopes never change: whoever comes
 * here has passed them.
 */
async function requireReach({ transaction }: Change, credential: Credential): Promise<void> {
  const loaded = await loadPrincipals(transaction, [credential], {
    capabilitiesOf: () => null,
    hasDirectory: true,
  });
  const reached = loaded.get(credential.id)?.principal.accounts.get(DIRECTORY);
  if (reached?.isReadOnly === false) return;
  throw new RefusedError('forbidden', 'The token may not change the directory any more.');
}

/** Leaves texts out that are no ids: some databases don't take each, and a long one costs time. */
function possible(which: Which): Which {
  return 'first' in which ? which : which.filter(isId);
}

/** One change of objects of a type. */
class RowTransaction implements DirectoryTransaction {
  readonly #kind: DirectoryKind;
  readonly #type: DirectoryType;
  readonly #scene: DirectoryScene;

  constructor(kind: DirectoryKind, type: DirectoryType, scene: DirectoryScene) {
    this.#kind = kind;
    this.#type = type;
    this.#scene = scene;
  }

  async state(): Promise<number> {
    return Number(await directoryState(this.#scene.change.transaction, this.#type));
  }

  find(ids: readonly string[]): Promise<readonly DirectoryObject[]> {
    return this.#kind.read(this.#scene.change.transaction, possible(ids));
  }

  async create(object: DirectoryObject): Promise<DirectoryCreation> {
    const created = await this.#kind.create(this.#scene, object);
    const { id, secrets } = typeof created === 'string' ? { id: created, secrets: {} } : created;
    return { object: await this.#found(id), secrets };
  }

  async update(update: DirectoryUpdate): Promise<DirectoryObject> {
    await this.#kind.update(this.#scene, update);
    return this.#found(update.before.id);
  }

  async destroy(id: string): Promise<void> {
    await this.#kind.destroy(this.#scene, await this.#found(id));
  }

  async #found(id: string): Promise<DirectoryObject> {
    const [object] = await this.find([id]);
    if (object === undefined) throw new Error(`The object ${id} of the directory is missing.`);
    return object;
  }
}
