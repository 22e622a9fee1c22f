import { PRINCIPALS, principalAccountId } from '../../capability/principal-names.js';
import { accountOf } from '../accounts.js';
import type { CallContext } from '../context.js';

/** A call of a method of principals finds the account as it is now. */
export async function openPrincipals(context: CallContext): Promise<void> {
  const { services, method, request, deadline } = context;
  if (services.principals === undefined || method.capability !== PRINCIPALS) return;
  const { userId } = request.principal;
  // Nobody else has the account.
  if (accountOf(context).id !== principalAccountId(userId)) return;
  const areNotesAlone = method.dataType === services.principals.types.notification;
  await services.principals.open(userId, { deadline }, areNotesAlone);
}
