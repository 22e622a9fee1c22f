import type { JsonObject } from '../../../src/protocol/json.js';
import type { TypeTable } from '../../src/index.js';
import { append } from '../../src/store/log.js';
import type { PatchObject } from '../../src/store/patches.js';
import { Replica } from '../../src/store/replica.js';
import { makeKey, type PendingWrite } from '../../src/store/write.js';
import { Backoff } from '../../src/sync/backoff.js';
import type { Outcome } from '../../src/sync/outcomes.js';
import { Sync } from '../../src/sync/sync.js';
import type { Wire } from '../../src/sync/wire.js';

export const todoTable: TypeTable = {
  name: 'Todo',
  capability: 'urn:example:todos',
  hash: '',
  methods: ['get', 'changes', 'set', 'copy', 'query', 'queryChanges'],
  properties: {
    id: { kind: 'string', access: 'serverSet' },
    created: { kind: 'date', access: 'serverSet' },
    updated: { kind: 'date', access: 'serverSet' },
    text: { kind: 'string' },
    done: { kind: 'boolean', default: false },
  },
  filters: {},
  sorts: {},
};

interface CopyOptions {
  readonly wire: Wire;
  readonly accountId: string;
  readonly tables: readonly TypeTable[];
  readonly limits?: { readonly [Name in 'calls' | 'get' | 'set']?: number };
}

/** A copy of an account in memory, with the writes of a test. */
export class TestCopy {
  readonly replica: Replica;
  readonly outcomes: Outcome[] = [];
  readonly #sync: Sync;

  constructor({ wire, accountId, tables, limits = {} }: CopyOptions) {
    this.replica = new Replica(tables);
    this.#sync = new Sync({
      ...{ wire, accountId, replica: this.replica, types: () => tables },
      limits: () => ({
        maxCallsInRequest: limits.calls ?? 16,
        maxObjectsInGet: limits.get ?? 500,
        maxObjectsInSet: limits.set ?? 500,
      }),
      commit: (change, outcomes) => {
        this.replica.apply(change);
        this.outcomes.push(...outcomes);
        return Promise.resolve(true);
      },
      backoff: new Backoff(1),
    });
  }

  create(type: string, values: JsonObject): string {
    const key = makeKey();
    this.#append({ ...this.#common(type, key), kind: 'create', values });
    return key;
  }

  update(type: string, id: string, patch: PatchObject): void {
    const key = this.replica.keyOf(id);
    this.#append({ ...this.#common(type, key), kind: 'update', patch, unchanged: null });
  }

  destroy(type: string, id: string): void {
    this.#append({ ...this.#common(type, this.replica.keyOf(id)), kind: 'destroy' });
  }

  want(): void {
    this.#sync.want();
  }

  settle(): Promise<void> {
    return this.#sync.settle();
  }

  close(): Promise<void> {
    return this.#sync.close();
  }

  #common(type: string, key: string) {
    return { ids: [crypto.randomUUID()], type, key, sentAs: null };
  }

  #append(write: PendingWrite): void {
    const { replica } = this;
    replica.apply({ log: append(replica.log, write, replica.defaultsOf(write.type)) });
  }
}
