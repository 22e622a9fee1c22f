import type { HookReader } from 'jmapsmith/capability';
import {
  type ContactCardStored,
  contactCardType,
} from '../generated/contacts/ContactCard.definition.js';
import type { ContactCardHooks } from '../generated/contacts/hooks.js';
import { type Fault, findFaults } from './card-faults.js';
import { findLocalizationFaults } from './localizations.js';
import { findPhotoFaults, keepData } from './media.js';
import { findNameFaults } from './property-names.js';

export const contactCardHooks = {
  /** The rules of JSContact between values, and those of RFC 9610. */
  async check(wanted, _call, reader) {
    for (const { before, after, refuse } of wanted) {
      if (after === null) continue;
      const faults = await judge(before, after, reader);
      if (faults.length === 0) continue;
      refuse({
        type: 'invalidProperties',
        properties: [...new Set(faults.map(({ path }) => propertyOf(path)))],
        description: faults.map(({ path, text }) => `"${path}" ${text}.`).join(' '),
      });
    }
  },

  /** A card that is in no book any more goes with its last one. Data of media become blobs. */
  async inTransaction({ created, updated }, _call, tx) {
    const left = [...created, ...updated.map(({ after }) => after)];
    const isHomeless = ({ addressBookIds }: ContactCardStored) =>
      Object.keys(addressBookIds).length === 0;
    const destroy = left.filter(isHomeless).map(({ id }) => id);
    if (destroy.length > 0) await tx.set(contactCardType, { destroy });
    await keepData(
      left.filter((card) => !isHomeless(card)),
      tx,
    );
  },
} satisfies ContactCardHooks;

/** Returns the name of the property that a pointer leads into. */
function propertyOf(path: string): string {
  const [token = ''] = path.split('/', 1);
  return token.replaceAll('~1', '/').replaceAll('~0', '~');
}

async function judge(
  before: ContactCardStored | null,
  card: ContactCardStored,
  reader: HookReader,
): Promise<readonly Fault[]> {
  const homeless = { path: 'addressBookIds', text: 'names no address book' };
  return [
    ...(Object.keys(card.addressBookIds).length === 0 ? [homeless] : []),
    ...findNameFaults(card),
    ...findFaults(card),
    ...findLocalizationFaults(card),
    ...(await findPhotoFaults(before, card, reader)),
  ];
}
