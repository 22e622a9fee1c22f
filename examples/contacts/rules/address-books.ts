import type { HookTransaction } from 'jmapsmith/capability';
import {
  type AddressBookStored,
  addressBookType,
} from '../generated/contacts/AddressBook.definition.js';
import { contactCardType } from '../generated/contacts/ContactCard.definition.js';
import type { AddressBookHooks, Hooks } from '../generated/contacts/hooks.js';

/** RFC 9610 2: the name, as UTF-8. */
const MAX_NAME_OCTETS = 255;

export const addressBookHooks = {
  /** A name has its octets, and a book with cards stays unless the client says otherwise. */
  async check(wanted, call, reader) {
    for (const { key, after, refuse } of wanted) {
      if (after === null) {
        if (call.arguments.onDestroyRemoveContents === true) continue;
        const filter = { inAddressBook: key };
        const [card] = await reader.query(contactCardType, { filter, limit: 1 });
        if (card !== undefined)
          refuse({ type: 'addressBookHasContents', description: `Card ${card} is in it.` });
      } else if (Buffer.byteLength(after.name) > MAX_NAME_OCTETS)
        refuse({
          type: 'invalidProperties',
          properties: ['name'],
          description: `"name" has more than ${MAX_NAME_OCTETS} octets.`,
        });
    }
  },

  /** Makes the book the default that the client asks for, and one if there is none. */
  async inTransaction(_changes, call, tx) {
    const asked = call.refused.length === 0 ? call.arguments.onSuccessSetIsDefault : undefined;
    const id = asked?.startsWith('#') ? call.createdIds.get(asked.slice(1)) : asked;
    await chooseDefault(tx, id ?? null);
  },

  /** Nobody shares a book. A user who only reads the account can't write into one. */
  answer(books, _asked, { isReadOnly }) {
    const mayWrite = !isReadOnly;
    const myRights = { mayRead: true, mayWrite, mayShare: false, mayDelete: mayWrite };
    return new Map(books.map(({ id }) => [id, { shareWith: null, myRights }]));
  },
} satisfies AddressBookHooks;

/** Each new account begins with a book. */
export const makeFirstBook: NonNullable<Hooks['accountCreated']> = async (_account, _call, tx) => {
  await tx.set(addressBookType, { create: { first: { name: 'Contacts' } } });
};

async function chooseDefault(tx: HookTransaction, wanted: string | null): Promise<void> {
  const books = await tx.get(addressBookType, null);
  const chosen =
    books.find(({ id }) => id === wanted) ??
    books.find(({ isDefault }) => isDefault) ??
    books.toSorted(compareBooks)[0];
  const wrong = books.filter(({ id, isDefault }) => isDefault !== (id === chosen?.id));
  if (wrong.length === 0) return;
  const update = Object.fromEntries(
    wrong.map(({ id, isDefault }) => [id, { isDefault: !isDefault }]),
  );
  await tx.set(addressBookType, { update });
}

function compareBooks(a: AddressBookStored, b: AddressBookStored): number {
  return a.sortOrder - b.sortOrder || a.name.localeCompare(b.name);
}
