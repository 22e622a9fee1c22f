import type { AccountCreated } from 'jmapsmith/capability';
import type { IdentityHooks } from '../../generated/submission/hooks.js';
import { identityType } from '../../generated/submission/Identity.definition.js';
import { isAddress, maySendFrom } from './senders.js';

/** Refuses addresses that the user must not send from, and keeps the user's own (RFC 8621 6). */
export const checkIdentities: IdentityHooks['check'] = (wanted) => {
  for (const { before, after, refuse } of wanted)
    if (before === null && after !== null && !maySendFrom(after.email))
      refuse({ type: 'forbiddenFrom', description: `You must not send from ${after.email}.` });
    else if (after === null && before?.mayDelete === false)
      refuse({ type: 'forbidden', description: 'This identity stays: its mayDelete is false.' });
};

/** Gives an account that is named by an address the identity of it. */
export const seedIdentity: AccountCreated = async ({ name }, _call, tx) => {
  if (!isAddress(name)) return;
  await tx.set(identityType, { create: { own: { email: name, mayDelete: false } } });
};
