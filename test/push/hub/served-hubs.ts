import { onTestFinished } from 'vitest';
import { todoType } from '../../../generated/todos/Todo.definition.js';
import type { Hub } from '../../../src/push/hub/hub.js';
import type { PushBus } from '../../../src/server/push-bus.js';
import type { Storage } from '../../../src/server/storage.js';
import { todo } from '../../store/storages.js';

/** Opens the hub of a storage, as a server does. */
export function openHub(storage: Storage, bus: PushBus = { kind: 'listen' }): Hub {
  const log = { info: () => undefined, warn: () => undefined };
  const hub = storage.openHub({ bus, epoch: () => 'g', log });
  onTestFinished(() => hub.close());
  storage.store.onCommit((change) => hub.publish(change));
  return hub;
}

/** Creates an object in an account. */
export async function write({ store }: Storage, accountId: string, id: string): Promise<void> {
  const deadline = performance.now() + 60_000;
  await store.write(accountId, { deadline }, async (transaction) => {
    await transaction.writeRows('insert', todoType, [todo(id, 'text')]);
    await transaction.record(todoType, [{ objectId: id, kind: 'created' }]);
  });
}
