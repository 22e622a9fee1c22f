import { mayUpload } from '../../access/may-upload.js';
import { MethodError } from '../../protocol/errors.js';
import { accountOf } from '../accounts.js';
import type { CallContext } from '../context.js';

/** Throws `accountReadOnly` where the user of a call has no right to write in the account. */
export async function requireWriter(context: CallContext): Promise<void> {
  if (context.isInternal) return;
  const account = accountOf(context);
  const { store, registry } = context.services;
  const may = await mayUpload(account, context.request.principal, registry.dataTypes, (userId) =>
    store.read(account.id, context, (snapshot) => snapshot.sharesHeld(userId)),
  );
  if (may) return;
  const why = 'You may only read the objects that are shared with you.';
  throw new MethodError('accountReadOnly', why);
}
